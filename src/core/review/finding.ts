import * as z from 'zod';
import { fingerprint } from './fingerprint.ts';

export const findingsMax = 100;
export const findingTextCharsMax = 2000;
const findingPathCharsMax = 300;
const lineMax = 10_000_000;

/** The path if it may name a file of the repository, relative and without detours; null if not. */
export function repositoryPath(text: string): string | null {
  const path = text
    .trim()
    .replace(/\\/g, '/')
    .replace(/^(?:\.\/)+/, '');
  if (path === '' || path.length > findingPathCharsMax || path.startsWith('/')) return null;
  // `src/a.ts:12` is a path and a line.
  if (/:\d+$|#L\d+$/.test(path)) return null;
  // A drive or a scheme; control, direction and invisible characters; what would break out of inline code.
  if (/^[a-z][a-z0-9+.-]*:/i.test(path) || /[\p{C}\u2028\u2029`]/u.test(path)) return null;
  const segments = path.split('/');
  return segments.some((segment) => ['', '.', '..'].includes(segment)) ? null : path;
}

const text = z.string().max(findingTextCharsMax);

/** As stored: what `makeFindings` gives fits, anything else from a ledger is refused. */
export const findingSchema = z.strictObject({
  severity: z.enum(['blocker', 'follow-up']),
  file: z
    .string()
    .refine((path) => repositoryPath(path) === path, 'a relative path without ..')
    .nullable(),
  line: z.int().min(1).max(lineMax).nullable(),
  claim: text.min(1),
  evidence: text,
  fix: text,
  fingerprint: z.string().regex(/^[0-9a-f]{16}$/),
});

/** One point of a review. */
export type Finding = Readonly<z.infer<typeof findingSchema>>;
export type Severity = Finding['severity'];
export type FindingParts = Omit<Finding, 'fingerprint'>;

export function isLineNumber(line: number): boolean {
  return Number.isInteger(line) && line >= 1 && line <= lineMax;
}

/** Names each finding; one said twice is one, those that differ only in line are numbered in their order. */
export function makeFindings(parts: readonly FindingParts[]): readonly Finding[] {
  const seen = new Map<string, number>();
  const distinct = new Map(parts.map((part) => [nameParts(part), part]));
  return [...distinct.values()].map((part) => {
    const name = fingerprint(part.file, part.claim);
    const ordinal = seen.get(name) ?? 0;
    seen.set(name, ordinal + 1);
    return { ...part, fingerprint: ordinal === 0 ? name : fingerprint(part.file, part.claim, ordinal) };
  });
}

function nameParts({ severity, file, line, claim, evidence, fix }: FindingParts): string {
  return JSON.stringify([severity, file, line, claim, evidence, fix]);
}
