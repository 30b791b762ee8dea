/** What a page says is printed, compared with what was: ids, hashes, dates and durations may differ, and stay the same. */

export class Printed {
  readonly #ids = new Map<string, string>();

  constructor(ids: Readonly<Record<string, string>> = {}) {
    for (const [shown, id] of Object.entries(ids)) this.#ids.set(shown, id);
  }

  /** A command as it is typed here. A number stands for an id where it is a word of its own. */
  typed(command: string): string {
    return command
      .replaceAll(/task-[0-9a-f]{4}\b/g, (id) => this.#ids.get(id) ?? id)
      .replaceAll(/(?<=[ /])\d+(?=[ -]|$)/g, (number) => this.#ids.get(number) ?? number);
  }

  matches(expected: readonly string[], lines: readonly string[]): boolean {
    if (expected.length === 0) return lines.length === 0;
    const [first = '', ...rest] = expected;
    if (first === '…') {
      return rest.length === 0 || lines.some((_, at) => this.matches(rest, lines.slice(at)));
    }
    const [line, ...others] = lines;
    return line !== undefined && this.fits(first, line) && this.matches(rest, others);
  }

  fits(expected: string, line: string): boolean {
    const unknown: string[] = [];
    const parts = expected
      .split(
        /(task-[0-9a-f]{4}\b|#\d+\b|^\W*\d+[.:] |…|\b[0-9a-f]{7,40}\b|\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d\d\/\d\d\b|\b\d+ s\b)/,
      )
      .map((part, at) => (at % 2 === 0 ? literal(part) : this.#pattern(part, unknown)));
    const match = new RegExp(`^${parts.join('')}$`).exec(line);
    if (!match) return false;
    for (const [at, id] of unknown.entries()) this.#ids.set(id, match[at + 1] as string);
    return true;
  }

  #pattern(part: string, unknown: string[]): string {
    if (part === '…') return '.*';
    if (/^#\d|[.:] $/.test(part))
      return literal(part.replace(/\d+/, (number) => this.#ids.get(number) ?? number));
    if (part.endsWith(' s')) return String.raw`\d+ s`;
    if (part.includes('/')) return String.raw`\d\d/\d\d`;
    if (part.includes(':')) return String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
    if (!part.startsWith('task-')) return '[0-9a-f]{7,40}';
    const known = this.#ids.get(part);
    if (known !== undefined) return literal(known);
    const at = unknown.indexOf(part);
    if (at >= 0) return `\\${at + 1}`;
    unknown.push(part);
    return '(task-[0-9a-f]{4,8})';
  }
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
