/** Titles and labels that say how much the words under or behind them weigh: "Blockers: none", "🔴 High — …". */
import { saysNone, saysSettled } from './is-denied.ts';
import type { Section, Statement } from './own-words.ts';

const optional =
  /\bno(?:ne|thing|t)?(?: of (?:them|these))?[ -]blocking|\bnon-? ?block|\bnits?\b|\bnit-?picks?|\bsuggest|\bfollow-?ups?\b|\boptional|\bminor\b|\bfuture\b|\bnice[- ]to[- ]have|\bout of scope|\bpre-?existing|\blow\b|\bcosmetic|\bstyl|\btrivial|\bpolish|\bideas?\b|\bfor later|\blater\b|\bp[3-5]\b|\bmay wait|\btake it or leave|\bfyi\b|\binfo\b|\bjust a thought|\bnot (?:a )?block|🟢|🟡|🔵|⚪|💡|ℹ|📝/;
const severe =
  /\bblockers?\b|\bblocking\b|\bcritical\b|\bmust[- ](?:fix|do|have|change)|\bhigh(?:[- ](?:severity|priority|risk))?\b(?![- ]?level)|\bmajor\b|\bsevere\b|\bshow-?stoppers?\b|\bp[01]\b|\brequired (?:changes?|fix(?:es)?|actions?)|\bchanges? (?:required|requested|needed)|\brequested changes\b|\baction (?:required|items?)|\bto fix\b|\bneeds? (?:to be )?fix|\bdeal-?breakers?\b|\bopen (?:issues?|problems?|defects?|bugs?)\b|\bissues? (?:found|to)\b|\bproblems?\b|\bdefects?\b|\bbugs?\b/;
const past =
  /\b(?:previous|earlier|prior|last|first|resolved|addressed|fixed|settled|closed|verified|checked|what (?:i|was) (?:checked|verified))\b|\bround \d|\bcycle \d/;
const none =
  /\((?:none|0|zero|no)\)|[:–—-]\s*(?:none|0|zero|n\/a|nothing|no)\b|\bno(?:ne)?\b|\b0\b|\bzero\b|\bwithout\b/;

/** What a title says of what stands under it: a plain one below a heading for what may wait stays in that section. */
export function sectionUnder(title: Statement, above: { section: Section; level: number }): Section {
  const section = sectionOf(title.text);
  const isWithin = above.section === 'optional' && title.level > above.level;
  return section === 'plain' && isWithin ? 'optional' : section;
}

/** "The task in my words": what must be, and not what is. */
const task =
  /^[\d.\s]{0,8}(?:the |my )?(?:task|assignment|ticket|goal|background|what (?:was|is) asked(?: for)?|what the (?:task|ticket) asks)(?: in my (?:own )?words)?:?$/;

/** What a heading says of what stands under it. */
export function sectionOf(title: string): Section {
  if (task.test(title)) return 'task';
  if (optional.test(title) && !/(?<!non-? ?)\bblock(?:ing|ers?)\b|\bcritical\b|\bmust[- ]/.test(title))
    return 'optional';
  if (severe.test(title)) return past.test(title) ? 'past' : none.test(title) ? 'plain' : 'severe';
  return past.test(title) ? 'past' : 'plain';
}

const grade =
  '(?:blockers?|blocking|critical|crit|major|high|severe|serious|show-?stoppers?|urgent|fatal|p[01]|s[01]|sev-?[01]|must[- ]fix(?:es)?|must[- ]do|must|required(?: changes?| fix(?:es)?)?|requested changes?|changes? (?:requested|required|needed)|action required|to fix|fix required|bugs?|defects?|regressions?|broken|unresolved|open issues?|caution|danger|warning|important|attention|alert)';
const thing =
  '(?:[ /-]{1,3}(?:severity|priority|issues?|bugs?|findings?|problems?|concerns?|items?|risks?|impact|defects?|vulnerabilit(?:y|ies)|fix(?:es)?|before merg(?:e|ing)|points?|comments?))';
const label = new RegExp(
  `^[[(]?\\s?(?:(?:severity|priority|level|impact|finding|issue) ?#?\\d{0,3} ?[:=(-]? ?)?(?:#?\\d{1,3}[.:)]? ?)?${grade}${thing}{0,2} ?#?\\d{0,3} ?(?:\\([^()]{0,60}\\))? ?(?:[\\])]|[:–—|/,]|-\\s|\\.\\s|$)`,
);
const mildLabel =
  /^[[(]?\s?(?:(?:severity|priority) ?[:=-] ?)?(?:very )?(?:non-? ?block\w*|nits?|nit-?picks?|suggestions?|follow-?ups?|optional\w*|minor|low|trivial|cosmetic|style|info|fyi|p[2-5]|medium|moderate|note|notes|nice[- ]to[- ]have|pre-?existing|observation|remark|idea|polish|question|thought|consider|could|maybe|perhaps|tiny|small|future|later|out of scope)\b/;
const severeSign = /[🔴❌🚨⛔🛑🚫❗‼🟥✗✘✖👎]|:x:|:no_entry|:rotating_light:|:red_circle:|:-1:|:thumbsdown:/u;
const mildSign = /[⚠🟠🔥🐛]|:warning:|:bug:/u;

export function isOptionalLabel(text: string): boolean {
  return mildLabel.test(unsigned(text)) || /^[^\p{L}\p{N}]{0,6}[🟢🟡🔵⚪💡ℹ📝]/u.test(text);
}

/** The words of a label that weighs much, with what stands behind it; null when there is none. */
export function severeLabel(text: string): string | null {
  const bare = unsigned(text);
  const found = label.exec(bare.slice(0, 400));
  return found === null ? null : bare.slice(found[0].length);
}

/** A sign of alarm with something to say. */
export function isAlarm(text: string): boolean {
  if (/^!{2,}(?=\s)/.test(text)) return true;
  const sign = severeSign.exec(text);
  if (sign !== null) {
    const after = unsigned(text.slice(sign.index + sign[0].length));
    return !isHarmless(severeLabel(after) ?? after) && !saysSettled(text);
  }
  return mildSign.test(text) && !optional.test(text) && !isHarmless(unsigned(text)) && !saysSettled(text);
}

const legend =
  /^(?:legend|key|scale|severit(?:y|ies)|levels?)(?: levels?)?:(?:[\P{L}]{0,12}(?:blockers?|blocking|critical|major|minor|high|medium|low|nits?|should fix|must fix|suggestions?|follow-?ups?|optional|info|or|and|is|question|praise)(?!\p{L})){2,12}\P{L}{0,12}$/u;

/** What the signs of a review mean: it says nothing of the change. */
export function isLegend(text: string): boolean {
  return text.length < 300 && legend.test(text);
}

/** Nothing, or only things that are over. */
export function isHarmless(text: string): boolean {
  const said = unsigned(text);
  return said === '' || saysNone(said) || saysNone(`: ${said}`) || saysSettled(said);
}

function unsigned(text: string): string {
  return text.slice(0, 2000).replace(/^[^\p{L}\p{N}([{]+/u, '');
}

const cellGrade = new RegExp(`^${grade}${thing}{0,2}$`);

/** A row of a table that gives a severity beside something that is there. */
export function isSevereRow(text: string): boolean {
  const cells = text
    .slice(0, 4000)
    .split('|')
    .map((cell) => unsigned(cell).trim())
    .filter((cell) => cell !== '');
  if (isAlarmRow(text) && cells.length > 0 && !cells.some((cell) => isNil(cell))) return !saysSettled(text);
  const at = cells.findIndex((cell) => cellGrade.test(cell));
  if (at === -1) return false;
  const others = cells.filter((_, index) => index !== at);
  return others.some((cell) => !isNil(cell) && !/^#?\d{1,3}$/.test(cell))
    ? !saysSettled(text) && !others.some(isNil)
    : others.some((cell) => /^[1-9]\d?$/.test(cell));
}

function isAlarmRow(text: string): boolean {
  return severeSign.test(text);
}

function isNil(cell: string): boolean {
  return saysNone(cell) || /^(?:0|-|none|n\/a)$/.test(cell);
}
