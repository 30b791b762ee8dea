/** What can go wrong at one request of a run, or with the run itself. */
import { secondaryLimit } from '../github/answers.ts';
import type { FaultEffect, Seen } from '../github/faults.ts';
import type { Github } from '../github/github.ts';
import { type State, takeId } from '../github/state.ts';
import type { WorkflowOptions } from '../github/workflow-types.ts';

const refusal = (status: number, message: string, headers: Record<string, string> = {}): FaultEffect => ({
  kind: 'answer',
  answer: { status, body: { message, status: String(status) }, headers },
});

const isRead = ({ kind, method, operation }: Seen) =>
  kind === 'graphql' ? !operation.includes('mark') && !operation.includes('convert') : method === 'GET';

interface Trouble {
  readonly meets: (seen: Seen) => boolean;
  /** `before`: how things were a while ago. */
  readonly effect: (github: Github, before: State) => FaultEffect;
}

const any = () => true;
const isApi = ({ kind }: Seen) => kind !== 'git';

/** The primary limit: used up, and free again at that time. */
function usedUp(seconds: number) {
  return ({ state }: Github) =>
    refusal(403, 'API rate limit exceeded for installation ID 90210.', {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-limit': '1000',
      'x-ratelimit-reset': String(Math.ceil(state.now / 1000) + seconds),
    });
}

export const troubles: Readonly<Record<string, Trouble>> = {
  '500': { meets: any, effect: () => refusal(500, 'Server Error') },
  'the answer lost behind a 502': {
    meets: any,
    effect: () => ({
      kind: 'answer-after',
      answer: { status: 502, body: { message: 'Server Error' } },
    }),
  },
  '403': { meets: any, effect: () => refusal(403, 'Resource not accessible by integration') },
  '422': { meets: isApi, effect: () => refusal(422, 'Validation Failed') },
  'a secondary limit': { meets: isApi, effect: () => ({ kind: 'answer', answer: secondaryLimit(60) }) },
  '429': { meets: any, effect: () => refusal(429, 'Too many requests', { 'retry-after': '30' }) },
  'a spent budget, soon back': { meets: isApi, effect: usedUp(300) },
  'a spent budget, gone for an hour': { meets: isApi, effect: usedUp(3600) },
  'a lost request': { meets: any, effect: () => ({ kind: 'drop' }) },
  'a lost answer': { meets: any, effect: () => ({ kind: 'drop-after' }) },
  'an answer of yesterday': {
    meets: (seen) => isApi(seen) && isRead(seen),
    effect: (_github, state) => ({ kind: 'stale', state }),
  },
  'a cancelled run': {
    meets: any,
    effect: (github) => ({
      kind: 'run',
      phase: 'after',
      run: async ({ runId }) => {
        await github.as('olive').request('POST', `/actions/runs/${runId}/cancel`);
      },
    }),
  },
};

/** Where a mishap is: the n-th request of the run, and whose. */
export interface Mishap {
  readonly kind: string;
  readonly index: number;
  readonly seen: Seen;
}

export function jobOf({ job = '' }: Seen): string {
  return /\/ (intake|pick|agent|verify|land|next)\b[^/]*$/.exec(job)?.[1] ?? '';
}

/** `kill` of the machine that runs this step, right after this request of it. */
function killAt(requests: readonly Seen[], { index, seen }: Mishap): NonNullable<WorkflowOptions['kill']> {
  // The checkout's own requests come before those of the step.
  const own = requests.filter((one) => one.job === seen.job);
  const request = own.indexOf(requests[index] ?? seen) + 1 - checkoutRequests(own);
  let isDone = false;
  return (_job, step) => {
    if (step !== jobOf(seen) || isDone) return undefined;
    isDone = true;
    return { request, phase: 'after', machine: true };
  };
}

export function checkoutRequests(own: readonly Seen[]): number {
  const second = own.findIndex((one, at) => at > 0 && one.operation === 'git/info-fetch');
  return second < 0 ? 0 : second;
}

/** Arms it; what it returns goes to the play. */
export function arrange(
  github: Github,
  requests: readonly Seen[],
  mishap: Mishap,
  before: State,
): Partial<WorkflowOptions> {
  const [run] = github.state.runs.filter(({ status }) => status === 'queued');
  switch (mishap.kind) {
    case 'kill':
      return { kill: killAt(requests, mishap) };
    case 'event lost':
      github.state.runs = github.state.runs.filter((one) => one !== run);
      return {};
    case 'event twice':
      if (run) github.state.runs.push({ ...run, id: takeId(github.state), jobs: [] });
      return {};
  }
  const trouble = troubles[mishap.kind];
  if (!trouble) throw new Error(`no mishap is called ${mishap.kind}`);
  github.faults.add({
    match: { job: /./ },
    skip: mishap.index,
    effect: trouble.effect(github, before),
  });
  return {};
}
