/** What a list of pull requests shows of one: its labels, and whether it is a draft. */
import type { TaskView } from '../../core/board/board.ts';
import { mergeLabels, pullLabels } from '../../core/text/github/pull-title-and-labels.ts';
import type { Forge, PullFacts } from '../api/forge.ts';
import { type OnMissing, unlessMissing } from './missing-permissions.ts';

export async function tellState(
  forge: Forge,
  pull: PullFacts,
  tasks: readonly TaskView[],
  onMissing?: OnMissing,
): Promise<void> {
  const wanted = mergeLabels(pull.labels, pullLabels(tasks));
  const has = (list: readonly string[], label: string) =>
    list.some((one) => one.toLowerCase() === label.toLowerCase());
  const add = wanted.filter((label) => !has(pull.labels, label));
  const remove = pull.labels.filter((label) => !has(wanted, label));
  if (add.length + remove.length > 0)
    await unlessMissing(onMissing, () => forge.changeLabels(pull.number, { add, remove }));
  const isReady = tasks.every(({ record }) => record?.closed_at !== undefined);
  if (pull.isOurs && isReady === (pull.state === 'draft'))
    await unlessMissing(onMissing, () => forge.markReady(pull.number, isReady));
}
