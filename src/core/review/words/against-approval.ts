/**
 * What in the author's own words does not go with an approval: another verdict, a condition, a blocker, a severe
 * fault, a mind that changed, a text that is not whole. English, as reviewers write it. It errs towards a doubt:
 * that costs one short question, and an approval that nobody gave costs more.
 */

import type { MarkdownLine } from '../../markdown/markdown-lines.ts';
import { isMildSentence, saysGood, saysNil, unaccounted } from './accounted.ts';
import { hasCondition, isOpenEnd, speaksInTail } from './condition.ts';
import { doubtWords } from './doubt-words.ts';
import { speaksOfSelf } from './first-person.ts';
import { isDenied, isToldOf, saysSettled } from './is-denied.ts';
import { isTold, tellsOfMutation } from './is-told.ts';
import { openMatter } from './open-matters.ts';
import { ownStatements, type Section, type Statement, sentencesOf } from './own-words.ts';
import {
  isAlarm,
  isHarmless,
  isLegend,
  isOptionalLabel,
  isSevereRow,
  sectionOf,
  sectionUnder,
  severeLabel,
} from './severe-label.ts';

export interface Doubt {
  readonly line: number;
  readonly what: string;
  /** A clear answer when asked again settles it. */
  readonly isSoft?: true;
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
  /** Most is said before the verdict: what comes after is an addition. */
  const isAdded = statements.some(({ line, kind }) => kind !== 'heading' && line < verdictLine);
  /** Below a verdict that opens the review stands the review itself. */
  const first = statements.find(({ line, text }) => line > verdictLine && !isVerdictLabel(text));
  let section: Section = 'plain';
  let level = 7;
  let title: Statement | null = null;
  for (const [index, one] of statements.entries()) {
    if (doubts.length >= doubtsMax) break;
    const next = statements[index + 1];
    const add = (what: string): number => doubts.push({ line: one.line, what });
    const isTitle = one.kind === 'heading' || /^[^.!?]{1,80}:$/.test(one.text) || isBoldTitle(one, next);
    if (one.kind !== 'row' && isTitle && !isVerdictLabel(one.text)) {
      const within = sectionUnder(one, { section, level });
      if (within === 'plain' || sectionOf(one.text) !== 'plain') level = one.level;
      section = within;
      title = section === 'severe' ? one : null;
      if (hasCondition(one.text, false)) add('puts a condition on it');
      if (section === 'severe' || one.kind !== 'heading') continue;
    } else if (title !== null && !isVerdictLabel(one.text)) {
      if (!isHarmless(one.text)) add('has something under a title for blockers');
      title = null;
    }
    const isAfter = verdictLine > 0 && one.line > verdictLine;
    const isTail = isAfter && (isAdded || one === first);
    const what = doubtOf(one, section, next) ?? (isTail ? tailDoubt(one, section, isAdded) : null);
    const isOther = isAfter && isVerdictLabel(one.text) && !/approv/.test(one.text);
    if (what !== null) add(what);
    else if (isOther && one.kind !== 'heading') add('gives another verdict');
    else {
      const soft = softDoubtOf(one, section, [statements[index - 1], next], isAfter && isAdded);
      if (soft !== null) doubts.push({ line: one.line, what: soft, isSoft: true });
    }
    if (isVerdictLabel(one.text)) section = 'plain';
  }
  if (doubts.length > 0) return doubts;
  return unaccounted(statements).map(({ line }) => ({
    line,
    what: 'says what may be a fault',
    isSoft: true,
  }));
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

function tailDoubt(one: Statement, section: Section, isAdded: boolean): string | null {
  if (section === 'optional' || isOptionalLabel(one.text) || saysNil(one.text)) return null;
  const speaks = (sentence: string) => speaksInTail(sentence, isAdded);
  return sentencesOf(one.text).some(speaks) ? 'goes on after the verdict' : null;
}

function softDoubtOf(
  one: Statement,
  section: Section,
  [before, next]: readonly (Statement | undefined)[],
  isAddition: boolean,
): string | null {
  if (section !== 'plain' && section !== 'severe') return null;
  if (isOptionalLabel(one.text)) return null;
  const open = openMatter(one, next, before);
  if (open !== null || !isAddition) return open;
  return sentencesOf(one.text).every(isPlainRemark) ? null : 'goes on after the verdict';
}

/** "Thanks for the tests.", "Blockers: 0", "Cycle: 2": may stand after a verdict that ends the review. */
function isPlainRemark(sentence: string): boolean {
  if (sentence.split(' ', 3).length < 3 || /[:=] ?(?:0|none|no|n\/a)\.?(?: -+)?$/.test(sentence)) return true;
  return (
    saysGood(sentence) ||
    isHarmless(sentence) ||
    isMildSentence(sentence) ||
    isVerdictLabel(sentence) ||
    isTold(sentence) ||
    metAll.test(sentence)
  );
}

const metAll =
  /\b(?:all|every|each|both) (?:of )?(?:the )?(?:\w+ ){0,3}(?:criteri\w+|requirements?|points?|items?) (?:is|are|was|were|has been|have been|now)? ?(?:met|done|satisfied|fulfilled|covered|implemented)\b/;

/** "Must anything change? No.", "Would I merge it? Yes." */
function isAnsweredWell(question: string, answer: string): boolean {
  if (/^(?:no|none|nothing|not)\b/.test(answer)) return true;
  return (
    /^yes\b/.test(answer) &&
    /^(?:would i|is it|are (?:they|all)|does (?:it|this)|do they|can (?:it|this))\b/.test(question)
  );
}

const norm = /\b(?:must|should|shall|never|if|when|only|may)\b/;

function doubtOf(one: Statement, section: Section, next: Statement | undefined): string | null {
  const { text } = one;
  if (isLegend(text)) return null;
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
  const isMutation = tellsOfMutation(text);
  const isMildPlace = section === 'optional' || section === 'past' || isOptionalLabel(text);
  const sentences = sentencesOf(text);
  for (const [index, sentence] of sentences.entries()) {
    if (section === 'task' && norm.test(sentence)) continue;
    if (sentence.endsWith('?') && isAnsweredWell(sentence, sentences[index + 1] ?? '')) continue;
    if (hasCondition(sentence, isMildPlace)) return 'puts a condition on it';
    if (!isMildPlace && !isTold(sentence) && speaksOfSelf(sentence)) return 'is not sure';
    const found = wordsIn(sentence, isMildPlace);
    if (isMutation && found === failing) continue;
    if (found !== null && !(section === 'past' && saysSettled(text))) return found;
  }
  return null;
}

const foreignWord =
  /(?<!\p{L})(?:le|la|les|des|du|une|est|pour|que|qui|dans|avec|sur|pas|je|nous|ce|cette|il|sont|der|die|das|und|nicht|ist|ein|eine|mit|für|auf|wird|wenn|noch|muss|el|los|las|una|es|para|con|por|como|pero|este|não|von|mir|aus|sobald|zu|ich|dem|den|im|sich|auch|wie|bei|nach|nur|oder|sind|sofern|falls|bevor|dass|keine?|à|é|être|doit|avant|si|mais|cuando|antes|quando|prima|solo|pero|uma|com|che|di|per|non|sono|een|het|niet|voor|van|ik|hay|y|muy|sin|del|al|faltan?|está|están|nem|mas|na|um|jeg|ikke|och|är|som|att|på|med|av|nie|jest|się|że|ve|bu|için|değil|yang|tidak|[\p{L}]*[à-öø-ÿąćęłńśźżčďěňřšťůžğışőű][\p{L}]*)(?!\p{L})/gu;
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

const over =
  /\b(?:was|were|had|gave|asked|requested|ended|came|fixed|resolved|addressed|gone|closed|settled|cleared|done|considered|wondered|checked|predates?)\b|\b(?:main|master|base)\b.{0,20} (?:too|as well)\b|✅/;

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

const failing = 'says that checks fail';

const unread = 'is not a whole review';
