import { expect, test } from '@jest/globals';
import { GzaError } from '../../src/core/errors.ts';
import { whoMayCommandMark } from '../../src/core/text/github/command-answer.ts';
import { postAnswer } from '../../src/github/pick/replies.ts';

test.each([404, 410, 403])(
  'an answer to a conversation that was deleted is no failure, any other refusal is (%i)',
  async (status) => {
    const refuse = () => Promise.reject(new GzaError('world', `status ${status}`, { data: { status } }));
    const forge = { comment: refuse, hasBotComment: refuse };
    for (const text of ['Done.', whoMayCommandMark]) {
      const said = postAnswer(forge, 7, text).then(
        () => 'over',
        () => 'failed',
      );
      expect(await said).toBe(status === 403 ? 'failed' : 'over');
    }
  },
);
