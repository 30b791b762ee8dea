import { background, comments, ending, lastTry, plan, whatToDo } from './shared.ts';

export const planPrompt = `# Plan: {{title}}

Plan {{id}}, a task of this repository. You write the plan; others carry it out, each seeing only their task and your plan.

${whatToDo}
## How

- Read AGENTS.md or its like first, then the code that is concerned. Plan for this code, in its words and habits.
- Name files that exist by their path. What you did not look at, do not claim.
- Choose the smallest change that meets the task. One way, decided; alternatives only where a person must choose.
- Order the steps so that the repository works after each.
- End the plan with its tasks, each small enough to be done and reviewed alone, in one fenced block of this form (fields that do not apply are left out):

\`\`\`yaml
tasks:
  - id: add-user-model
    title: Add the user model
    prompt: What to do, in full sentences.
    acceptance_criteria: [A user has one email address]
    files_to_create: [src/user.ts]
    files_to_modify: [src/app.ts]
    test_files: [test/user.test.ts]
  - id: show-user-page
    title: Show the user page
    prompt: What to do.
    depends_on: [add-user-model]
\`\`\`

${lastTry}
${plan}
${comments}
${background}
${ending}`;
