/**
 * Texts for things GitHub does that stop gza: what happened, what was kept, what to do. Texts for refused
 * requests are in src/github/api/client/explain.ts, and for refused pushes in src/core/text/github/board-issue.ts.
 */
import { codeText, inlineText } from '../github/inline-text.ts';

export type Trap =
  | { readonly kind: 'pull-creation-off'; readonly branch: string }
  | { readonly kind: 'runs-await-approval'; readonly pulls: readonly number[] }
  | { readonly kind: 'default-branch-renamed'; readonly from: string; readonly to: string }
  | { readonly kind: 'runner-not-ephemeral'; readonly runner: string }
  | { readonly kind: 'dispatch-refused'; readonly said: string }
  | {
      readonly kind: 'ci-not-started';
      readonly workflow: string;
      readonly branch: string;
      readonly said: string;
    }
  | { readonly kind: 'no-room-in-body'; readonly pull: number };

export type TrapKind = Trap['kind'];

export interface TrapText {
  /** Markdown, as are the other fields. Untrusted text in it is already escaped. */
  readonly happened: string;
  readonly kept: string;
  readonly next: readonly string[];
}

const nothingLost = 'Nothing is lost: the state is in the ledger, and the next run goes on from it.';
const appToken =
  'or give the workflow a GitHub App (`app-client-id:`), whose token may do it and starts your checks';

type Texts = { readonly [Kind in TrapKind]: (trap: Extract<Trap, { kind: Kind }>) => TrapText };

const texts: Texts = {
  'pull-creation-off': (trap) => ({
    happened: 'GitHub Actions may not create pull requests in this repository.',
    kept: `The work is committed and pushed to ${codeText(trap.branch)}.`,
    next: [
      'switch on Settings → Actions → General → "Allow GitHub Actions to create and approve pull requests" (an organisation has the same switch above it), then `gza retry` or wait for the next run',
      `or open the pull request from ${codeText(trap.branch)} by hand: gza finds it and goes on there`,
    ],
  }),
  'runs-await-approval': (trap) => ({
    happened: `Checks of ${pullNames(trap.pulls)} wait for approval: GitHub starts none on what a job's token pushed before a person lets it.`,
    kept: 'What gza does goes on; only those checks have not run.',
    next: [
      'press "Approve workflows to run" at the end of the pull request',
      'for all that follow, name the workflow under `ci_workflow:` in gza.yaml and give it an `on: workflow_dispatch:`; gza then starts it itself',
      appToken,
    ],
  }),
  'default-branch-renamed': (trap) => ({
    happened: `The default branch is now ${codeText(trap.to)}; it was ${codeText(trap.from)}.`,
    kept: 'What the ledger of the old name says still holds, and lanes keep their branches; a step that ran at that moment starts again.',
    next: [
      `name ${codeText(trap.to)} under \`push:\` of the workflow, and as \`base\` in gza.yaml if the old name stands there`,
    ],
  }),
  'runner-not-ephemeral': (trap) => ({
    happened: `The runner ${codeText(trap.runner)} keeps its disk from job to job: an agent could leave something for the job that holds the write token.`,
    kept: 'The job went on: whether that is a danger depends on who may write tasks and code here.',
    next: [
      'run agents on ephemeral runners (`--ephemeral`)',
      'or on other machines than the jobs that write: `agent-runs-on:` of the workflow that you call',
    ],
  }),
  'dispatch-refused': (trap) => ({
    happened: `GitHub refused to start the next pick: ${inlineText(trap.said, 300)}`,
    kept: nothingLost,
    next: [
      'the job `next` needs `contents: write`, and the workflow an `on: repository_dispatch: { types: [gza] }` on the default branch; without that, `actions: write` and an `on: workflow_dispatch:`',
      'until then the schedule goes on, every six hours',
    ],
  }),
  'ci-not-started': (trap) => ({
    happened: `${codeText(trap.workflow)} (\`ci_workflow\` of gza.yaml) could not be started on ${codeText(trap.branch)}: ${inlineText(trap.said, 300)}`,
    kept: 'The branch is pushed and gza goes on; only that workflow did not run.',
    next: [
      'it needs an `on: workflow_dispatch:` both on the default branch and on that branch, and no input that is required',
      'or start it by hand: Actions → that workflow → Run workflow',
    ],
  }),
  'no-room-in-body': (trap) => ({
    happened: `The description of #${trap.pull} is so long that gza's part does not fit.`,
    kept: 'Your text is unchanged; the ledger has what gza would say (`gza status`).',
    next: ['shorten the description; the next run then writes its part'],
  }),
};

export function trapText(trap: Trap): TrapText {
  const print = texts[trap.kind] as (trap: Trap) => TrapText;
  return print(trap);
}

const namesMax = 10;

function pullNames(all: readonly number[]): string {
  const shown = all.slice(0, namesMax).map((one) => `#${one}`);
  return [...shown, ...(all.length > namesMax ? [`${all.length - namesMax} more`] : [])].join(', ');
}
