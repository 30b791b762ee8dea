/**
 * Findings of a review that has no JSON: list items and headings that name a severity, or stand in a section
 * that does ("## Blockers"); where nothing does, `otherwise` stands for all but praise and summaries. Each item takes the lines below it, up to the next, as evidence and fix.
 */

import type { MarkdownLine } from '../markdown/markdown-lines.ts';
import { type FindingParts, findingsMax, type Severity } from './finding.ts';
import { boundText, splitPlace } from './read-finding.ts';

interface Draft {
  severity: Severity;
  place: { file: string | null; line: number | null };
  claim: string;
  evidence: string[];
  fix: string[];
  indent: number;
}

interface Section {
  severity: Severity | null;
  level: number;
}

export function proseFindings(
  lines: readonly MarkdownLine[],
  otherwise: Severity | null = null,
): readonly FindingParts[] {
  const drafts: Draft[] = [];
  // Any heading ends it.
  let section: Section = { severity: otherwise, level: 7 };
  let current: Draft | null = null;
  for (const { text, standing } of lines) {
    if (standing === 'hidden' || text.trim() === '') continue;
    if (drafts.length > findingsMax * 2) break;
    const heading = /^\s{0,3}(#{1,6})\s+(.*)$/.exec(text.slice(0, lineCharsMax));
    if (heading !== null) {
      const level = heading[1]?.length ?? 0;
      current = readItem(heading[2] ?? '', null, 0, true);
      if (current !== null) drafts.push(current);
      else section = sectionOf(heading[2] ?? '', level, section, otherwise);
      continue;
    }
    const item = /^(\s*)(?:[-*•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/.exec(text.slice(0, lineCharsMax));
    const indent = item?.[1]?.length ?? 0;
    const isDetail = current !== null && (item === null || indent > current.indent);
    const next: Draft | null =
      item === null ? null : readItem(item[2] ?? '', isDetail ? null : section.severity, indent, false);
    if (next !== null) drafts.push(next);
    if (next !== null || (item !== null && !isDetail)) current = next;
    else if (current !== null) addDetail(current, item?.[2] ?? text);
    else section = looseSection(text, section);
  }
  return drafts.map(finish);
}

const lineCharsMax = 3000;

const severityWord =
  /^[[(]?(?:(blocker|blocking|must[- ]fix|critical)|(follow[- ]?up|non[- ]?blocking|nit(?:pick)?|suggestion|minor|optional))[\])]?(?:\s*#?\d{1,3})?(?=\s*(?:[:–—`.]|-\s)|\s*$)/i;
const nothing = /^(?:verdict\b|no(?:ne|thing|\b)|n\/?a\b|-+$|all (?:clear|good|fixed|resolved))/i;

function readItem(
  text: string,
  inherited: Severity | null,
  indent: number,
  isHeading: boolean,
): Draft | null {
  const body = text
    .replace(/\*\*|__/g, '')
    .replace(signs, '')
    .trim();
  const word = severityWord.exec(body);
  const rest = word === null ? body : body.slice(word[0].length);
  const severity: Severity | null =
    word === null ? inherited : word[1] === undefined ? 'follow-up' : 'blocker';
  if (severity === null || (isHeading && rest.trim() === '')) return null;
  const said = rest.replace(/^[\s:–—.-]+/, '');
  if (nothing.test(said)) return null;
  const { place, claim } = placeOf(said);
  return { severity, place, claim, evidence: [], fix: [], indent };
}

const signs = /^(?:\s|\p{Extended_Pictographic}|\uFE0F)+/u;
const placed =
  /^[[(]?`?((?:[\w@.~+-]+[/\\])*[\w@.~+-]+\.\w{1,12}(?::\d{1,8}(?:[-:]\d{1,8})?|#L\d{1,8}(?:-L?\d{1,8})?)?)`?[\])]?(?=[\s:,–—-]|$)[\s:,–—-]*/;

/** The place at the start of a claim, or else the first one in backticks. */
function placeOf(text: string): { place: Draft['place']; claim: string } {
  const front = placed.exec(text.slice(0, 400));
  const first = front === null ? null : splitPlace(front[1] ?? '');
  if (front !== null && first?.file != null) return { place: first, claim: text.slice(front[0].length) };
  const quoted = /`([^`\s]{1,300}:\d{1,8}(?:-\d{1,8})?)`/.exec(text);
  return { place: quoted === null ? { file: null, line: null } : splitPlace(quoted[1] ?? ''), claim: text };
}

function addDetail(draft: Draft, text: string): void {
  const body = text.replace(/\*\*|__/g, '').trim();
  const labelled =
    /^(?:(evidence|why|because|impact)|((?:required |suggested )?fix|required|suggestion))\s*[:–—-]\s*(.*)$/i.exec(
      body,
    );
  const place = /^(?:file|location|where)\s*:\s*`?([^`\s]+)`?/i.exec(body);
  if (draft.claim === '') draft.claim = body;
  else if (place !== null && draft.place.file === null) draft.place = splitPlace(place[1] ?? '');
  else if (labelled?.[2] !== undefined) draft.fix.push(labelled[3] ?? '');
  else if (draft.evidence.length < 40) draft.evidence.push(labelled?.[3] ?? body);
}

/** A heading opens a section; a heading below it that names no severity stays in it. */
function sectionOf(text: string, level: number, section: Section, otherwise: Severity | null): Section {
  const severity = sectionSeverity(text) ?? (noFindings.test(text) ? null : otherwise);
  if (severity !== null || level <= section.level) return { severity, level };
  return section;
}

const noFindings =
  /\b(?:summary|verdict|strengths?|positives?|good|well|praise|verified|checked|checks|tests?|overview|scope|files|next steps)\b/i;

/** "**Blockers:**" on a line of its own, or any other paragraph, which ends such a section. */
function looseSection(text: string, section: Section): Section {
  const severity = sectionSeverity(text);
  return severity !== null && /[:*_]\s*$/.test(text) ? { severity, level: 6 } : section;
}

function sectionSeverity(text: string): Severity | null {
  const body = text
    .replace(/[*_#:]+/g, ' ')
    .replace(signs, '')
    .trim()
    .toLowerCase();
  if (body.length > 60 || /^no\b/.test(body)) return null;
  if (
    /\b(?:fixed|resolved|addressed)\b/.test(body) &&
    !/\b(?:not|still|to be|must|should|needs?)\b/.test(body)
  )
    return null;
  if (/non-?blocking|follow-?ups?|suggestions?|nits?\b|optional|minor/.test(body)) return 'follow-up';
  if (/\bblockers?\b|\bblocking\b|must[- ]fix|\bcritical\b|changes required|required changes/.test(body))
    return 'blocker';
  return null;
}

function finish(draft: Draft): FindingParts {
  return {
    severity: draft.severity,
    ...draft.place,
    claim: boundText(draft.claim) || 'No claim given.',
    evidence: boundText(draft.evidence.join('\n')),
    fix: boundText(draft.fix.join('\n')),
  };
}
