/**
 * What in the author's own words does not go with an approval: another verdict, a condition, a blocker, a severe
 * fault, a mind that changed, a text that is not whole. English, as reviewers write it. It errs towards a doubt:
 * that costs one short question, and an approval that nobody gave costs more.
 */

import type { MarkdownLine } from '../../markdown/markdown-lines.ts';
import { hasCondition, isOpenEnd, speaksInTail } from './condition.ts';
import { doubtWords } from './doubt-words.ts';
import { speaksOfSelf } from './first-person.ts';
import { isDenied, isToldOf, saysSettled } from './is-denied.ts';
import { ownStatements, type Section, type Statement, sentencesOf } from './own-words.ts';
import { isAlarm, isHarmless, isOptionalLabel, isSevereRow, sectionOf, severeLabel } from './severe-label.ts';

export interface Doubt {
  readonly line: number;
  readonly what: string;
}

const doubtsMax = 50;
/** No review that is read by people has more. */
const statementsMax = 5000;

/** `verdictLine`: the first line that gives the verdict, or 0; what stands after it must take nothing back. */
export function againstApproval(lines: readonly MarkdownLine[], verdictLine: number): readonly Doubt[] {
  const doubts: Doubt[] = [];
  const statements = ownStatements(lines);
  const over = statements[statementsMax];
  if (over !== undefined) return [{ line: over.line, what: 'is one of too many statements' }];
  let section: Section = 'plain';
  let title: Statement | null = null;
  for (const [index, one] of statements.entries()) {
    if (doubts.length >= doubtsMax) break;
    const add = (what: string): number => doubts.push({ line: one.line, what });
    const isTitle =
      one.kind === 'heading' || /^[^.!?]{1,80}:$/.test(one.text) || isBoldTitle(one, statements[index + 1]);
    if (one.kind !== 'row' && isTitle && !isVerdictLabel(one.text)) {
      section = sectionOf(one.text);
      title = section === 'severe' ? one : null;
      if (section === 'severe' || one.kind !== 'heading') continue;
    } else if (title !== null && !isVerdictLabel(one.text)) {
      if (!isHarmless(one.text)) add('has something under a title for blockers');
      title = null;
    }
    const isAfter = verdictLine > 0 && one.line > verdictLine;
    const what = doubtOf(one, section, statements[index + 1]) ?? (isAfter ? tailDoubt(one, section) : null);
    if (what !== null) add(what);
    if (isVerdictLabel(one.text)) section = 'plain';
  }
  return doubts;
}

/** A few words without an end, with a list below them. */
function isBoldTitle(one: Statement, next: Statement | undefined): boolean {
  return (
    one.kind === 'paragraph' &&
    next?.kind === 'item' &&
    one.text.length <= 60 &&
    /[\p{L}\p{N})]$/u.test(one.text)
  );
}

function isVerdictLabel(text: string): boolean {
  return /^[^\p{L}]*(?:\w+ ){0,3}verdict\b/u.test(text);
}

function tailDoubt(one: Statement, section: Section): string | null {
  if (section === 'optional' || isOptionalLabel(one.text)) return null;
  return sentencesOf(one.text).some(speaksInTail) ? 'goes on after the verdict' : null;
}

function doubtOf(one: Statement, section: Section, next: Statement | undefined): string | null {
  const { text } = one;
  if (one.kind === 'row') return isSevereRow(text) ? 'names a severity' : null;
  const label = severeLabel(text);
  if (label !== null && section !== 'past' && !isHarmlessLabel(label, next, text)) return 'names a severity';
  if (section !== 'past' && isAlarm(text)) return 'shows a sign of alarm';
  if (isForeign(text)) return 'is not in English';
  if (
    one.kind === 'heading' &&
    next !== undefined &&
    /^(?:status|✅|resolved|fixed)/.test(next.text) &&
    saysSettled(next.text)
  )
    return null;
  if (one.kind !== 'heading' && !isVerdictLabel(text) && isOpenEnd(text, next?.text)) return 'breaks off';
  const isMildPlace = section === 'optional' || section === 'past' || isOptionalLabel(text);
  const sentences = sentencesOf(text);
  for (const [index, sentence] of sentences.entries()) {
    // "Must anything change? No."
    if (sentence.endsWith('?') && /^(?:no|none|nothing|not)\b/.test(sentences[index + 1] ?? '')) continue;
    if (hasCondition(sentence, isMildPlace)) return 'puts a condition on it';
    if (!isMildPlace && !isTold(sentence) && speaksOfSelf(sentence)) return 'is not sure';
    const found = wordsIn(sentence, isMildPlace);
    if (found !== null && !(section === 'past' && saysSettled(text))) return found;
  }
  return null;
}

const foreignWord =
  /\b(?:le|la|les|des|du|une|est|pour|que|qui|dans|avec|sur|pas|je|nous|ce|cette|il|sont|der|die|das|und|nicht|ist|ein|eine|mit|für|auf|wird|wenn|noch|muss|el|los|las|una|es|para|con|por|como|pero|este|não|von|mir|aus|sobald|zu|ich|dem|den|im|sich|auch|wie|bei|nach|nur|oder|sind|sofern|falls|bevor|dass|keine?|à|é|être|doit|avant|si|mais|cuando|antes|quando|prima|solo|pero|uma|com|che|di|per|non|sono|een|het|niet|voor|van|ik)\b/g;
const englishWord = /\b(?:the|is|and|of|to|that|it|this|for|with|are|be|no|not|on|by|as|i)\b/g;

/** These words are English: what another language says, they would not see. */
function isForeign(text: string): boolean {
  if (/(?:(?!\p{Script=Latin})\p{L}){3}/u.test(text)) return true;
  const foreign = text.match(foreignWord)?.length ?? 0;
  return foreign >= 2 && text.split(' ', 5).length >= 5 && foreign > (text.match(englishWord)?.length ?? 0);
}

/** "Blockers:" alone is a title; the next statement then says what there is. */
function isHarmlessLabel(label: string, next: Statement | undefined, text: string): boolean {
  if (saysSettled(text)) return true;
  if (label.trim() === '') return next === undefined || isHarmless(next.text) || /verdict/.test(next.text);
  return isHarmless(label);
}

/** Of the work before, or of what the change is there to mend. */
const told =
  /\b(?:previous(?:ly)?|earlier|prior|(?:the |my )?(?:last|first|second|initial) (?:review|round|cycle|pass|verdict|version)|round \d|cycle \d|review \d|before this (?:change|fix|patch|pr)|without (?:the|this) (?:change|fix|patch|pr)|on (?:main|master|base)|old (?:code|behaviou?r|version|implementation)|pre-?existing|used to|would have|no longer|reverting the|reverted the|when (?:i )?revert\w*|if (?:i )?revert\w*|with the (?:fix|change) (?:reverted|removed)|(?:considered|wondered|asked myself|checked|looked at) (?:whether|if)|before[,:]|fails? without|fail(?:s|ed)? (?:on|before|against)\b[^.]{0,60}\bpass(?:es|ed)?|predates?|tracked in|known (?:issue|problem|limitation)|(?:my )?first (?:impression|thought|reading|instinct)|at first|initially|temporarily|deliberately|on purpose|i (?:broke|mutated|commented out))\b/;
const askedTwice =
  /\b(?:still|again|not (?:been )?(?:fixed|addressed|resolved)|remains?|unresolved|partially|persists?|but|however|must|should|needs?)\b/;

const over =
  /\b(?:was|were|had|gave|asked|requested|ended|came|fixed|resolved|addressed|gone|closed|settled|cleared|done|considered|wondered|checked|predates?)\b|✅/;

function isTold(sentence: string): boolean {
  return told.test(sentence) && !askedTwice.test(sentence);
}

function wordsIn(sentence: string, isMildPlace: boolean): string | null {
  const isOver = isTold(sentence);
  for (const { what, pattern, isDeniable, isMild } of doubtWords) {
    if (what === unread && /\b(?:generated|vendored|minified|lock ?files?)\b/.test(sentence)) continue;
    if (isMild && (isMildPlace || isMildSentence(sentence))) continue;
    if (!pattern.test(sentence)) continue;
    const all = sentence.matchAll(new RegExp(pattern, 'g'));
    for (const match of all) {
      if (!isDeniable) return what;
      const end = match.index + match[0].length;
      if ((isOver && (isMild || over.test(sentence))) || isDenied(sentence, match.index, end)) continue;
      if (isMild && isToldOf(sentence, match.index, end)) continue;
      return what;
    }
  }
  return null;
}

const unread = 'is not a whole review';
const mild =
  /\bnon-? ?block\w*|\bnot (?:a )?block\w*|\bnits?\b|\bnit-?picks?\b|\boptional\w*|\bfollow-?ups?\b|\bout of scope\b|\bpre-?existing\b|\bcosmetic\b|\btrivial\b|\bminor\b|\bnice to have\b|\bin (?:a )?(?:later|future|separate)\b|\bworth (?:a )?(?:consider|renam)|\bconsider\b|\btracked in\b|\bpredates?\b|\bfor the future\b|\bat some point\b|\bknown (?:issue|limitation|problem)/;

function isMildSentence(sentence: string): boolean {
  return mild.test(sentence);
}
