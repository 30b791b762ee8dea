// An agent without a model: writes what its task asks for, reviews by a script, improves what the review found.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

let prompt = '';
for await (const chunk of process.stdin) prompt += chunk;
const { GZA_STEP: step, GZA_TASK: task, GZA_CYCLE: cycle } = process.env;
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
  `I read the change.\n\n\`\`\`json\n${JSON.stringify({ verdict, findings }, null, 2)}\n\`\`\`\n\nVerdict: ${verdict}\n`;

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
    if (/take your time/.test(prompt)) await new Promise((resolve) => setTimeout(resolve, 120_000));
    console.log(`Added ${file}.`);
    break;
  case 'review':
    console.log(
      Number(cycle) < 2 && !saysWhat() ? review('CHANGES_REQUESTED', [finding]) : review('APPROVED', []),
    );
    break;
  case 'improve': {
    const guidance = /say it in (\w+)/i.exec(prompt)?.[1];
    writeFileSync(
      file,
      `${readFileSync(file, 'utf8')}// cycle ${cycle}: apples${guidance ? `, in ${guidance}` : ''}\n`,
    );
    console.log('Said what it counts.');
    break;
  }
  default:
    console.log('Nothing to do.');
}
