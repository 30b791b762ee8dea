/** What can go wrong at one request of a run. */
import { secondaryLimit } from '../github/answers.ts';
import type { FaultEffect, Seen } from '../github/faults.ts';
import type { Github } from '../github/github.ts';
import type { State } from '../github/state.ts';
import { cancel, isApi, isRead, isWrite } from './mishap.ts';

const refusal = (status: number, message: string, headers: Record<string, string> = {}): FaultEffect => ({
  kind: 'answer',
  answer: { status, body: { message, status: String(status) }, headers },
});

interface Trouble {
  readonly meets: (seen: Seen) => boolean;
  /** `before`: how things were a while ago. */
  readonly effect: (github: Github, before: State) => FaultEffect;
  /** How many requests from there on meet it; default 1. */
  readonly times?: number;
  /** The action is built with short limits of time. */
  readonly isSlow?: boolean;
}

const any = () => true;
/** The primary limit: used up, and free again at that time. */
function usedUp(seconds: number) {
  return ({ state }: Github) =>
    refusal(403, 'API rate limit exceeded for installation ID 90210.', {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-limit': '1000',
      'x-ratelimit-reset': String(Math.ceil(state.now / 1000) + seconds),
    });
}

/** What a proxy on the way, or a server that is ill, says with a straight face. */
const page = {
  status: 200,
  body: '<!DOCTYPE html><html><body><h1>Unicorn!</h1></body></html>',
  headers: { 'content-type': 'text/html' },
};

export const troubles: Readonly<Record<string, Trouble>> = {
  '500': { meets: any, effect: () => refusal(500, 'Server Error') },
  'the answer lost behind a 502': {
    meets: any,
    effect: () => ({
      kind: 'answer-after',
      answer: { status: 502, body: { message: 'Server Error' } },
    }),
  },
  'an outage': {
    meets: any,
    effect: () => refusal(503, 'Service Unavailable'),
    times: Number.POSITIVE_INFINITY,
  },
  '403': { meets: any, effect: () => refusal(403, 'Resource not accessible by integration') },
  '422': { meets: isApi, effect: () => refusal(422, 'Validation Failed') },
  'a secondary limit': { meets: isApi, effect: () => ({ kind: 'answer', answer: secondaryLimit(60) }) },
  '429': { meets: any, effect: () => refusal(429, 'Too many requests', { 'retry-after': '30' }) },
  'a spent budget, soon back': { meets: isApi, effect: usedUp(300) },
  'a spent budget, gone for an hour': { meets: isApi, effect: usedUp(3600) },
  'an expired token': {
    meets: any,
    effect: ({ state }) => ({
      kind: 'run',
      phase: 'before',
      run: ({ runId, job }) => {
        const tokens = Object.values(state.tokens).filter((one) => one.runId === runId && one.job === job);
        for (const token of tokens) token.revoked = true;
      },
    }),
  },
  'a lost request': { meets: any, effect: () => ({ kind: 'drop' }) },
  'a lost answer': { meets: any, effect: () => ({ kind: 'drop-after' }) },
  'half an answer': { meets: any, effect: () => ({ kind: 'half' }) },
  'a request that hangs': { meets: any, effect: () => ({ kind: 'hang' }), isSlow: true },
  'an answer that hangs': { meets: isWrite, effect: () => ({ kind: 'hang-after' }), isSlow: true },
  'a page instead': { meets: any, effect: () => ({ kind: 'answer', answer: page }) },
  'a page for an answer': { meets: isWrite, effect: () => ({ kind: 'answer-after', answer: page }) },
  'an answer of yesterday': {
    meets: isRead,
    effect: (_github, state) => ({ kind: 'stale', state }),
  },
  'a cancelled run': { meets: any, effect: (github) => cancelAfter(github) },
};

function cancelAfter(github: Github): FaultEffect {
  return { kind: 'run', phase: 'after', run: ({ runId }) => cancel(github, runId) };
}
