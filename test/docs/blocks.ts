/** The fenced blocks of a page, with the words behind their fence: ```console test any-order. */
export interface Block {
  readonly language: string;
  /** What comes after the language; `file=tasks/a.yml` is a word like the others. */
  readonly words: readonly string[];
  readonly text: string;
  /** Of the first line inside. */
  readonly line: number;
}

export function blocksIn(page: string): Block[] {
  const blocks: Block[] = [];
  let open: { fence: string; info: string[]; lines: string[]; line: number } | null = null;
  for (const [at, line] of page.split('\n').entries()) {
    const mark = /^(`{3,})\s*(.*)$/.exec(line);
    if (open && mark && mark[1] === open.fence && mark[2] === '') {
      const [language = '', ...words] = open.info;
      blocks.push({ language, words, text: `${open.lines.join('\n')}\n`, line: open.line });
      open = null;
    } else if (open) open.lines.push(line);
    else if (mark)
      open = { fence: mark[1] as string, info: (mark[2] as string).split(/\s+/), lines: [], line: at + 2 };
  }
  if (open) throw new Error(`the block at line ${open.line} is never closed`);
  return blocks;
}

export function fileOf({ words }: Block): string | undefined {
  return words.find((word) => word.startsWith('file='))?.slice('file='.length);
}

/** The page without its blocks. */
export function proseOf(page: string): string {
  return page.replaceAll(/^(`{3,})[^`\n]*\n[\s\S]*?^\1$/gm, '');
}
