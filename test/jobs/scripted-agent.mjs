// An agent without a model: writes what its task asks for, reviews by a script, improves what the review found.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

let prompt = '';
for await (const chunk of process.stdin) prompt += chunk;
const { GZA_STEP: step, GZA_TASK: task, GZA_CYCLE: cycle } = process.env;

const finding = {
  severity: 'blocker',
  file: `src/${task}.js`,
  line: 1,
  claim: 'The answer has no unit',
  evidence: 'It exports a bare number',
  fix: 'Say what it counts',
};
const review = (verdict, findings) =>
  `I read the change.\n\n\`\`\`json\n${JSON.stringify({ verdict, findings }, null, 2)}\n\`\`\`\n\nVerdict: ${verdict}\n`;

const plans = {
  well: `# Fruit

First apples, then pears.

\`\`\`yaml
tasks:
  - id: apples
    type: implement
    title: Count apples
    prompt: Count the apples.
    files_to_create: [src/apples.js]
  - id: pears
    type: implement
    title: Count pears
    prompt: Count the pears.
    depends_on: [apples]
    files_to_create: [src/pears.js]
\`\`\`
`,
  vaguely: '# Fruit\n\nThere should be some.\n',
  round: '### Task 1: A\nAfter: Task 2\n### Task 2: B\nAfter: Task 1\n',
};

switch (step) {
  case 'implement':
    mkdirSync('src', { recursive: true });
    writeFileSync(`src/${task}.js`, 'export const answer = 42;\n');
    if (/and a workflow file/.test(prompt)) {
      mkdirSync('.github/workflows', { recursive: true });
      writeFileSync('.github/workflows/more.yml', 'on: push\n');
    }
    if (/take your time/.test(prompt)) await new Promise((resolve) => setTimeout(resolve, 120_000));
    console.log(`Added src/${task}.js.`);
    break;
  case 'review':
    console.log(cycle === '1' ? review('CHANGES_REQUESTED', [finding]) : review('APPROVED', []));
    break;
  case 'improve': {
    const file = `src/${task}.js`;
    const guidance = /say it in (\w+)/i.exec(prompt)?.[1];
    writeFileSync(
      file,
      `${readFileSync(file, 'utf8')}// cycle ${cycle}: apples${guidance ? `, in ${guidance}` : ''}\n`,
    );
    console.log('Said what it counts.');
    break;
  }
  case 'plan': {
    const how = /plan it (\w+)/.exec(prompt)?.[1];
    console.log(plans[how] ?? plans.well);
    break;
  }
  default:
    console.log('Nothing to do.');
}
