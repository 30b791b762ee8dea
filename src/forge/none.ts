/** A laptop: no pull requests, nobody to ask. Reads find nothing; a write is refused, as nobody would see it. */
import { GzaError } from '../core/errors.ts';
import type { ForgeRead, ForgeWrite } from './forge.ts';

export function noForge(): { readonly read: ForgeRead; readonly write: ForgeWrite } {
  const refuse = async (): Promise<never> => {
    throw new GzaError('refused', 'There are no pull requests here: this runs without a forge.', {
      hint: 'On GitHub Actions the workflow opens and updates them. Here the branches are yours to push.',
    });
  };
  const nothing = async () => null;
  const none = async () => [];
  return {
    read: {
      repository: refuse,
      pullsOfBranches: none,
      lanesAndIssue: async () => ({ pulls: [], issue: null }),
      pull: nothing,
      issue: nothing,
      isEditedSince: async () => true,
      findIssue: nothing,
      commentsSince: none,
      hasBotComment: async () => true,
      conversations: async () => new Map(),
      ourReviews: async () => [],
      role: async () => 'none',
      run: nothing,
      waitingRuns: none,
      startedOn: none,
    },
    write: {
      openPull: async () => ({ kind: 'forbidden', hint: 'There are no pull requests without a forge.' }),
      updatePull: refuse,
      markReady: refuse,
      changeLabels: refuse,
      postReview: refuse,
      setStatus: refuse,
      comment: refuse,
      reply: refuse,
      editComment: refuse,
      react: refuse,
      createIssue: refuse,
      updateIssue: refuse,
      dispatch: refuse,
    },
  };
}
