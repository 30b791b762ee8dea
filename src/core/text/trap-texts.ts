/**
 * What GitHub does that stops gza, as people read it: what happened, what was kept, what to do. One text a trap, used
 * by the action where it meets the trap and by `gza doctor` where it looks for it.
 */

import { toSecond } from '../time.ts';
import { codeText, inlineText } from './inline-text.ts';

export type Trap =
  | { readonly kind: 'pull-creation-off'; readonly branch: string }
  | { readonly kind: 'runs-await-approval'; readonly pulls: readonly number[] }
  | { readonly kind: 'checks-not-started'; readonly checks: readonly string[]; readonly workflow?: string }
  | { readonly kind: 'missing-permission'; readonly permissions: readonly string[]; readonly job?: string }
  | { readonly kind: 'protected-branch'; readonly branch: string; readonly said: string }
  | { readonly kind: 'ruleset'; readonly branch: string; readonly said: string }
  | { readonly kind: 'workflow-files'; readonly files: readonly string[] }
  | { readonly kind: 'rate-limit'; readonly until: string; readonly isSecondary: boolean }
  | { readonly kind: 'token-expired'; readonly hours: number }
  | { readonly kind: 'server-differs'; readonly version: string; readonly missing: readonly string[] }
  | { readonly kind: 'schedule-disabled'; readonly workflow: string }
  | { readonly kind: 'fork'; readonly isHead: boolean }
  | { readonly kind: 'private-repository'; readonly missing: string }
  | { readonly kind: 'archived' }
  | { readonly kind: 'default-branch-renamed'; readonly from: string; readonly to: string }
  | { readonly kind: 'merged-otherwise'; readonly how: 'squash' | 'rebase' | 'queue'; readonly pull: number }
  | { readonly kind: 'branch-deleted'; readonly branch: string }
  | { readonly kind: 'closed-with-base'; readonly base: string; readonly pull: number }
  | { readonly kind: 'runner-not-ephemeral'; readonly runner: string }
  | { readonly kind: 'dispatch-refused'; readonly workflow: string; readonly said: string }
  | {
      readonly kind: 'ci-not-started';
      readonly workflow: string;
      readonly branch: string;
      readonly said: string;
    }
  | { readonly kind: 'no-room-in-body'; readonly pull: number };

export type TrapKind = Trap['kind'];

export interface TrapText {
  /** Markdown, as are the others: outside text in it is harmless. */
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
  'checks-not-started': (trap) => ({
    happened: `Required checks did not start: ${names(trap.checks)}. A push with the token of GitHub Actions starts no workflow.`,
    kept: 'The branch is complete and was checked by gza itself (`gza/verify`).',
    next: [
      trap.workflow
        ? `give ${codeText(trap.workflow)} an \`on: workflow_dispatch:\`; gza then starts it on the branch`
        : 'name the workflow under `ci_workflow:` in gza.yaml and give it an `on: workflow_dispatch:`; gza then starts it on the branch',
      appToken,
    ],
  }),
  'missing-permission': (trap) => ({
    happened: `The token lacks ${names(trap.permissions)}${trap.job ? ` in the job ${codeText(trap.job)}` : ''}.`,
    kept: nothingLost,
    next: [
      `add to that job: ${trap.permissions.map((one) => codeText(one)).join(', ')} under \`permissions:\`; naming one permission takes all others away, so keep those that stand there`,
      '`gza doctor` lists what each job needs',
    ],
  }),
  'protected-branch': (trap) => refusedPush('The protection of the branch', trap.branch, trap.said),
  ruleset: (trap) => refusedPush('A ruleset of this repository', trap.branch, trap.said),
  'workflow-files': (trap) => ({
    happened: `The work changes workflow files, which the token of GitHub Actions may never push: ${names(trap.files)}.`,
    kept: 'The patch is in the artifact of the run; nothing of it was pushed.',
    next: [
      'apply those files by hand from the artifact',
      'or take them out of the task, and comment `/gza retry`',
      'or give the workflow a token of a GitHub App with the permission "Workflows", and allow the paths in the task',
    ],
  }),
  'rate-limit': (trap) => ({
    happened: trap.isSecondary
      ? `GitHub asks for fewer requests in a row until ${toSecond(trap.until)}.`
      : `The requests of this hour are used up until ${toSecond(trap.until)}.`,
    kept: nothingLost,
    next: [
      `nothing: gza waits as told, and the next run goes on${trap.isSecondary ? '' : '; fewer `parallel_workers` spread the load'}`,
    ],
  }),
  'token-expired': (trap) => ({
    happened: `The token ended in the middle of the job: it lives ${trap.hours} hours at most.`,
    kept: 'The work is in the artifact of the run; the next pick takes it up.',
    next: ['give the task a shorter `timeout_minutes`, or split it: `/gza split`'],
  }),
  'server-differs': (trap) => ({
    happened: `This GitHub Enterprise Server (${inlineText(trap.version, 30)}) lacks ${names(trap.missing)}.`,
    kept: 'gza goes on without it.',
    next: ['nothing, or update the server; docs/github.md says what each lack means'],
  }),
  'schedule-disabled': (trap) => ({
    happened: `GitHub switched off the schedule of ${codeText(trap.workflow)} after 60 days without activity.`,
    kept: nothingLost,
    next: [
      'press "Enable workflow" on its page under Actions',
      'pushes, comments and `workflow_dispatch` still wake gza',
    ],
  }),
  fork: (trap) =>
    trap.isHead
      ? {
          happened: 'The branch of this pull request is in a fork, where gza never writes.',
          kept: 'Nothing was changed.',
          next: ['push the branch to this repository, and open the pull request from there'],
        }
      : {
          happened:
            'This repository is a fork: schedules are off in forks, and its token cannot reach the original.',
          kept: 'Nothing was changed.',
          next: ['switch Actions on under Settings if you want gza to work on the fork itself'],
        },
  'private-repository': (trap) => ({
    happened: `On the plan of this private repository GitHub does not offer ${inlineText(trap.missing, 100)}.`,
    kept: 'gza goes on without it.',
    next: ['nothing, or change the plan'],
  }),
  archived: () => ({
    happened: 'The repository is archived: nothing can be written to it.',
    kept: nothingLost,
    next: ['unarchive it, or remove the workflow'],
  }),
  'default-branch-renamed': (trap) => ({
    happened: `The default branch is now ${codeText(trap.to)}; it was ${codeText(trap.from)}.`,
    kept: 'What the ledger of the old name says still holds, and lanes keep their branches; a step that ran at that moment begins anew.',
    next: [
      `name ${codeText(trap.to)} under \`push:\` of the workflow, and as \`base\` in gza.yaml if the old name stands there`,
    ],
  }),
  'merged-otherwise': (trap) => ({
    happened: `#${trap.pull} was merged by ${trap.how === 'queue' ? 'the merge queue' : trap.how}, so its commits have other names on the base.`,
    kept: 'Its tasks are done; what is stacked on it is rebased from where it began.',
    next: ['nothing'],
  }),
  'branch-deleted': (trap) => ({
    happened: `The branch ${codeText(trap.branch)} was deleted before it was merged.`,
    kept: 'Its last commit is in the ledger.',
    next: ['`/gza retry` begins anew', '`/gza reopen` brings the branch back'],
  }),
  'closed-with-base': (trap) => ({
    happened: `GitHub closed #${trap.pull}, because its base ${codeText(trap.base)} was deleted. Nobody decided that.`,
    kept: 'Its branch is untouched.',
    next: ['nothing: gza opens it again on the base that took the work'],
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
    happened: `GitHub refused to start ${codeText(trap.workflow)}: ${inlineText(trap.said, 300)}`,
    kept: nothingLost,
    next: [
      'the job `next` needs `actions: write`, and the workflow an `on: workflow_dispatch:` on the default branch',
      'until then the schedule goes on, once an hour',
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

function refusedPush(who: string, branch: string, said: string): TrapText {
  return {
    happened: `${who} refused the push to ${codeText(branch)}: ${inlineText(said, 300)}`,
    kept: 'The patch is in the artifact of the run, its record in the ledger; the attempt counts.',
    next: [
      'let the branches that gza writes (`gza/*`) be pushed by GitHub Actions, or give the tasks another `branch:`',
      'then comment `/gza retry`',
    ],
  };
}

export function trapText(trap: Trap): TrapText {
  const print = texts[trap.kind] as (trap: Trap) => TrapText;
  return print(trap);
}

/** As a comment, a part of a body, or in a job's summary. */
export function printTrap(trap: Trap): string {
  const { happened, kept, next } = trapText(trap);
  return [`⚠️ **${happened}**`, kept, `What to do:\n\n${next.map((one) => `- ${one}`).join('\n')}`].join(
    '\n\n',
  );
}

const namesMax = 10;

function pullNames(all: readonly number[]): string {
  const shown = all.slice(0, namesMax).map((one) => `#${one}`);
  return [...shown, ...(all.length > namesMax ? [`${all.length - namesMax} more`] : [])].join(', ');
}

function names(all: readonly string[]): string {
  const shown = all.slice(0, namesMax).map((one) => codeText(one));
  return [...shown, ...(all.length > namesMax ? [`${all.length - namesMax} more`] : [])].join(', ');
}
