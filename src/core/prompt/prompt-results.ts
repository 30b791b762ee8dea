/** What a step's answer must look like: the part that gza reads. */

import { donePromise } from '../spool/promise.ts';
import { answersSchemaText, findingsSchemaText } from '../text/review.ts';
import type { PromptName } from './prompt-names.ts';

export interface ResultWords {
  readonly id: string;
  readonly isRalph: boolean;
  readonly nonce: string;
}

export function promptResult(name: PromptName, words: ResultWords): string {
  switch (name) {
    case 'plan':
      return planResult;
    case 'explore':
      return exploreResult;
    case 'review':
      return findingsSchemaText(words.nonce);
    case 'improve':
      return `${summary}\n\n${answersSchemaText()}\n- Every finding and every comment with a fingerprint gets exactly one answer. A follow-up that you leave is "disputed", with the reason.`;
    case 'implement':
      return [believed(words), summary, words.isRalph ? promise : '']
        .filter((part) => part !== '')
        .join('\n\n');
    case 'task':
      return words.isRalph ? `${summary}\n\n${promise}` : summary;
  }
}

const summary = `End with a short summary: what you changed and why, how you verified it (commands and what they said), and what is
left open. Claim nothing that you did not see.`;

const promise = `When everything is done and verified, and only then, print this on a line of its own:

${donePromise}

If it is not, leave the work in a good state and end without that line: the next round goes on from it.`;

function believed({ id }: ResultWords): string {
  return `When you believe that the task is done: \`git tasks done ${id}\`. Whether it is, the checks decide.`;
}

const exploreResult = `Your last message is the exploration, in Markdown: it is stored, and later tasks are given it. In this order:

1. The answer, in a few sentences.
2. What you found, each point with its evidence (\`file:line\`, a command and what it printed).
3. Options with their cost and risk, and the one you would take.
4. What you could not find out.`;

const planResult = `Your last message is the plan, in Markdown: it is stored, and the tasks that build on this one are given it. In this order:

1. The goal, and what is out of scope.
2. The approach, and why not the obvious alternative.
3. The steps in order, with the files that each creates or modifies.
4. How it is verified: tests, commands, what must hold.
5. Risks and open questions. A question that only a person can answer is said to be one.

If the work should be several tasks, propose them in one fenced block at the end. Each must be small enough for one
pull request, and verifiable on its own:

\`\`\`yaml
tasks:
  - id: add-session-store
    title: Store sessions in the database
    type: implement
    prompt: |
      What to do, with all that someone needs who knows only this text and the plan.
    acceptance_criteria:
      - A session survives a restart.
    files_to_create: [src/session-store.ts]
    files_to_modify: [src/server.ts]
    test_files: [test/session-store.test.ts]
  - id: expire-sessions
    title: Expire old sessions
    type: implement
    prompt: |
      …
    depends_on: [add-session-store]
\`\`\``;
