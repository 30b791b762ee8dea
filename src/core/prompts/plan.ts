import { background, comments, ending, lastTry, plan, whatToDo } from './shared.ts';

export const planPrompt = `# Plan: {{title}}

Plan {{id}}, a task of this repository. You write the plan; others carry it out, each seeing only their task and your plan.

${whatToDo}
## How

- Read AGENTS.md or its like first, then the code that is concerned. Plan for this code, in its words and habits.
- Name files that exist by their path. What you did not look at, do not claim.
- Choose the smallest change that meets the task. One way, decided; alternatives only where a person must choose.
- Order the steps so that the repository works after each.

${lastTry}
${plan}
${comments}
${background}
${ending}`;
