/** Prints rows in columns. Words are aligned left, numbers right. */
import { displayWidth } from '../../markdown/neutralise.ts';

export interface ColumnHead {
  readonly name: string;
  readonly isNumber?: boolean;
}

export function columns(heads: readonly ColumnHead[], rows: readonly (readonly string[])[]): string[] {
  const lines = [heads.map(({ name }) => name), ...rows];
  const widths = heads.map((_, at) => Math.max(...lines.map((line) => displayWidth(line[at] ?? ''))));
  return lines.map((line) =>
    heads
      .map(({ isNumber }, at) => {
        const cell = line[at] ?? '';
        const space = ' '.repeat((widths[at] ?? 0) - displayWidth(cell));
        return isNumber ? `${space}${cell}` : `${cell}${space}`;
      })
      .join('  ')
      .trimEnd(),
  );
}
