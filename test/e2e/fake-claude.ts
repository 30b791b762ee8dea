/** A script that speaks as Claude Code does, so that there are dollars, sessions and limits. */
import { join } from 'node:path';
import { executable, type Sandbox } from './cli.ts';

/** Each answer costs $2; `$D` is a folder outside of the repository. */
export function fakeClaude(shop: Pick<Sandbox, 'dir'>, script: string) {
  const event = (fields: object) => `'${JSON.stringify(fields)}'`;
  const init = event({ type: 'system', subtype: 'init', session_id: 'session-1', model: 'opus', tools: [] });
  const ok = event({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'done',
    num_turns: 1,
    total_cost_usd: 2,
    session_id: 'session-1',
    usage: { input_tokens: 10, output_tokens: 5 },
    modelUsage: { opus: { inputTokens: 10, outputTokens: 5, costUSD: 2 } },
  });
  executable(
    shop.dir,
    'claude',
    `#!/bin/sh
[ "$1" = --version ] && { echo '2.1.0 (Claude Code)'; exit; }
nonce=$(sed -n 's/.*"nonce": "\\([0-9a-f]*\\)".*/\\1/p' | head -n 1)
echo "claude $GZA_TASK $GZA_STEP $*" >> '${shop.dir}/runs'
D='${shop.dir}'
ok() { echo ${init}; echo ${ok}; }
limited() { cat '${join(process.cwd(), 'test/fixtures/recorded/claude/ratelimit.stdout')}'; exit 1; }
${script}
`,
  );
}

export const key = { env: { ANTHROPIC_API_KEY: 'sk-test' } };
