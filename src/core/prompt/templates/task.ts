import { background, comments, lastTry, plan, whatToDo } from './shared.ts';

/** For the git-tasks runner, where the agent commits by itself on the current branch. */
export const taskPrompt = `You are working on task {{id}}: {{title}}

${whatToDo}
${lastTry}
${plan}
${comments}
${background}
{{#ralph}}
## Rounds

{{ralph}}

{{/ralph}}
## Instructions

1. Read AGENTS.md for project context.
2. Complete this ONE task only.
3. Verify your work: run the tests{{#checks}} ({{checks}}){{/checks}}, check what they print.
4. Commit your changes: \`git commit -m "<message>" --trailer "Task: {{id}}"\`
5. Mark the task done: \`git tasks done {{id}}\`
6. If you learn critical operational details, update AGENTS.md.

## Rules

{{rules}}
- {{data}}

{{result}}
`;
