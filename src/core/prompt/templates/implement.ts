import { background, comments, ending, lastTry, plan, whatToDo } from './shared.ts';

export const implementPrompt = `# {{title}}

You are working on {{id}}, a task of this repository, on branch {{branch}}. Do this one task, completely.

${whatToDo}
${lastTry}
${plan}
${comments}
${background}
{{#ralph}}
## Rounds

{{ralph}}

{{/ralph}}
## How

1. Read AGENTS.md or its like, then the code that is concerned. Look at what is already there before you add.
2. Where the task can be tested, write or extend the test first and see it fail.
3. Make the smallest change that meets the task and every criterion, in the style of the code around it.
4. Follow the plan, if there is one. Where the code shows that it is wrong, do what is right and say so in your summary.
5. Verify. If something fails, find the cause; do not hide it.

${ending}`;
