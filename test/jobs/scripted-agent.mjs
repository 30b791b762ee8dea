// An agent without a model: writes what its task asks for, reviews by a script, improves what the review found.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

let prompt = '';
for await (const chunk of process.stdin) prompt += chunk;
const { GZA_STEP: step, GZA_TASK: task, GZA_CYCLE: cycle, GZA_NONCE: nonce } = process.env;
/** The file that it writes: what the task asks to be created, where it asks for one file. */
const file = /packages\/\w+\/src\/\w+\.js/.exec(prompt)?.[0] ?? `src/${task}.js`;

const finding = {
  severity: 'blocker',
  file,
  line: 1,
  claim: 'The answer has no unit',
  evidence: 'It exports a bare number',
  fix: 'Say what it counts',
};
const review = (verdict, findings) =>
  `I read the change.\n\n\`\`\`json\n${JSON.stringify({ nonce, verdict, findings }, null, 2)}\n\`\`\`\n\nVerdict: ${verdict}\n`;

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
  again: '# Fruit\n\n### Apples: Count apples\n### Task 1: Count plums\n',
  vaguely: '# Fruit\n\nThere should be some.\n',
  round: '### Task 1: A\nAfter: Task 2\n### Task 2: B\nAfter: Task 1\n',
};
/** A person's file that followed the first review; or all is well, as the command line says. */
function saysWhat() {
  if (process.argv.includes('content')) return true;
  const written = 'src/by-hand.js';
  return existsSync(written) && readFileSync(written, 'utf8').includes('apples');
}

switch (step) {
  case 'implement':
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'export const answer = 42;\n');
    if (/and a workflow file/.test(prompt)) {
      mkdirSync('.github/workflows', { recursive: true });
      writeFileSync('.github/workflows/more.yml', 'on: push\n');
    }
    if (/and a registry/.test(prompt)) writeFileSync('.npmrc', 'registry=https://one.example\n');
    if (/take your time/.test(prompt)) {
      const begun = /say so in (\S+)\./.exec(prompt)?.[1];
      if (begun) writeFileSync(begun, '');
      await new Promise((resolve) => setTimeout(resolve, 120_000));
    }
    console.log(`Added ${file}.`);
    break;
  case 'review': {
    const first = /review it (with a condition|without a verdict) first/.exec(prompt)?.[1];
    const again = /Your review \(data/.test(prompt);
    if (again) {
      console.log('I stand by it.\n\nVerdict: APPROVED');
      break;
    }
    if (first) {
      const condition = first === 'with a condition';
      console.log(
        condition ? 'Approve after the test is added.\n\nVerdict: APPROVED' : 'It does what was asked.',
      );
      break;
    }
    console.log(
      /stay stubborn/.test(prompt) || (Number(cycle) < 2 && !saysWhat())
        ? review('CHANGES_REQUESTED', [finding])
        : review('APPROVED', []),
    );
    break;
  }
  case 'improve': {
    const first = /break first, see (\S+)\./.exec(prompt)?.[1];
    if (first && !existsSync(first)) {
      writeFileSync(first, '');
      process.exit(1);
    }
    const guidance = /say it in (\w+)/i.exec(prompt)?.[1];
    const red = /The required check (\w+) failed[^]*wanted (\w+)/.exec(prompt);
    const mended = red ? `// ${red[1]} wanted ${red[2]}\n` : '';
    const asked = /The answer has no unit/.test(prompt) ? '// asked for a unit\n' : '';
    const heard = [...prompt.matchAll(/^- \[([0-9a-f]{16})\] (.*):\n((?: {2}.*\n|\n)*)/gm)];
    const said = heard.map(([, , who, text]) => `// heard ${who}: ${text.trim().replaceAll(/\s+/g, ' ')}\n`);
    writeFileSync(
      file,
      `${readFileSync(file, 'utf8')}// cycle ${cycle}: apples${guidance ? `, in ${guidance}` : ''}\n${/stay stubborn/.test(prompt) ? asked : ''}${mended}${said.join('')}`,
    );
    console.log('Said what it counts.');
    const answers = heard.map(([, fingerprint, , text]) => ({
      fingerprint,
      answer: /dispute/i.test(text) ? 'disputed' : 'fixed',
      evidence: `@octocat <!-- gza:end --> see ${file}`,
    }));
    if (answers.length > 0) console.log(`\n\`\`\`json\n${JSON.stringify({ answers })}\n\`\`\``);
    break;
  }
  case 'plan': {
    const how = [...prompt.matchAll(/plan it (\w+)/g)].at(-1)?.[1];
    console.log(plans[how] ?? 'Nothing to do.');
    break;
  }
  default:
    console.log('Nothing to do.');
}
