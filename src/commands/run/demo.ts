import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Command, Invocation, Ports } from '../../app/command.ts';
import { readinessIn } from '../../app/facts/facts.ts';
import { cyclesMax } from '../../app/project.ts';
import { oldestFirst } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import { pullRequestTasks } from '../../core/text/github/pull-request-tasks.ts';
import { mermaidGraph } from '../../core/text/terminal/graph.ts';
import { statusText } from '../../core/text/terminal/lists.ts';
import { openToWork } from '../../engine/loop/work-run.ts';
import { porcelain } from '../../git/porcelain.ts';
import { agentOptions, runChoice } from '../agent-options.ts';
import { runWork } from './work.ts';

const tasks = `group: hello
tasks:
  - id: plan
    type: plan
    title: Plan a small greeting library
    prompt: Say which modules there should be, and which files.
  - id: greet
    type: implement
    title: Greet somebody by name
    prompt: Write greet(name), which gives "Hello, <name>!", with a test.
    depends_on: plan
    auto_review: true
    acceptance_criteria:
      - greet("Ada") gives "Hello, Ada!"
      - bad input is refused
    files_to_create: [src/greet.js, test/greet.test.js]
  - id: shout
    type: implement
    title: Say something loudly
    prompt: Write shout(text), which gives the text in capitals with "!", with a test.
    depends_on: plan
    auto_review: true
    files_to_create: [src/shout.js, test/shout.test.js]
`;

const starting: Record<string, string> = {
  'tasks/hello.yml': tasks,
  'gza.yaml': 'parallel_workers: 2\nverify: node --test\n',
  'package.json': '{ "name": "hello", "private": true, "type": "module" }\n',
  'README.md': '# Hello\n\nA repository made by `gza demo`.\n',
};

export const command: Command = {
  spec: {
    name: 'demo',
    summary: 'the whole loop in a scratch repository, with a scripted agent: no account, no key',
    arguments: [],
    details:
      'plan → implement (two side by side) → review → improve → approved. Give an agent (--claude) to see it with a real one.',
    options: [
      { name: 'keep', type: 'text', value: '<dir>', help: 'make the repository there' },
      ...agentOptions,
    ],
    examples: [{ command: 'gza demo --keep /tmp/hello', shows: 'then look around there with gza and git' }],
  },
  run: async (invocation, ports) => {
    const dir = await makeRepository(invocation.options['keep'] as string | undefined, ports);
    const there: Ports = { ...ports, cwd: dir };
    const quiet = invocation.options['json'] === true;
    if (!quiet) ports.progress(`A repository with three tasks: ${dir}\n`);
    const opened = await openToWork(there);
    const request = { scope: 'all' as const, choice: demoChoice(invocation), offline: true, push: false };
    const result = await runWork(opened, request, there, quiet);
    const { project } = result;
    const { waits } = await readinessIn(project);
    const views = oldestFirst(project.board);
    const review = (await project.view.artifact('gza/greet', 'reviews/greet-review-1.md')) ?? '';
    const style = ports.style;
    const title = (text: string) => `\n${style.bold(`── ${text} `.padEnd(60, '─'))}`;
    const text = [
      title('the board: gza status'),
      statusText(null, views, { style, cyclesMax: cyclesMax(project), waits }),
      title('the graph: gza graph --format mermaid'),
      mermaidGraph(views, project.board),
      title('the first review: .gza/reviews/greet-review-1.md'),
      review.trim(),
      title('for the pull request: gza pr --group hello'),
      pullRequestTasks(views, project.board),
      title('look around'),
      `cd ${dir}`,
      'git log --oneline --graph --all    # the branches, one commit a step',
      'git log refs/tasks/gza/greet       # what happened, event by event',
      'gza show greet                     # or: gza why shout, gza log, gza fsck',
    ].join('\n');
    const unfinished = views.filter(({ status }) => status !== 'completed');
    return {
      exit: unfinished.length > 0 ? 1 : 0,
      json: {
        dir,
        tasks: views.map(({ id, status, record }) => ({
          id,
          status,
          verdict: record?.final_verdict ?? null,
        })),
      },
      text,
    };
  },
};

function demoChoice(invocation: Invocation) {
  const choice = runChoice(invocation);
  if (choice.agents || choice.runner !== undefined) return choice;
  return {
    ...choice,
    runner: [process.execPath, resolve(process.argv[1] ?? ''), 'demo-agent'].map(quoted).join(' '),
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

async function makeRepository(keep: string | undefined, ports: Ports): Promise<string> {
  const dir = keep === undefined ? mkdtempSync(join(tmpdir(), 'gza-demo-')) : resolve(ports.cwd, keep);
  mkdirSync(dir, { recursive: true });
  if (readdirSync(dir).length > 0) {
    throw new GzaError('input', `${dir} is not empty, and the demo overwrites nothing`, {
      hint: 'Name a folder that does not exist yet.',
    });
  }
  for (const [path, text] of Object.entries(starting)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  const config = ['user.name=gza demo', 'user.email=demo@gza.invalid'];
  await porcelain(
    dir,
    async (git) => {
      await git.init(['--initial-branch=main']);
      await git.add('--all');
      await git.commit('A repository with three tasks');
    },
    { isolated: true, config },
  );
  return dir;
}
