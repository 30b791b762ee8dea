/**
 * The grammar of one line with a verdict. It is strict with approvals: a line that hedges one ("once X is
 * fixed"), negates it or offers a choice is `unclear`.
 */
import { type Verdict, verdicts } from './verdict.ts';

export type Statement =
  /** `remark`: the reviewer's text after the verdict. */
  | { readonly kind: 'verdict'; readonly verdict: Verdict; readonly remark: string }
  /** Only the label; the verdict is on the next line. */
  | { readonly kind: 'label' }
  /** It mentions a verdict but gives none. `isAgainst`: it speaks against an approval. */
  | { readonly kind: 'unclear'; readonly isAgainst: boolean };

const lineCharsMax = 2000;

const label =
  /^(?:(?:the|my|our|final|overall|review|reviewer|reviewer's|code|new|current|updated|summary|pr|and|(?:round|cycle|review) #?\d{1,3})[\s:]+){0,4}verdict\b(?!['’])/i;
const qualifier =
  /^\s*\((?:final|overall|current|(?:round|cycle|review)? ?#?\d{1,3}(?: ?(?:\/|of) ?\d{1,3})?)\)/i;
const separator = /^\s*(?:\bis\b\s*:?|[:：|→=]|[-–—]{1,3}>?|=>)+\s*/iu;

/** Reads the line as `Verdict: X`; null when it is about something else. */
export function readVerdictLine(line: string): Statement | null {
  const text = plain(line.slice(0, lineCharsMax));
  const named = label.exec(text);
  if (named === null) return null;
  let rest = text.slice(named[0].length);
  rest = rest.slice(qualifier.exec(rest)?.[0].length ?? 0);
  if (line.length > lineCharsMax) return { kind: 'unclear', isAgainst: true };
  const parted = separator.exec(rest);
  if (rest.trim() === '' || (parted !== null && stripped(rest.slice(parted[0].length)) === '')) {
    return hasNegativeSign(rest) ? { kind: 'unclear', isAgainst: true } : { kind: 'label' };
  }
  // Without a separator, as in "Verdict APPROVED", only capitals count: otherwise it is a sentence.
  if (parted === null && !/^\s+[^\p{L}\p{N}]*[A-Z_]{4}/u.test(rest)) return unclear(rest);
  const statement = readVerdictValue(rest.slice(parted?.[0].length ?? 0));
  const isDenied = statement.kind === 'verdict' && statement.verdict === 'APPROVED' && hasNegativeSign(line);
  return isDenied ? { kind: 'unclear', isAgainst: true } : statement;
}

const sign = String.raw`(?:\p{Extended_Pictographic}|\uFE0F|✓|✔|☑|\s)`;
const name = 'verdict|decision|recommendation|status|outcome|conclusion|result';
const atEnd = new RegExp(
  String.raw`^\s{0,3}(?![-*+•>|#]\s|\d+[.)]\s|\||>)(.{1,2000}(?:[.!?)\p{Extended_Pictographic}]|\s[–—]))\s+(\*{0,2}(?:(?:final|overall|my) )?(?:${name})\b.{3,50})$`,
  'iu',
);
const bold = /^\*\*verdict(?:\*\*\s?:|\s?:\*\*|\s?:)\s?(?:\*\*)?[A-Z_]{7,20}(?:\*\*)?\s*$/i;

/**
 * Reads a verdict after whole sentences at the end of a line, as in "All is well. Verdict: X", if it is bold
 * or in the requested capitals. `before` is the text in front of it.
 */
export function readVerdictAtEnd(line: string): { before: string; verdict: string } | null {
  const found = line.length > lineCharsMax ? null : atEnd.exec(line);
  if (found === null || readVerdictLine(line) !== null) return null;
  const [, before = '', said = ''] = found;
  const plainly = readPlainVerdict(said);
  if (bold.test(said)) return { before, verdict: said };
  return plainly === null ? null : { before, verdict: `Verdict: ${plainly}` };
}

const plainVerdict = new RegExp(
  String.raw`^${sign}*(#{1,6}\s+|\*\*|__)?${sign}*((?:(?:my|the|final|overall|review|reviewer) )*(?:${name})\s?(?:[:=]|[-–—]{1,2}>?|→)\s*)?${sign}*(APPROVED|CHANGES_REQUESTED|NEEDS_DISCUSSION)${sign}*[.!]?(\*\*|__)?${sign}*$`,
  'iu',
);

/**
 * Reads "Decision: APPROVED", or the word alone as a heading, in bold or with an emoji. This is a verdict
 * only at the start or end of the answer.
 */
export function readPlainVerdict(line: string): Verdict | null {
  if (line.length > 120 || hasNegativeSign(line)) return null;
  const [, mark, named, word] =
    plainVerdict.exec(line.replace(/(?<=[:=–—-] ?)(?:\*\*|__|`)(?=[A-Z])|`|(?<=:)\*\*/g, '')) ?? [];
  const isMeant = mark !== undefined || named !== undefined || !/^\w+\s*$/.test(line);
  return isMeant ? (verdicts.find((verdict) => verdict === word) ?? null) : null;
}

/** Reads the value after the label, or on the line below it. */
export function readVerdictValue(value: string): Statement {
  const text = stripped(plain(value.slice(0, lineCharsMax)));
  const found = verdictAt(text);
  if (found === null || value.length > lineCharsMax) return unclear(text);
  const tail = text.slice(found.length).replace(/^["'”’`_*]+/, '');
  const isTaken = found.verdict === 'APPROVED' ? confirms(tail) && !hasNegativeSign(value) : follows(tail);
  return isTaken ? { kind: 'verdict', verdict: found.verdict, remark: remarkOf(tail) } : unclear(value);
}

const words: readonly (readonly [Verdict, RegExp])[] = [
  [
    'APPROVED',
    /^approved?(?:[\s_-]with[\s_-](?:(?:minor|small|optional|non-?blocking)[\s_-])?(?:follow[\s_-]?ups?|suggestions))?(?![\p{L}\p{N}_])/iu,
  ],
  [
    'CHANGES_REQUESTED',
    /^(?:changes?[\s_-]{0,3}(?:are )?(?:requested|required|needed)|request(?:ed|ing)?[\s_-]{1,3}changes?|needs?[\s_-]{1,3}changes?)(?![\p{L}\p{N}_])/iu,
  ],
  [
    'NEEDS_DISCUSSION',
    /^(?:needs?[\s_-]{0,3}discussion|discussion[\s_-]{1,3}(?:needed|required))(?![\p{L}\p{N}_])/iu,
  ],
];

function verdictAt(text: string): { verdict: Verdict; length: number } | null {
  for (const [verdict, pattern] of words) {
    const match = pattern.exec(text);
    if (match !== null) return { verdict, length: match[0].length };
  }
  return null;
}

const another = /^[\s"'`]*(?:[/|,&+]|or\b|and\b|vs\b|[-=]?>|→)?[\s"'`(]*/i;

/**
 * Whether the text may follow a verdict that does not approve: anything but a second verdict or the rest of a
 * sentence.
 */
function follows(tail: string): boolean {
  if (verdictAt(tail.replace(another, '')) !== null || /\bverdict\b/i.test(tail)) return false;
  return /^\s*(?:$|[.,;:!()[\]|/–—-]|because\b|due\b|for\b|as\b|since\b|until\b|with\b)/i.test(tail);
}

const praise =
  /\b(?:no|zero|0|without)\s+(?:(?:more|further|remaining|outstanding|open|other|new|critical|blocking)\s+)*(?:blockers?|issues?|findings?|changes?|problems?|concerns?|objections?|comments?|suggestions?)(?:\s+(?:needed|required|requested|found|remain(?:ing)?|left))?|\b(?:the|this|an?)\s+(?:\w+\s+)?change\b/gi;
const resolved =
  /\ball\s+(?:(?:of|the|previous|earlier|prior|requested|review|blocking|open)\s+){0,4}(?:blockers?|issues?|findings?|changes?|comments?|concerns?|points?)\s+(?:(?:from|of|in)\s+(?:the\s+)?(?:previous|earlier|last|first)\s+(?:review|round|cycle)\s+)?(?:(?:are|were|have been|now)\s+){0,2}(?:fixed|resolved|addressed|made)\b/gi;
const hedge =
  /\b(?:if|once|when|unless|after|until|till|provided|providing|pending|assuming|subject|condition\w*|but|except\w*|however|not|never|cannot|no|nope|without|though|although|only|would|should|could|might|may|must|needs?|require\w*|fix\w*|before|contingent|long|chang\w*|block\w*|todo|tbd|request\w*|reject\w*|discuss\w*|with|modulo|minus|barring|partial\w*|tentative\w*|provisional\w*|almost|verdict|see|revoked?|withdrawn|retracted|example|template|placeholder|previous\w*|earlier|wait|please|actually|kidding|joke|false|wrong|unsafe|fail\w*|broken|to be|still|remaining)\b|n['’]t\b/i;

const order =
  /(?:^|[.,;:!–—-]\s*|\band )(?:first|make|add|remove|rename|address|resolve|run|update|rebase|move|replace|or)\b/i;

const milder =
  /\b(?:not|no|never|without|with|see|before|after|when|only|fix\w*|fail\w*|chang\w*|block\w*|wrong|broken|unsafe|false|earlier|previous\w*|long|request\w*|reject\w*|example|template)\b|n['’]t\b/gi;
const remark =
  /^\s*(?:[–—-]{1,2}\s|[.:;]\s)\s*(?!(?:if|once|when|after|before|with|not|no|never|only|see|fix|until|unless)\b)(?=(?:\S+\s+){4})/i;

/** A whole sentence after the verdict is a remark, which is weighed like all other sentences. */
function remarkOf(tail: string): string {
  return remark.test(tail) ? tail.replace(/^[\s–—:;.-]+/, '') : '';
}

/** Brackets may explain an approval, as in "(0 blockers)", but not limit it, as in "(style)". */
const weighed =
  /\b(?:no|none|zero|0|all|every\w*|cycle|round|pass|final|lgtm|tests?|clean|good|great|well|follow|non|optional|suggestions?|nits?|confidence|score|\d+)\b/i;

/** Whether the text may follow an approval: it is empty, or a remark that takes nothing back. */
function confirms(tail: string): boolean {
  if (/^[\s.!|)\]]*$/.test(tail)) return true;
  // The line is cut off.
  if (/[,;:(–—-]\s*$/.test(tail)) return false;
  if (/^\s*\(/.test(tail) && !weighed.test(tail.slice(0, 200))) return false;
  const said = remarkOf(tail) === '' ? tail : tail.replace(milder, ' ');
  const rest = said.replace(praise, ' ').replace(resolved, ' ');
  return /^\s*[.,;:!()[\]|–—-]/.test(tail) && !/[?~]/.test(tail) && !hedge.test(rest) && !order.test(rest);
}

const against =
  /chang|request|discuss|reject|\bnot\b|n['’]t\b|\bnever\b|block|\bfail|declin|den(?:y|ied)|\bneeds?\b|(?:dis|un)approv|\bno\b/i;

function unclear(text: string): Statement {
  const isHedged = /approv/i.test(text) && hedge.test(text);
  return { kind: 'unclear', isAgainst: isHedged || against.test(text) || hasNegativeSign(text) };
}

function hasNegativeSign(text: string): boolean {
  return /[❌🚫⛔✗✘✖🛑🔴👎]|:x:|:no_entry|:-1:|:thumbsdown:/u.test(text);
}

/** The line without Markdown: list marker, heading, table bar, emphasis, simple tags. */
function plain(line: string): string {
  let text = line
    .replace(/^\s*<verdict>([^<>]{1,40})<\/verdict>\s*$/i, 'Verdict: $1')
    .replace(/<\/?(?:b|strong|em|i|u|p|h[1-6]|div|span|center|details|summary)\s*>|<br\s*\/?>/gi, ' ')
    .replace(/\\([*_#-]|$)/g, '$1')
    .trim();
  const marker = /^(?:[-*•]\s+|[=-]>\s+|\d{1,3}[.)]\s+|#{1,6}\s+|\||\[[xX]\]\s+)\s*/;
  for (let count = 0; count < 4 && marker.test(text); count += 1) text = text.replace(marker, '');
  const bare = text.replace(/\*+/g, '').replace(/(?<![\p{L}\p{N}_])_{1,3}|_{1,3}(?![\p{L}\p{N}_])/gu, '');
  return withoutSigns(bare.replace(/\s#+$/, ''));
}

const signs =
  /^(?:\s|\p{Extended_Pictographic}|[\u{1F3FB}-\u{1F3FF}]|\uFE0F|\u{200D}|✓|✔|☑|:(?:white_check_mark|heavy_check_mark|\+1|thumbsup|tada|warning|rocket|x):)+/u;

function withoutSigns(text: string): string {
  return text.replace(signs, '');
}

/** The value without leading emoji, quotes and backticks, and without trailing emoji. */
function stripped(text: string): string {
  const value = withoutSigns(text).replace(/^["'“‘`]{1,3}/, '');
  return withoutSigns(value)
    .replace(/:(?:white_check_mark|heavy_check_mark|\+1|thumbsup|tada|rocket|sparkles|warning):/g, '')
    .replace(/(?:\p{Extended_Pictographic}|[\u{1F3FB}-\u{1F3FF}]|\uFE0F|\u{200D}|✓|✔|☑)+/gu, ' ')
    .trim();
}
