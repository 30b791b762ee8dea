/**
 * Outside text (a task, an agent's summary, a comment) that gza puts into commits, bodies and comments must not act
 * there: wake people, close issues, skip CI, forge trailers or gza's own markers, hide something. Each acting
 * character is replaced by its full-width twin: the text stays readable, no reader of any platform acts on it, and
 * doing it twice changes nothing. Also inside code: no two programs agree where Markdown's code ends.
 */
import { removeHidden } from './hidden-characters.ts';

export type TextPlace = 'commit' | 'comment' | 'body';

// Not \b: Markdown takes the underscores of `_fixes_ #1` away.
const closing =
  /(?<![A-Za-z0-9])(?:close[sd]?|closing|fix(?:e[sd]|ing)?|resolve[sd]?|resolving|implement(?:s|ed|ing)?)(?![A-Za-z0-9])/i;

export function neutraliseText(text: string, where: TextPlace): string {
  let safe = removeHidden(text)
    // An entity would become the very character after the checks below.
    .replace(/&(?=#|commat;|num;|sol;|lt;|colon;|lbrack;|lsqb;)/gi, '＆')
    .replace(/<!--/g, '<！--')
    .replace(/(?<![A-Za-z0-9])@(?=[A-Za-z0-9_[-])/g, '＠')
    .replace(/(?<=@)@|@(?=@)/g, '＠')
    .replace(
      /\[(?=[^\]\n]{0,60}\])(?=[^\]\n]{0,60}\b(?:skip|no)[\s_-]{0,9}[a-z]|[^\]\n]{0,60}[a-z][\s_-]{0,9}skip\b)/gi,
      '［',
    )
    .replace(/\*\*\*(?=NO_CI\*\*\*)/gi, '＊＊＊')
    .replace(/^([\s>*+.\d-]{0,40})\/(?=gza\b)/gim, '$1／');
  safe = withoutClosingReferences(safe);
  return where === 'comment' ? safe : withoutTrailers(safe);
}

/** One line of it, for titles and subjects. */
export function neutraliseLine(text: string, where: TextPlace, lengthMax: number): string {
  const line = neutraliseText(text.replace(/[\r\n\t ]+/g, ' '), where).trim();
  return line.length <= lengthMax ? line : `${cut(line, lengthMax - 1).trimEnd()}…`;
}

/** Not in the middle of a character. */
function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

/** References on a line with a closing keyword, and on the next: a keyword may stand at the end of a line. */
function withoutClosingReferences(text: string): string {
  let wasClosing = false;
  return text
    .split('\n')
    .map((line) => {
      const isClosing = closing.test(line);
      const acts = isClosing || wasClosing;
      wasClosing = isClosing || (wasClosing && line.trim() === '');
      if (!acts) return line;
      return line
        .replace(/#(?=\d)/g, '＃')
        .replace(/\b(GH|[A-Z][A-Z0-9]{0,9})-(?=\d)/gi, '$1－')
        .replace(/\b(https?):(?=\/\/[^\s]{1,300}\/(?:issues|pull|work_items|merge_requests)\/)/gi, '$1：');
    })
    .join('\n');
}

/** Footers that git, forges or robots for releases act on; `feat!:` releases a new major version. */
const trailer =
  /^([^\S\n]*(?:task|cc|bug|closes|fixes|refs|skip-checks|breaking[\s_-]change|gza[\w-]*|[a-z]+(?:\([^)\n]{0,80}\))?!|[a-z]+(?:-[a-z0-9]+){1,5}))([^\S\n]*)(?::|(?<=breaking[\s_-]change)(?= #))/gim;

function withoutTrailers(text: string): string {
  return text
    .replace(trailer, '$1$2：')
    .replace(/^(\s{0,40})\((?=cherry picked from commit\b)/gim, '$1（')
    .replace(/\b(BEGIN|END)_(?=(?:NESTED_)?COMMIT)/g, '$1＿');
}
