/** What improves answered to people, kept in the ledger: asked again, a comment that was answered is not sent. */
import * as z from 'zod';
import { readMarkdown } from '../markdown/markdown-lines.ts';
import { isRecord } from '../shape.ts';
import type { PersonPoint } from './conversation.ts';
import { findJson } from './find-json.ts';
import type { FindingAnswer } from './finding.ts';

const answersKept = 300;

const shape = z.strictObject({
  fingerprint: z.string().regex(/^[0-9a-f]{16}$/),
  kind: z.enum(['line', 'comment', 'review']),
  id: z.int().min(0),
  author: z.string().max(200),
  gist: z.string().max(200),
  answer: z.enum(['fixed', 'disputed']),
  evidence: z.string().max(4000),
  commit: z.string().regex(/^[0-9a-f]{40,64}$/),
});
export type PersonAnswer = Readonly<z.infer<typeof shape>>;

export function personAnswersPath(id: string): string {
  return `reviews/${id}-people.md`;
}

export function readPersonAnswers(text: string): PersonAnswer[] {
  const found: PersonAnswer[] = [];
  for (const block of findJson(readMarkdown(text), text, 'people')) {
    const list = block.kind === 'json' && isRecord(block.value) ? block.value['people'] : null;
    for (const one of Array.isArray(list) ? list.slice(-answersKept) : []) {
      const parsed = shape.safeParse(one);
      if (parsed.success) found.push(parsed.data);
    }
  }
  return found;
}

export function printPersonAnswers(answers: readonly PersonAnswer[]): string {
  const list = answers.slice(-answersKept);
  return `\`\`\`json\n${JSON.stringify({ people: list }, null, 2)}\n\`\`\`\n`;
}

/** The points that an improve answered, with the commit that holds its answer. */
export function answersToPeople(
  points: readonly PersonPoint[],
  answers: readonly FindingAnswer[],
  commit: string,
): PersonAnswer[] {
  return points.flatMap(({ fingerprint, kind, id, author, text }) => {
    const said = answers.find((one) => one.fingerprint === fingerprint);
    if (!said) return [];
    const gist = (text.split('\n').find((line) => line.trim() !== '') ?? '').slice(0, 200).toWellFormed();
    const evidence = said.evidence.slice(0, 4000).toWellFormed();
    return [{ fingerprint, kind, id, author, gist, answer: said.answer, evidence, commit }];
  });
}
