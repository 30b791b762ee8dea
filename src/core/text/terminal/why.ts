import type { TaskView } from '../../board/board.ts';
import { oneLine } from '../../markdown/neutralise.ts';
import type { Decision } from '../../policy/decide.ts';
import { shorten } from './lines.ts';

const blockersMax = 20;

/** `why`: the rule that matched, the facts it saw, and what would change it. */
export function whyText(view: TaskView, decision: Decision, merging: string | null = null): string {
  const more = view.blockers.length - blockersMax;
  return [
    `${view.id}: ${shorten(view.task.title, 80)}`,
    `status: ${view.status}`,
    `rule: ${decision.rule}${decision.wanted ? ` (holds back: ${decision.wanted})` : ''}`,
    `action: ${actionText(decision)}`,
    `because: ${decision.because}`,
    `would change it: ${decision.change}`,
    ...(merging === null ? [] : [`merging: ${merging}`]),
    ...view.blockers.slice(0, blockersMax).map((blocker) => `blocker: ${blocker.text}`),
    ...(more > 0 ? [`(and ${more} more blockers)`] : []),
  ]
    .map((line) => oneLine(line, 600))
    .join('\n');
}

export function actionText({ action }: Decision): string {
  switch (action.kind) {
    case 'run':
      return action.cycle > 0 ? `run ${action.step} (cycle ${action.cycle})` : `run ${action.step}`;
    case 'wait':
      return action.until ? `wait until ${action.until}` : 'wait';
    case 'record-dead':
      return `record what ${action.claim.holder} left and free it`;
    case 'cancel':
      return `cancel the work of ${action.claim.holder}`;
    case 'fold':
      return `fold its lane (${action.how})`;
    case 'go-on':
      return 'open it again: its loop goes on';
    case 'finish':
      return `finish${action.verdict ? ` with ${action.verdict}` : ''}${action.stop ? ', then a person' : ''}`;
    case 'fail':
      return 'fail, and ask a person';
    case 'ask-person':
      return `ask a person: ${action.stop.reason}`;
    case 'nothing':
      return 'nothing';
  }
}
