/** The team's own CI: a check that its pull request must pass and that failed is a finding, like one of a review. */
import type { TaskView } from '../board/board.ts';
import { oneLine } from '../markdown/neutralise.ts';
import type { Facts, Match } from './decide.ts';
import {
  askPerson,
  currentReview,
  cyclesDone,
  cyclesMax,
  isLooping,
  isWork,
  lastGood,
  leftWork,
} from './steps-so-far.ts';

const namesShown = 5;

/** What failed, in words. A person who approved it knows of it; one who pushed, or commands, sees to it. */
export function redChecks(view: TaskView, facts: Facts): string | null {
  const { red = [], personCommits } = facts.lane(view);
  if (red.length === 0 || personCommits || facts.command(view) || view.record?.verdict_by) return null;
  // Lists leave out the steps of what is closed.
  if (!view.record?.closed_at && !lastGood(view, isWork)) return null;
  const names = red.slice(0, namesShown).map((name) => oneLine(name, 100));
  const more = red.length > namesShown ? ` and ${red.length - namesShown} more` : '';
  return `the required check${red.length === 1 ? '' : 's'} ${names.join(', ')}${more} failed on GitHub`;
}

/** Within the cycles that a review has. */
export function mendChecks(view: TaskView, facts: Facts): Match | null {
  const red = redChecks(view, facts);
  // What a review wants comes first, and hears of the checks too.
  if (!red || currentReview(view, facts)?.verdict === 'CHANGES_REQUESTED') return null;
  const works = (view.record?.steps ?? []).filter(leftWork);
  const improves = works.filter(({ step }) => step === 'improve').length;
  const cycles = isLooping(view, facts) ? Math.max(cyclesDone(view), improves) : improves;
  const [before, last] = works.slice(-2);
  const isUseless = last?.step === 'improve' && last.diff !== undefined && last.diff === before?.diff;
  if (isUseless || cycles >= cyclesMax(view, facts)) {
    const why = isUseless
      ? 'an improve for it changed nothing'
      : `its ${cycles === 1 ? 'one cycle is' : `${cycles} cycles are`} spent`;
    const change = `push a fix, gza improve ${view.id} "what to do", or gza approve ${view.id} as it is`;
    return askPerson('checks-red', `${red}, and ${why}`, change, facts);
  }
  return {
    action: { kind: 'run', step: 'improve', cycle: cyclesDone(view) },
    because: red,
    change: 'it runs with the next pick or work',
  };
}
