/** Reads findings from the rows of a table, by the names of its columns. */
import { cellsOf, type MarkdownLine } from '../markdown/markdown-lines.ts';
import { findPlace, type Place, type Severity, splitPlace } from './finding.ts';
import { isNoFinding, readSeverity, saysSettled } from './severity-words.ts';

const lineCharsMax = 3000;
export interface Row {
  /** Null when the section decides. */
  readonly severity: Severity | null;
  readonly place: Place;
  readonly claim: string;
  readonly evidence: string[];
  readonly fix: string[];
}

const columns = {
  severity: /^(?:severity|priority|level|weight|impact)$/,
  file: /^(?:files?|path|location|where|place)$/,
  line: /^lines?$/,
  claim: /^(?:findings?|issues?|suggestion|claim|problem|description|message|comment|title|what|point)$/,
  evidence: /^(?:evidence|why|details?|reason)$/,
  fix: /^(?:(?:required |suggested )?fix|suggestion|recommendation|action)$/,
};
type Column = keyof typeof columns;

/** Line number → row; `head` for the lines that only name the columns. */
export function rowsOf(lines: readonly MarkdownLine[]): ReadonlyMap<number, Row | 'head'> {
  const rows = new Map<number, Row | 'head'>();
  let names: readonly (Column | null)[] | null = null;
  for (const { text, standing, number } of lines) {
    const cells =
      standing === 'hidden' || !/^\s{0,3}\|/.test(text) ? null : cellsOf(text.slice(0, lineCharsMax));
    if (cells === null) names = null;
    else if (names === null) {
      names = cells.map(columnOf);
      if (!names.includes('claim') || !(names.includes('severity') || names.includes('file'))) names = [];
      else rows.set(number, 'head');
    } else if (names.length > 0) {
      const row = /^[\s|:-]+$/.test(text) ? 'head' : readRow(names, cells);
      rows.set(number, row ?? 'head');
    }
  }
  return rows;
}

function columnOf(name: string): Column | null {
  const word = name.toLowerCase();
  const all = Object.keys(columns) as Column[];
  return all.find((column) => columns[column].test(word)) ?? null;
}

function readRow(names: readonly (Column | null)[], cells: readonly string[]): Row | null {
  const at = (column: Column): string => cells[names.indexOf(column)] ?? '';
  const claim = at('claim');
  if (/^(?:—|-+)$/.test(claim) || isNoFinding(claim.toLowerCase())) return null;
  if (cells.some((cell) => cell !== '' && cell !== claim && isSettled(cell))) return null;
  const where = at('file');
  const named = findPlace(where === '' ? claim : where);
  const place = named.file === null ? splitPlace(where.replace(/`/g, '')) : named;
  const line = Number.parseInt(at('line').replace(/^L/i, ''), 10);
  return {
    severity: readSeverity(at('severity')),
    place: { file: place.file, line: place.line ?? (place.file !== null && line > 0 ? line : null) },
    claim,
    evidence: at('evidence') === '' ? [] : [at('evidence')],
    fix: at('fix') === '' ? [] : [at('fix')],
  };
}

function isSettled(cell: string): boolean {
  return cell.length < 60 && saysSettled(cell.toLowerCase());
}
