/**
 * Whether an approving review accounts for each thing that it says. A sentence that is no praise, no evidence, no
 * denial and does not tell what was changed or done may be a fault told in plain words: no list of faults can know.
 */

import { isTold } from './is-told.ts';
import { type Section, type Statement, sentencesOf } from './own-words.ts';
import { isHarmless, isOptionalLabel, sectionOf, sectionUnder } from './severe-label.ts';

/** Praise, or why it holds nothing against the change. */
const good =
  /\b(?:correct(?:ly|ness)?|right(?:ly)?|proper(?:ly)?|well|(?<!\bfor )good|clean(?:ly|er)?|fine|nice(?:ly)?|great|excellent|clear(?:ly|er)?|solid|sound|safe(?:ly)?|gracefully|careful(?:ly)?|thorough(?:ly)?|readable|readability|tidy|simple|small(?:est)?|easy|easier|helpful|helps|useful|sensible|reasonable|appropriate(?:ly)?|neat|elegant|idiomatic|consistent(?:ly)?|meaningful|sufficient(?:ly)?|holds?|matches|match|(?:just |exactly )?as (?:asked|required|requested|documented|specified|described|expected|intended|designed|before|it should|they should|the \w+ (?:asks|says|requires|wants|demands))|by design|on purpose|intentional(?:ly)?|deliberate(?:ly)?|asked for|asks (?:for|that)|requires|(?:is|are) what|opened|tried|tested|test-?case|covers?|covered|coverage|verif(?:y|ied|ies)|check(?:ed|s)|confirm\w*|ensures?|guarantees?|prevents?|avoids?|protects?|guards?|rejects?|rejected|refuses?|refused|handles?|handled|catches|caught|pass(?:es|ed)|green|unchanged|untouched|identical|preserved|fixe[sd]|resolved|addressed|removed|no longer|lgtm|high-quality|accurate|complete|ready|valid|reversible|down migration|validates?|quiet|propagated|frozen|immutable|anchored|hashable|nullable|thread-safe|in scope|bounded|additive|linear|atomic|idempotent|possible|impossible|improve\w*|convinc\w+|takes? care of|(?<!\bpart is )all there|in place|agrees?|shrinks?|dealt with|at (?:most|least)|in both|each|like|love|praise|thanks?|reviewed)\b|✅|✓|✔/;
/** What was changed, what was done, what is not there; or how a failure is answered. */
const plain =
  /\b(?:no|none|nothing|not|neither|nor|without|zero|0)\b|^(?:i|we) \w+|\b(?:i|we) (?:also )?\w+(?:ed|t|an|id|aw)\b|\b(?:new|now|before|previously|adds?|added|replaces?|replaced|moves?|moved|introduces?|extracts?|extracted|uses?|renames?|updates?|updated|implements?|refactors?|works?|was|were|done|met|ok|yes|documented|documents|describes?|follows?|meets?|bumps?|(?:written|called|read|sent|closed) (?:only |exactly )?once|included|wins?|in batches|acceptable|low|limited to|closes|releases|frees|restores|removes|retries|stops|logged|named?s?|approved?|verdict|cosmetic|redundant|perhaps|suggestions?|by default|falls? (?:back|through)|rolled back|behind a flag|only (?:what|the \w+ (?:it|that|they)|for|when|if|changes|affects)|succeeds|smaller|faster|fewer|shorter|exits?|code \d|[1-5]\d\d|o\(|(?:throws|returns?|gives|prints|raises|yields|maps \w+ to|answers?|reports?) (?:an? )?it)\b/;
/** The whole paragraph tells how it was looked at, or what became of something. */
const evidence =
  /\b(?:tests? (?:\w+ ){0,3}for|covered|verified|checked|checks|ran|tried|reproduced|traced|confirmed|compared|reviewed|went through|looked (?:at|for)|this (?:change|pr|patch|fix|diff|commit)|the (?:change|pr|patch|fix|diff|commit|refactor\w*|upgrade|implementation|approach|author|pull request))\b/;
/** Under such a title stands what was done or looked at. */
const intro =
  /chang|\b(?:criteria|requirements?|points) (?:\w+ )?(?:hold|met|satisfied|fulfilled)|look(?:ed|s)? (?:for|at)|summar|check|verif|valid|test|tried|review|does|behaviou?r|overview|scope|points|what|works|strength|good|positive|everything|assess|analysis|detail|fixed|correct|edge|highlights/;
const wordsMin = 6;

const mild =
  /\bnon-? ?block\w*|\bnot (?:a )?block\w*|\bnits?\b|\bnit-?picks?\b|\boptional\w*|\bfollow-?ups?\b|\bout of scope\b|\bpre-?existing\b|\bcosmetic\b|\btrivial\b(?! (?:to|fix))|\bminor\b|\bnice to have\b|\bneeds? no (?:action|change)\b|\bnot bother\b|\b(?:can|may|could) wait\b|\bin (?:a )?(?:later|future|separate)\b|\bworth (?:a )?(?:consider|renam)|\bconsider\b|\btracked in\b|\bpredates?\b|\bfor the future\b|\bat some point\b|\bknown (?:issue|limitation|problem)/;

const harmless =
  /\b(?:(?:is|are|was|were) (?:\w+ )?(?:expected|intended|harmless|deliberate|by design|on purpose|fine|so before|known|unrelated)|nothing to do with|(?:as|like) (?:it was |they were )?before|no concern)\b/;

export function isMildSentence(sentence: string): boolean {
  return mild.test(sentence);
}

/** "…. It is not a blocker." weighs what was said before it. */
export function isWeighedMild(next: string | undefined): boolean {
  return (
    next !== undefined &&
    /^(?:it|this|that|these|those|both|none|neither|not|nothing)\b/.test(next) &&
    (mild.test(next) || harmless.test(next))
  );
}

export function saysGood(sentence: string): boolean {
  return good.test(sentence);
}

export function isAccounted(sentence: string): boolean {
  if (sentence.endsWith('?') || isMildSentence(sentence)) return true;
  if (harmless.test(sentence) || isTold(sentence)) return true;
  return (
    good.test(sentence) ||
    plain.test(sentence) ||
    /^\d+ files? changed\b/.test(sentence) ||
    sentence.split(' ', wordsMin).length < wordsMin
  );
}

function isTitle({ text, kind }: Statement, next: Statement | undefined): boolean {
  if (kind === 'heading') return true;
  if (/[.!?]\s/.test(text)) return false;
  return (
    text.endsWith(':') || (next?.kind === 'item' && kind === 'paragraph' && /^.{1,60}[^.!?]$/.test(text))
  );
}

function hasUnaccounted(sentences: readonly string[]): boolean {
  return sentences.some((sentence, index) => !isAccounted(sentence) && !isWeighedMild(sentences[index + 1]));
}

const held =
  '(?:must-? ?fix(?:es)?|block(?:ers?|ing)|findings?|issues?|problems?|concerns?|objections?|complaints?|defects?|changes? (?:requested|required|needed)|(?:required|requested) changes?|(?:reason|case) (?:against|to (?:hold|block|reject|object|withhold)))';
const nil = new RegExp(
  `\\b(?:no|zero|0|not (?:see|find|have|think of|identify) any?|without|none of the) (?:(?:more|further|new|open|other|remaining|such|real|correctness|security|or|and|\\w+,|must-? ?fix|blocking) ){0,5}${held}\\b|(?:^|[:;,] )${held}(?: (?:issues?|items?|findings?|problems?|changes?|requested|required|points?|found|level))*\\W{1,40}(?:none|nothing|0|n\\/a|no|∅|nil|\\[ ?\\])(?![\\w-])|\\b(?:nothing|not a thing|none)(?: (?:else|more|further|left|here|at all))* (?:to (?:fix|add|change|flag|report|discuss|object|complain)|that (?:stands|speaks|blocks|must|needs|i)|stands against|blocking|new (?:turned|came)|(?:turned|came) up)\\b|\\bnothing to say\\b|\\b(?:all|both|every|each) (?:\\w+ ){0,3}(?:blockers?|findings?|points?|must-? ?fix(?:es)?) (?:\\w+ ){0,2}(?:are|is|were|was|have been) (?:\\w+ )?(?:closed|fixed|resolved|settled|addressed)\\b`,
);
const hedgedNil =
  /\b(?:i think|i guess|i suppose|as far as|jumped|quick|probably|hopefully|seems?|but|except|however|besides|apart|other than|though|yet|until|unless|if)\b/;

/** "No blockers.", "Must-fix: none": said outright that nothing is held against the change. */
export function saysNil(text: string): boolean {
  return sentencesOf(text).some(isNil);
}

function isNil(sentence: string): boolean {
  return nil.test(sentence) && !hedgedNil.test(sentence);
}

/**
 * The statements that hold a sentence that is not accounted for. Where the review says outright that it holds
 * nothing against the change, what it told before needs no account.
 */
export function unaccounted(statements: readonly Statement[]): readonly Statement[] {
  const closing = statements.findLastIndex(({ text }) => saysNil(text));
  const found: Statement[] = [];
  let isIntroduced = false;
  let isMild = false;
  let isScoped = false;
  let level: number = 7;
  for (const [index, one] of statements.entries()) {
    const { text, kind } = one;
    const sentences = sentencesOf(text);
    const last = sentences.at(-1) ?? '';
    if (isTitle(one, statements[index + 1])) {
      isIntroduced = intro.test(text);
      isScoped = /^(?:scope|what changed)\b/.test(text);
      const above: { section: Section; level: number } = { section: isMild ? 'optional' : 'plain', level };
      isMild = sectionUnder(one, above) !== 'plain';
      if (!isMild || sectionOf(text) !== 'plain') level = one.level;
      continue;
    }
    const isListed = kind === 'item' && isIntroduced;
    const isScope = /^(?:what changed|changes?|scope|summary|overview|approach)[:.] /.test(text) || isScoped;
    const isFree =
      isMild ||
      isListed ||
      isScope ||
      kind === 'row' ||
      isOptionalLabel(text) ||
      (sentences.length === 1 && isHarmless(text)) ||
      /^[{[] ?it:/.test(text);
    const open = index === closing ? sentences.slice(sentences.findLastIndex(isNil) + 1) : sentences;
    if (index >= closing && !isFree && !evidence.test(text) && hasUnaccounted(open)) found.push(one);
    if (kind === 'item') continue;
    isIntroduced = last.endsWith(':') && intro.test(last);
    isMild = last.endsWith(':') && sectionOf(last) !== 'plain';
  }
  return found;
}
