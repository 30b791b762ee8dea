/**
 * Reads the severity of a finding from the words and signs that reviewers put before it. Also recognises
 * statements that there is no finding.
 */
import type { Severity } from './finding.ts';

const heavy =
  'blockers?|blocking|must[- ](?:fix|do|change)|critical|crit|highest|high|major|severe|serious|urgent|important|error|bug|defect|issue|problem|medium|moderate|warning|todo|chore|required(?: change| fix)?|p[01]|s[01]|sev-?[01]';
const light =
  'follow-?ups?|follow up|non-?\\s?blocking|nits?|nit-?pick|suggestion|minor|low|lowest|optional|info(?:rmational)?|style|trivial|cosmetic|nice[- ]to[- ]have|could|p[2-5]|s[2-5]|sev-?[2-5]|polish';
const silent = 'praise|question|thought|note|observation|fyi|kudos|strengths?';
/** Words that name a finding, but leave its severity to the section. */
const neutral = /^(?:issue|problem|bug|defect)s?\b/i;
const words = new RegExp(`^(?:(${heavy})|(${light})|(${silent}))(?![\\p{L}\\p{N}_])`, 'iu');
const heavySign = /^[\s\uFE0F]*(?:🔴|🚨|❌|⛔|🛑|🚫|🟠|❗|‼)/u;
const lightSign = /^[\s\uFE0F]*(?:🟡|🔵|🟢|⚪|💡|📝)/u;
const signs = /^(?:\s|\p{Extended_Pictographic}|\uFE0F|\u200D|✓|✔)+/u;

export interface Label {
  readonly severity: Severity;
  /** The label gives a severity, and does not only name a finding. */
  readonly isSure: boolean;
  /** The text after the label. */
  readonly rest: string;
}

/** Reads a severity such as "High", "🔴 critical" or "blocker (must fix)". */
export function readSeverity(value: string): Severity | null {
  if (heavySign.test(value)) return 'blocker';
  const found = words.exec(
    value
      .replace(/[*_`[(]+/g, '')
      .replace(signs, '')
      .trim(),
  );
  if (found !== null) return found[1] === undefined ? 'follow-up' : 'blocker';
  return lightSign.test(value) ? 'follow-up' : null;
}

const endOfLabel = /^\s*#?\d{0,3}\s*(?:\]|\)|[:–—`.|]|-\s|$)[\s:–—.-]*/;
const decoration = /^\s*\(([a-z ,-]{1,60})\)/i;

/**
 * Reads a label: "**issue (blocking):** …", "[P1] …", "🔴 …", "B1: …", "Severity: high — …". `none` for praise
 * and questions, null when there is no label.
 */
export function readLabel(text: string): Label | 'none' | null {
  const body = text.replace(/\*\*|__/g, '').trim();
  const bySign = heavySign.test(body) ? 'blocker' : lightSign.test(body) ? 'follow-up' : null;
  const bare = body.replace(signs, '').replace(/^(?:severity|priority)\s*[:=]\s*/i, '');
  const named = /^([BFN])-?\d{1,3}(?:[.:)\]]|\s|$)[\s:–—.-]*/.exec(bare);
  if (named !== null) {
    const severity = named[1] === 'B' ? 'blocker' : 'follow-up';
    return { severity, isSure: true, rest: bare.slice(named[0].length).trim() };
  }
  const opened = bare.replace(/^[[(]\s*/, '').replace(/^\d{1,3}[.)]\s+/, '');
  const found = words.exec(opened);
  const after = found === null ? '' : opened.slice(found[0].length);
  const decorated = decoration.exec(after);
  const end = endOfLabel.exec(decorated === null ? after : after.slice(decorated[0].length));
  if (found === null || end === null)
    return bySign === null ? null : { severity: bySign, isSure: true, rest: bare };
  const rest = after.slice((decorated?.[0].length ?? 0) + end[0].length).trim();
  const weight = decorated?.[1] ?? '';
  if (/non-?\s?blocking|optional|minor/i.test(weight)) {
    return found[3] === undefined ? { severity: 'follow-up', isSure: true, rest } : 'none';
  }
  if (/blocking|must|critical/i.test(weight)) return { severity: 'blocker', isSure: true, rest };
  if (found[3] !== undefined) return 'none';
  const isSure = !neutral.test(found[0]);
  return { severity: found[1] === undefined ? 'follow-up' : 'blocker', isSure, rest };
}

const tag =
  /(?:[([]|\s[–—·-]\s)[*_]{0,2}(?:(?:severity|priority)\s*[:=]?\s*)?(\p{L}[\p{L}\p{N} -]{1,20}?)(?:[ -](?:severity|priority))?[*_]{0,2}(?:[)\]]|$)/giu;

/** Reads a severity in brackets, or after a dash at the end: "1. Deadlock (blocker)". */
export function readTag(text: string): Severity | null {
  for (const [, word = ''] of text.slice(0, 400).matchAll(tag)) {
    const label = readLabel(word);
    if (label !== null && label !== 'none' && label.rest === '' && label.isSure) return label.severity;
  }
  return null;
}

/** The severity that a title gives to the findings below it. */
export function sectionSeverity(text: string): Severity | null {
  const body = text
    .replace(/[*_#:]+/g, ' ')
    .replace(signs, '')
    .trim()
    .toLowerCase();
  if (body.length > 60 || /^no\b/.test(body)) return null;
  const isOver = /\b(?:fixed|resolved|addressed)\b/.test(body);
  if (isOver && !/\b(?:not|still|to be|must|should|needs?)\b/.test(body)) return null;
  if (
    /non-?blocking|nicht blockierend|follow-?ups?|suggestions?|nits?\b|nice[- ]to[- ]have|optional|minor|\btiny\b|for later/.test(
      body,
    )
  )
    return 'follow-up';
  if (
    /\bblockers?\b|\bblocking\b|must[- ]fix|\bcritical\b|\bmajor\b|changes (?:required|requested|needed)|(?:required|requested) changes|required before|\bmust (?:change|be changed)\b/.test(
      body,
    )
  ) {
    return 'blocker';
  }
  return null;
}

const none =
  /^[\s[(:–—|-]*(?:✅\s*)?(?:none\b(?! of)|n\/a\b|nil\b|nothing\b|0\b|zero\b|no\b(?:\s*[.)!]*$|[\s-]+(?:\w+[\s-]+){0,4}?(?:blockers?|issues?|findings?|problems?|concerns?|items?|changes?|bugs?|defects?|vulnerabilit(?:y|ies)|fix(?:es)?|comments?|remarks?|notes?|questions?|suggestions?|actions?|objections?|such)\b)|[-–—]+\s*$|\(?empty|\[\s*\]|\{\s*\}|all (?:clear|resolved|fixed|addressed|good)\b|not applicable|i (?:found|see|have) (?:none|no)\b|there (?:are|were|is) (?:none|no)\b|(?:did|do|could) not (?:find|see|identify|spot) any)/;
const exception =
  /\b(?:except|but|apart|besides|other than|however|aside|beyond|save for|although|though|yet)\b/;
const settled =
  /\b(?:fixed|resolved|addressed|corrected|closed|gone|settled|done|cleared|no longer|✅|retracted|withdrawn)\b|✅|✔|☑/;
const unsettled =
  /\b(?:not|never|still|remains?|remaining|unresolved|partial\w*|only|must|should|needs?|to be|would|unless|until|once|if|before|except|but|please)\b/;
const sign = /^[^\p{L}\p{N}([{]+/u;

/** "None.", "0", "No blockers found", "fixed in the last round". `text` must be in lower case. */
export function isNoFinding(text: string): boolean {
  const said = text.slice(0, 2000).replace(sign, '').replace(/\s+/g, ' ');
  const start = said.slice(0, 400);
  return said === '' || (none.test(start) && !exception.test(start)) || saysSettled(said);
}

/** Whether the finding is from an earlier review and is settled now. */
export function saysSettled(text: string): boolean {
  return settled.test(text) && !unsettled.test(text);
}

const fieldName = /^\W{0,4}(?:severity|priority|file|path|location|where|lines?)\W{1,4}\S/i;

/** Rewrites a line of a review: turns badges and tags into fields, and splits fields that share a line. */
export function plainLines(text: string): readonly string[] {
  const line = text
    .replace(/<\/?(?:summary|details|b|strong|finding|issue|comment|review)>/gi, '')
    .replace(/^\s{0,8}!\[([\w -]{2,20})\]\([^()\s]{1,300}\)\s*$/, 'Severity: $1')
    .replace(/^\s{0,8}<(?:finding|issue|comment)\s([^<>]{1,400})>/i, (_, names: string) =>
      names.replace(/(\w+)="([^"]*)"\s*/g, '$1: $2 | ').replace(/ \| $/, ''),
    )
    .replace(/^\s{0,3}`(\d{1,8})(?:-\d{1,8})?`:/, 'Line $1:')
    .replace(/^(\s{0,8}(?:[-*]\s+)?\*\*[A-Za-z -]{3,20})\*\*\s+(?=\S*[/\\.]\S*[,:])/, '$1:** ');
  const parts = /^\s{0,3}\|/.test(line) ? [line] : line.split(/\s[|·]\s/);
  return parts.length > 1 && parts.every((part) => fieldName.test(part)) ? parts : [line];
}
