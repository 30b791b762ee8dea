/** Tasks that may not start unasked, with what is said of them. Most are ruled out without reading their texts. */
import type { Backlog } from '../../backlog/backlog.ts';
import { fileSizes } from '../../backlog/file-sizes.ts';
import type { BoardItem } from '../../core/board/board.ts';
import type { Config } from '../../core/config/config.ts';
import { scoreTask } from '../../core/sizing/score.ts';
import { scoreInput } from '../../core/sizing/score-input.ts';
import { isPastComplexity, mayBeTooComplex, tooComplexText } from '../../core/sizing/too-complex.ts';
import type { Task } from '../../core/task/task.ts';
import type { Repository } from '../../git/open-repository.ts';
import type { LedgerView } from '../../ledger/ledger.ts';

export interface TaskSource {
  readonly repository: Pick<Repository, 'workTree'>;
  readonly config: Config;
  readonly backlog: Backlog;
  readonly view: LedgerView;
}

export async function complexTasks(
  items: readonly BoardItem[],
  source: TaskSource,
): Promise<ReadonlyMap<string, string>> {
  const complex = new Map<string, string>();
  const input = scoreInput(source.config);
  for (const { task, record } of items) {
    if (isPastComplexity(record) || !mayBeTooComplex(task, input)) continue;
    const whole = await wholeTask(task.id, source);
    if (!whole) continue;
    const sizes = fileSizes(source.repository.workTree, [whole]);
    const text = tooComplexText(scoreTask(whole, { ...input, sizes }));
    if (text !== null) complex.set(task.id, text);
  }
  return complex;
}

/** Its record where it has one, else its file. */
async function wholeTask(id: string, { view, backlog }: TaskSource): Promise<Task | null> {
  return (await view.task(id))?.record ?? (await backlog.definition(id))?.task ?? null;
}
