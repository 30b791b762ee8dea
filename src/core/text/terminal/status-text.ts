/**
 * Commit statuses `gza/review` and `gza/verify`: a state and at most 140 characters. Plain text, no Markdown.
 */

import type { FinalVerdict } from '../../ledger/record/record.ts';
import { neutraliseLine } from '../../markdown/neutralise.ts';
import { count } from './lines.ts';

export const statusCharsMax = 140;
export const reviewContext = 'gza/review';
export const verifyContext = 'gza/verify';

export interface StatusText {
  readonly state: 'pending' | 'success' | 'failure' | 'error';
  readonly text: string;
}

export type ReviewStatus =
  | { readonly kind: 'reviewing' | 'improving'; readonly cycle: number; readonly cyclesMax: number }
  | {
      readonly kind: 'ended';
      readonly verdict: FinalVerdict;
      readonly cycle: number;
      readonly blockers: number;
      readonly followUps: number;
      /** A person gave the verdict. */
      readonly by?: string;
    }
  | { readonly kind: 'failed'; readonly why: string };

export function reviewStatus(status: ReviewStatus): StatusText {
  switch (status.kind) {
    case 'reviewing':
      return make('pending', `Reviewing (cycle ${status.cycle}/${Math.max(status.cycle, status.cyclesMax)})`);
    case 'improving':
      return make(
        'pending',
        `Changes requested, improving (cycle ${status.cycle}/${Math.max(status.cycle, status.cyclesMax)})`,
      );
    case 'failed':
      return make('error', `No review: ${status.why}`);
    case 'ended':
      return endedStatus(status);
  }
}

function endedStatus(status: Extract<ReviewStatus, { kind: 'ended' }>): StatusText {
  const { verdict, cycle, blockers, followUps, by } = status;
  const open = [
    ...(blockers > 0 ? [count(blockers, 'blocker')] : []),
    ...(followUps > 0 ? [count(followUps, 'follow-up')] : []),
  ].join(', ');
  const rest = open === '' ? '' : `, ${open}`;
  switch (verdict) {
    case 'APPROVED':
      return make('success', by ? `Approved by ${by}` : `Approved in cycle ${cycle}${rest}`);
    case 'CHANGES_REQUESTED':
      return make('failure', `Changes requested in cycle ${cycle}${rest}; a person is asked`);
    case 'NEEDS_DISCUSSION':
      return make('failure', `Needs discussion${rest}; a person is asked`);
    case 'MAX_CYCLES_REACHED':
      return make('failure', `Not approved after ${count(cycle, 'cycle')}${rest}; a person is asked`);
  }
}

function make(state: StatusText['state'], text: string, end = ''): StatusText {
  return { state, text: neutraliseLine(text, 'comment', statusCharsMax - end.length) + end };
}
