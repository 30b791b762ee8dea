/** The scripted agent of the demo: no model, but it really reads, edits and reviews files, as an agent would. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Command } from '../../app/command.ts';

const files: Record<string, string> = {
  'src/greet.js': 'export function greet(name) {\n  return `Hello, ${name}!`;\n}\n',
  'test/greet.test.js':
    "import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { greet } from '../src/greet.js';\n\ntest('greets by name', () => {\n  assert.equal(greet('Ada'), 'Hello, Ada!');\n});\n",
  'src/shout.js': 'export function shout(text) {\n  return `${String(text).toUpperCase()}!`;\n}\n',
  'test/shout.test.js':
    "import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { shout } from '../src/shout.js';\n\ntest('shouts', () => {\n  assert.equal(shout('ho'), 'HO!');\n});\n",
};

const checkedGreet =
  "export function greet(name) {\n  if (typeof name !== 'string' || name.trim() === '') throw new TypeError('greet needs a name');\n  return `Hello, ${name.trim()}!`;\n}\n";

const finding = {
  severity: 'blocker',
  file: 'src/greet.js',
  line: 2,
  claim: 'An empty or missing name is greeted as "Hello, undefined!"',
  evidence: 'greet() has no check; greet("") gives "Hello, !"',
  fix: 'Throw a TypeError when the name is no text or only blanks, and test it.',
};

export const command: Command = {
  spec: {
    name: 'demo-agent',
    summary: 'the scripted agent of gza demo',
    arguments: [{ name: 'prompt', many: true }],
    options: [],
    examples: [],
  },
  run: async ({ args }, ports) => {
    const prompt = args.join(' ');
    const task = ports.env['GZA_TASK'] ?? '';
    const said = answer(ports.env['GZA_STEP'] ?? '', task, prompt);
    const nonce = ports.env['GZA_NONCE'];
    const text = nonce === undefined ? said : `${said}\n\nNonce: ${nonce}`;
    return { json: { text }, text };
  },
};

function answer(step: string, task: string, prompt: string): string {
  switch (step) {
    case 'plan':
      return '# Plan\n\nTwo small modules, each with a test:\n\n1. `src/greet.js` greets somebody by name.\n2. `src/shout.js` says something loudly.\n\nThey share nothing, so they can be built side by side.';
    case 'implement':
      return implement(task);
    case 'improve':
      return improve(prompt);
    case 'review':
      return review();
    default:
      return 'Nothing to do.';
  }
}

function implement(task: string): string {
  for (const [path, text] of Object.entries(files)) if (path.includes(task)) write(path, text);
  return `Added src/${task}.js with a test, as the plan says.`;
}

function review(): string {
  const greet = existsSync('src/greet.js') ? readFileSync('src/greet.js', 'utf8') : null;
  if (greet !== null && !greet.includes('TypeError')) {
    const json = JSON.stringify({ findings: [finding] }, null, 2);
    return `The module does what the plan says for good input, but not for bad input.\n\n\`\`\`json\n${json}\n\`\`\`\n\n**Verdict: CHANGES_REQUESTED**`;
  }
  return 'The work follows the plan, its tests cover good and bad input, and nothing else was touched.\n\n```json\n{ "findings": [] }\n```\n\n**Verdict: APPROVED**';
}

function improve(prompt: string): string {
  write('src/greet.js', checkedGreet);
  const tests = files['test/greet.test.js'] as string;
  write(
    'test/greet.test.js',
    `${tests}\ntest('refuses an empty name', () => {\n  assert.throws(() => greet(' '), TypeError);\n});\n`,
  );
  const fingerprint = /\b[0-9a-f]{16}\b/.exec(prompt)?.[0] ?? '';
  const answers = [
    { fingerprint, answer: 'fixed', evidence: 'greet throws a TypeError, tested in test/greet.test.js' },
  ];
  return `Empty names are refused now.\n\n\`\`\`json\n${JSON.stringify({ answers }, null, 2)}\n\`\`\``;
}

function write(path: string, text: string): void {
  mkdirSync(path.split('/')[0] as string, { recursive: true });
  writeFileSync(path, text);
}
