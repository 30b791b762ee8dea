import { expect, test } from '@jest/globals';
import { fakeClaude, key } from './fake-claude.ts';
import { openWorkshop } from './workshop.ts';

const tasks =
  'tasks:\n  - { id: a, type: implement, title: Task a, prompt: Do it., auto_review: true, max_attempts: 1 }\n';
const review = (stop_reason: string) =>
  JSON.stringify({
    type: 'result',
    subtype: 'success',
    is_error: false,
    stop_reason,
    result: 'I read the diff and ran the tests. Verdict: APPROVED. Nonce: NONCE',
    session_id: 'session-1',
    total_cost_usd: 2,
  })
    .replace('. Verdict', '.\\n\\nVerdict')
    .replace('. Nonce', '\\n\\nNonce');

test.each([
  ['end_turn', 'completed', 'APPROVED'],
  ['max_tokens', 'failed', 'CHANGES_REQUESTED'],
])('a review that ended by %s: %s', async (stopReason, status, final_verdict) => {
  await using shop = openWorkshop({ tasks });
  fakeClaude(
    shop,
    `case $GZA_STEP in
  review) printf '%s\\n' '${review(stopReason)}' | sed "s/NONCE/$nonce/" ;;
  *) echo x > a.txt; ok ;;
esac`,
  );
  await shop.gza(['work', 'a'], key);
  expect(await shop.json('show a')).toMatchObject({ status, final_verdict });
});
