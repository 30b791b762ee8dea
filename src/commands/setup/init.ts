import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Invocation, Ports } from '../../app/command.ts';
import { recogniseProject } from '../../core/doctor/recognise-project.ts';
import { isRepository } from '../../core/doctor/repository-of-url.ts';
import { GzaError } from '../../core/errors.ts';
import { branchNameFault } from '../../core/task/task.ts';
import { afterInit } from '../../core/text/doctor/after-init.ts';
import { agentSetups } from '../../core/text/doctor/caller-workflow.ts';
import { type Home, home } from '../../core/text/doctor/home.ts';
import { agentsSection, starterFiles } from '../../core/text/doctor/starter.ts';
import { openRepository } from '../../git/repository.ts';
import { findingsBeforePush } from './doctor.ts';
import { findDefaultBranch, writeWorkflow } from './init-github.ts';
import { type Did, type Written, writeFile } from './written.ts';

export const command: Command = {
  spec: {
    name: 'init',
    summary: 'make a repository ready: gza.yaml, tasks/, a section in AGENTS.md',
    forPeople: true,
    arguments: [],
    details:
      'What exists is left as it is, but for the marked section, which is brought up to date. `setup` and `verify` in gza.yaml are what the lockfile and the tests of the project suggest. At a terminal it asks for the agent, the checks and the schedule, Enter takes what is offered, and it looks for what would keep a first run from working.',
    options: [
      { name: 'github', type: 'flag', help: 'also the workflow that works on the tasks in GitHub Actions' },
      {
        name: 'inline',
        type: 'flag',
        help: 'with --github: the whole workflow, for runners of your own, every action named by commit',
      },
      {
        name: 'update',
        type: 'flag',
        help: 'with --github: add what the workflow there lacks; what you changed in it stays',
      },
      {
        name: 'tell',
        type: 'many',
        value: '<file>',
        help: 'where agents are told of the tasks: AGENTS.md (default), CLAUDE.md, or none; several with a comma',
      },
      { name: 'yes', type: 'flag', help: 'ask nothing, also at a terminal' },
      {
        name: 'from',
        type: 'text',
        value: '<owner/name@ref>',
        help: `with --github: whose gza the workflow calls (default ${home.repository}@${home.ref})`,
      },
    ],
    examples: [
      { command: 'gza init', shows: 'created gza.yaml, tasks/example.yml, …' },
      { command: 'gza init --github', shows: 'created .github/workflows/gza.yml, and what to switch on' },
      {
        command: 'gza init --github --update',
        shows: 'updated .github/workflows/gza.yml, and each event, permission and secret that it lacked',
      },
      {
        command: 'gza init --github --from acme/gza@main',
        shows: 'the same with a copy of gza that you may change',
      },
    ],
  },
  run: async ({ options }, ports) => {
    const repository = await openRepository(ports.cwd);
    const { workTree } = repository;
    if (workTree === null) {
      throw new GzaError('input', 'a bare repository has no files; run gza init in a clone');
    }
    const flag = (name: string) => options[name] === true;
    for (const name of ['inline', 'update'].filter((one) => flag(one) && !flag('github')))
      throw new GzaError('usage', `--${name} is about the workflow: it goes with --github`);
    const from = homeAsked(options['from'], flag('github'));
    const recognised = recogniseProject((name) => readTop(workTree, name));
    const isFresh = !existsSync(join(workTree, 'gza.yaml'));
    const asks = isFresh && !flag('yes') && !flag('update') ? ports.ask : undefined;
    const answers = await ask(asks, { verify: recognised.verify, onGithub: flag('github') });
    const { agent, onGithub, hourly } = answers;
    const project = answers.verify === undefined ? recognised : { ...recognised, verify: answers.verify };
    const hasTasks = existsSync(join(workTree, 'tasks'));
    const results: Written[] = [...starterFiles({ ...project, ...(agent ? { agent } : {}) })]
      .filter(([path]) => !(hasTasks && path.startsWith('tasks/')))
      .map(([path, text]) => ({ path, did: writeFile(workTree, path, text, false) }));
    for (const path of toldIn(options['tell'] ?? answers.tell))
      results.push({ path, did: writeSection(join(workTree, path)) });
    const branch = onGithub ? await findDefaultBranch(repository) : null;
    if (branch) {
      const { tool } = project;
      const setup = agent === undefined ? undefined : (agentSetups[agent] ?? '');
      const how = { from, inline: flag('inline'), update: flag('update'), branch, tool, setup, hourly };
      results.push(...(await writeWorkflow(workTree, how, ports)));
    }
    const lines = results.flatMap(({ path, did, what = [] }) => [
      `${did.padEnd(9)} ${path}`,
      ...what.map((one) => `          + ${one}`),
    ]);
    const created = new Set(results.filter(({ did }) => did === 'created').map(({ path }) => path));
    const written = results.filter(({ did }) => did !== 'kept').map(({ path }) => path);
    const { head } = repository;
    const after = { created, written, project, branch, current: head.branch, isUpdate: flag('update') };
    const next = afterInit({ ...after, isFromAsked: from !== null });
    const found = asks === undefined ? [] : await findingsBeforePush(ports, onGithub);
    return { json: results, text: [...lines, '', next, ...found].join('\n') };
  },
};

const toldFiles = ['AGENTS.md', 'CLAUDE.md'];

function toldIn(asked: Invocation['options'][string] = toldFiles[0]): string[] {
  const names = [asked].flat().flatMap((one) => String(one).split(','));
  const unknown = names.find((one) => one !== 'none' && !toldFiles.includes(one));
  if (unknown === undefined) return toldFiles.filter((one) => names.includes(one));
  throw new GzaError(
    'usage',
    `--tell takes AGENTS.md, CLAUDE.md or none, found ${JSON.stringify(unknown.slice(0, 100))}`,
    {
      hint: 'gza init --tell AGENTS.md,CLAUDE.md',
    },
  );
}

interface Answers {
  readonly agent?: string | undefined;
  readonly verify?: string | undefined;
  readonly onGithub: boolean;
  readonly hourly?: boolean | undefined;
  readonly tell?: string | undefined;
}

/** Asks a few questions. Enter accepts the suggested answer. */
async function ask(
  asks: Ports['ask'],
  { verify, onGithub }: { readonly verify: string | undefined; readonly onGithub: boolean },
): Promise<Answers> {
  if (asks === undefined) return { onGithub };
  const answer = async (question: string, usual: string) =>
    (await asks(`${question} [${usual}] `)).trim() || usual;
  const agent = await answer(
    'Which agent does the work: claude, codex, gemini, opencode, copilot?',
    'claude',
  );
  const checks = await answer('Which command must succeed after every task?', verify ?? 'none');
  const onCi = onGithub || /^y/i.test(await answer('Work on GitHub Actions too, y or n?', 'n'));
  const look = onCi
    ? await answer('There it looks by itself every 6 hours, or every hour: 6 or 1?', '6')
    : '6';
  const tell = await answer(
    'Tell agents of the tasks in AGENTS.md, CLAUDE.md, both with a comma, or none?',
    'AGENTS.md',
  );
  return {
    agent,
    tell,
    verify: checks === 'none' ? undefined : checks,
    onGithub: onCi,
    hourly: look === '1',
  };
}

function homeAsked(asked: unknown, onGithub: boolean): Home | null {
  if (typeof asked !== 'string') return null;
  if (!onGithub)
    throw new GzaError('usage', '--from says whose gza the workflow calls: it goes with --github');
  const [, repository = '', ref = ''] = /^([^@]*)@(.*)$/.exec(asked) ?? [];
  const isCommit = /^[0-9a-f]{40}$/.test(ref);
  const refFault = isCommit ? null : branchNameFault(ref);
  const fault = isRepository(repository) ? refFault : 'is not owner/name@ref';
  if (fault === null) return { repository, ref };
  throw new GzaError(
    'usage',
    `--from ${JSON.stringify(asked.slice(0, 200))} ${ref === '' ? 'is not owner/name@ref' : fault}`,
    {
      hint: `Name the repository and a tag, branch or commit of it: --from ${home.repository}@${home.ref}`,
    },
  );
}

const topBytesMax = 20 << 20;

/** Reads a file at the top of the repository. */
export function readTop(root: string, name: string): string | null {
  const file = join(root, name);
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() && found.size <= topBytesMax ? readFileSync(file, 'utf8') : null;
}

const section = /<!-- gza -->[\s\S]*?<!-- \/gza -->\n?/;

function writeSection(file: string): Did {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : null;
  if (before === null) {
    writeFileSync(file, agentsSection);
    return 'created';
  }
  const text = section.test(before)
    ? before.replace(section, () => agentsSection)
    : `${before.trimEnd()}\n\n${agentsSection}`;
  if (text === before) return 'kept';
  writeFileSync(file, text);
  return section.test(before) ? 'updated' : 'extended';
}
