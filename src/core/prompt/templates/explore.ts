import { background, comments, ending, lastTry, plan, whatToDo } from './shared.ts';

export const explorePrompt = `# Explore: {{title}}

Find out what {{id}} asks, in this repository. The result is knowledge, not a change.

${whatToDo}
## How

- Look at the code and its history, run it where that answers more surely than reading.
- Tell apart what you saw, what you conclude, and what you assume.
- Stop when the question is answered. Breadth before depth; no tour of the repository.

${lastTry}
${plan}
${comments}
${background}
${ending}`;
