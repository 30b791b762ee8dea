/**
 * Finds the question that an agent ended with instead of working. Used only for answers that changed no file:
 * a text mistaken for a question goes to a person, and a missed question is a failed try.
 */
import { lineEnd, readMarkdown } from '../markdown/markdown-lines.ts';

/** An agent asks at the end, and lists choices after the question. */
const closingParagraphs = 10;
const closingChars = 4_000;
const closingLines = 200;
const lineChars = 2_000;

/** The question and all that follows it, as written; null if there is none. */
export function questionIn(answer: string): string | null {
  const lines = readMarkdown(answer).lines.filter(({ standing }) => standing !== 'hidden');
  const starts = lines.filter(({ text }, at) => text.trim() !== '' && !lines[at - 1]?.text.trim());
  const from = starts.at(-closingParagraphs)?.number ?? 1;
  const closing = lines.filter(({ number, heading }) => number >= from && !heading).slice(-closingLines);
  const said = closing.map(({ text }) => text.slice(0, lineChars)).join('\n');
  const saysDone = doneWords.some((words) => words.test(said.slice(-closingChars)));
  const first = closing.find(({ text }) => asks(text.slice(-lineChars), saysDone));
  if (first === undefined) return null;
  const all = answer.split(lineEnd);
  // The text before it in its paragraph says what it is about.
  let start = first.number - 1;
  while (start > 0 && all[start - 1]?.trim()) start -= 1;
  return all.slice(start).join('\n').trim().slice(0, closingChars);
}

function asks(line: string, saysDone: boolean): boolean {
  const sentences = line.split(/(?<=[.!?？])["')*_\]]{0,4}\s+/);
  return sentences.some((sentence, at) => {
    if (courtesy.test(sentence) || (saysDone && offer.test(sentence))) return false;
    const isQuestion = /[?？]["')*_\]`\s]{0,8}$/.test(sentence);
    if (isQuestion) return at === sentences.length - 1 || toPerson.test(sentence);
    return needs.some((words) => words.test(sentence));
  });
}

/** "Nothing to do" and "already done" are not questions, nor are offers that come with them. */
const doneWords = [
  /\b(?:nothing|no work)(?: \w+){0,2} (?:to (?:do|change|fix|implement|add)|(?:is|was) needed)\b/i,
  /\bno (?:\w+ ){0,2}changes? (?:(?:is|are|was|were) )?(?:needed|required|necessary)\b/i,
  /\balready (?:\w+ ){0,2}(?:done|implemented|exists?|present|in place|fixed|complete|satisfied|there|works|passes|covered|handled)\b/i,
  /\b(?:I|we)(?:'ve| have)? (?:now )?(?:implemented|added|fixed|created|updated|finished|completed|written|changed)\b/i,
  /\b(?:is|are) (?:now |all )?(?:done|complete|completed|finished|implemented)\b/i,
];

const offer =
  /\b(?:would you like|do you want|want me to|shall I|should I (?:also|now|next|go on)|may I also|let me know if|if you(?:'d| would) like)\b/i;

const courtesy =
  /\b(?:any(?:thing|one)? (?:else|other|further|more|questions?|feedback)|something else|how can I help|feel free|happy to help|hope this helps)\b/i;

const toPerson =
  /\b(?:you|your|(?:should|shall|do|may|can|could|must|am) I|should (?:it|this|that|the|we)|which)\b/i;

const what =
  '(?:decisions?|clarif\\w+|confirmation|inputs?|answers?|guidance|direction|approval|permission|go-ahead|details?|information|context|credentials?|specifics?|requirements?)';

const needs = [
  new RegExp(
    `\\b(?:I|we)(?:'ll| will| would)?(?: still| first)? (?:need|require)\\b.{0,80}\\b(?:you|${what})\\b`,
    'i',
  ),
  new RegExp(
    `\\b${what} (?:from you |from a person )?(?:is|are) (?:still )?(?:needed|required|missing)\\b`,
    'i',
  ),
  new RegExp(`\\b(?:needs|requires)\\b.{0,40}\\b(?:decision|clarification|your)\\b`, 'i'),
  new RegExp(`\\b(?:await|awaiting|wait(?:ing)? (?:for|on))\\b.{0,30}\\b(?:you|your|${what})\\b`, 'i'),
  /\b(?:please|kindly) (?:clarify|confirm|advise|specify|choose|pick|decide|provide|tell me|let me know|answer|share|point me|reply)\b/i,
  /\b(?:let me know|tell me|say|specify) (?:which|what|how|whether|where|who|when|if you(?:'d| would)? (?:prefer|rather|want|like))\b/i,
  /\b(?:can(?:not|'t|’t)|could not|unable to|not able to|won't|will not) (?:safely )?(?:proceed|continue|start|begin|go on|go ahead|implement|do (?:this|it))\b.{0,120}\b(?:without|until|unless|before)\b/i,
  /\bbefore I (?:can )?(?:start|begin|proceed|continue|implement|go|make|write|change|touch)\b/i,
  /^\W{0,6}(?:open )?questions?(?: for (?:you|a person|the \w+))?\s?[:：]\s{0,3}\S/i,
];
