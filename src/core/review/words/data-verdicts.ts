/** Verdicts and blockers that stand as data in a review: JSON or YAML, in a fence or plain. Read line by line. */
import type { Markdown } from '../../markdown/markdown-lines.ts';

export interface DataSign {
  readonly line: number;
  /** What speaks against an approval, in words. */
  readonly what: string;
}

const lineCharsMax = 4000;
const signsMax = 20;
/** A field of YAML outside of a fence. */
const verdictField =
  /^\s{0,8}(?:- )?(?:decision|recommendation|review_decision|approved|mergeable|lgtm)\s?[:=]\s/i;
/** `<verdict>rejected</verdict>` */
const tag = /<([a-z][a-z_-]{1,30})>([^<>]{1,200})<\/[a-z_-]{2,31}>/gi;
const grade =
  /^\W{0,8}(?:overall|final|review)(?: (?:result|status|outcome|assessment|rating))?\W{0,4}[:=]\W{0,6}(?:fail|reject|not\b|no\b|block|declin|den(?:y|ied)|negative)/i;
const startsAsJson = /^\s{0,40}["'{[]/;
const verdictKey =
  /["']?\b(verdict|decision|recommendation|review_?decision|review_?status|review_?result|conclusion|outcome|status|result|state|event|action|assessment|approved|approve|lgtm|mergeable|merge|ready_?to_?merge|safe_?to_?merge|is_?approved|can_?merge|should_?merge|ship|blocking|blocker|is_?blocking|is_?blocker|must_?fix|severity|priority|level|blockers?_?count|blockers|blocking_?issues|critical_?issues|critical|required_?changes|changes_?requested|conditions?|requirements?|must_?fixes)\b["']?\s{0,4}[:=]\s{0,4}("[^"]{0,200}"|'[^']{0,200}'|\[\s{0,20}\]?|\{\s{0,20}\}?|[^\s,}\]]{1,60})?/gi;
const approving =
  /^(?:✅_?)?(?:approve[ds]?|approved_with_(?:follow_?ups|suggestions)|lgtm|accept(?:ed)?|pass(?:ed)?|ok|okay|merge|ship(?:_it)?|yes|good|true|ready(?:_to_merge)?)(?:_?✅|[.!])?$/;

export function dataAgainst(markdown: Markdown): readonly DataSign[] {
  const signs: DataSign[] = [];
  for (const block of markdown.blocks) {
    const language = block.info.split(/[\s{:]/)[0] ?? '';
    if (!/^(?:json[c5l]?|ya?ml|toml|)$/i.test(language)) continue;
    const lines = block.text.slice(0, 200_000).split('\n');
    for (const [index, line] of lines.entries()) {
      // A list in YAML begins on the line below its key.
      const isList = /:\s{0,8}$/.test(line) && /^\s{0,40}- /.test(lines[index + 1] ?? '');
      const isData = language !== '' || startsAsJson.test(line);
      readLine(signs, isList ? `${line} [` : line, block.line + 1 + index, isData);
    }
  }
  for (const { text, standing, number } of markdown.lines) {
    if (standing === 'hidden') continue;
    if (grade.test(text)) signs.push({ line: number, what: 'gives another verdict' });
    readLine(signs, text, number, startsAsJson.test(text) || verdictField.test(text));
  }
  return signs;
}

function readLine(signs: DataSign[], line: string, number: number, isData: boolean): void {
  if (signs.length >= signsMax) return;
  const tagged = line.slice(0, lineCharsMax).replace(tag, ' $1: "$2" ');
  if (!isData && tagged === line) return;
  for (const [, key = '', raw = ''] of tagged.matchAll(verdictKey)) {
    const value = raw
      .replace(/["'`*_]{1,4}(?=\w)|(?<=\w)["'`*]{1,4}/g, '')
      .replace(/["']/g, '')
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, '_');
    if (isAgainst(key.toLowerCase().replaceAll('_', ''), value)) {
      signs.push({ line: number, what: `has ${key}: ${value.slice(0, 40)} in its data` });
    }
  }
}

/** What each kind of key must hold to speak against an approval; the first whose name fits decides. */
const kinds: readonly (readonly [name: RegExp, isAgainst: (value: string) => boolean])[] = [
  [
    /^(?:status|result|state|event|action|outcome)$/,
    (value) =>
      /chang\w*_?requ|request_?chang|needs_?(?:chang|disc|work)|not_?approv|^reject|^block/.test(value),
  ],
  [
    /^(?:verdict|decision|recommendation|review\w+|conclusion|assessment)$/,
    (value) => value !== '' && !approving.test(value),
  ],
  [
    /^(?:severity|priority|level)$/,
    (value) => /^(?:blocker|blocking|critical|crit|high|major|severe|p[01]|urgent|must_fix)$/.test(value),
  ],
  [/^blocking$/, (value) => /^(?:true|yes|[1-9])/.test(value)],
  [/^(?:(?:is)?blocker|isblocking|mustfix)$/, (value) => /^(?:true|yes)/.test(value) || isFilled(value)],
  [
    /^(?:approved?|lgtm|(?:can|should)?merge(?:able)?|(?:ready|safe)tomerge|isapproved|ship)$/,
    (value) => /^(?:false|no|0|null)$/.test(value),
  ],
];

function isAgainst(key: string, value: string): boolean {
  return (kinds.find(([name]) => name.test(key))?.[1] ?? isFilled)(value);
}

/** A list, a number or a text that is something. */
function isFilled(value: string): boolean {
  return !/^(?:|\[_?\]|\{_?\}|0|none|null|~|false|no|n\/a|nil|true|yes)$/.test(value);
}
