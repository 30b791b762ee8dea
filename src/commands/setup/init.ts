import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Command } from '../../app/command.ts';
import { recogniseProject } from '../../core/doctor/recognise-project.ts';
import { isRepository } from '../../core/doctor/repository-of-url.ts';
import { GzaError } from '../../core/errors.ts';
import { branchNameFault } from '../../core/task/branch-name.ts';
import { afterInit } from '../../core/text/doctor/after-init.ts';
import { agentSetup, callerPath, callerWorkflow } from '../../core/text/doctor/caller-workflow.ts';
import { type Home, home } from '../../core/text/doctor/home.ts';
import { agentsSection, starterFiles } from '../../core/text/doctor/starter.ts';
import { openRepository, type Repository } from '../../git/open-repository.ts';
import { porcelain } from '../../git/porcelain.ts';

type Did = 'created' | 'kept' | 'updated' | 'extended';

export const command: Command = {
  spec: {
    name: 'init',
    summary: 'make a repository ready: gza.yaml, tasks/, a section in AGENTS.md',
    forPeople: true,
    arguments: [],
    details:
      'What exists is left as it is, but for the marked section, which is brought up to date. `setup` and `verify` in gza.yaml are what the lockfile and the tests of the project suggest.',
    options: [
      { name: 'github', type: 'flag', help: 'also the workflow that works on the tasks in GitHub Actions' },
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
    const onGithub = options['github'] === true;
    const from = homeAsked(options['from'], onGithub);
    const project = recogniseProject((name) => readTop(workTree, name));
    const hasTasks = existsSync(join(workTree, 'tasks'));
    const results = [...starterFiles(project)]
      .filter(([path]) => !(hasTasks && path.startsWith('tasks/')))
      .map(([path, text]) => ({ path, did: writeStarter(workTree, path, text) }));
    results.push({ path: 'AGENTS.md', did: writeSection(join(workTree, 'AGENTS.md')) });
    const branch = onGithub ? await findDefaultBranch(repository) : null;
    if (branch) {
      const setup = [agentSetup, project.tool].filter((one) => one !== undefined).join(' && ');
      const text = callerWorkflow({
        minute: minuteOf(workTree),
        branch: branch.name,
        setup,
        ...(from ? { from } : {}),
      });
      results.push({ path: callerPath, did: writeStarter(workTree, callerPath, text) });
    }
    const lines = results.map(({ path, did }) => `${did.padEnd(9)} ${path}`);
    const created = new Set(results.filter(({ did }) => did === 'created').map(({ path }) => path));
    const { head } = repository;
    const next = afterInit({ created, project, branch, current: head.branch, isFromAsked: from !== null });
    return { json: results, text: [...lines, '', next].join('\n') };
  },
};

function homeAsked(asked: unknown, onGithub: boolean): Home | null {
  if (typeof asked !== 'string') return null;
  if (!onGithub)
    throw new GzaError('usage', '--from says whose gza the workflow calls: it goes with --github');
  const [, repository = '', ref = ''] = /^([^@]*)@(.*)$/.exec(asked) ?? [];
  const fault = isRepository(repository) ? branchNameFault(ref) : 'is not owner/name@ref';
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

function readTop(root: string, name: string): string | null {
  const file = join(root, name);
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() && found.size <= topBytesMax ? readFileSync(file, 'utf8') : null;
}

/** The same for a repository each time, and not for all repositories the same: they would all wake at once. */
function minuteOf(workTree: string): number {
  let sum = 0;
  for (const character of basename(workTree)) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 53;
  return 3 + sum;
}

function writeStarter(root: string, path: string, text: string): Did {
  const file = join(root, path);
  if (existsSync(file)) return 'kept';
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return 'created';
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

export interface DefaultBranch {
  readonly name: string;
  /** `origin`: the remote says so. `custom`: it is called main or master. `current`: nothing says so. */
  readonly from: 'origin' | 'custom' | 'current';
}

/** It is a person that waits. */
const askMs = 5_000;

async function findDefaultBranch({ git, head }: Repository): Promise<DefaultBranch> {
  const known = await git.run(['symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD']);
  const name = known.stdout
    .toString('utf8')
    .trim()
    .replace(/^refs\/remotes\/origin\//, '');
  if (known.code === 0 && name !== '') return { name, from: 'origin' };
  const asked = await porcelain(git.cwd, (there) => there.listRemote(['--symref', '--', 'origin', 'HEAD']), {
    timeoutMs: askMs,
  }).catch(() => '');
  const [, told] = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(asked) ?? [];
  if (told !== undefined && branchNameFault(told) === null) return { name: told, from: 'origin' };
  for (const custom of ['main', 'master']) {
    const ref = await git.run(['show-ref', '--verify', '--quiet', `refs/heads/${custom}`]);
    if (ref.code === 0) return { name: custom, from: 'custom' };
  }
  return head.branch === null ? { name: 'main', from: 'custom' } : { name: head.branch, from: 'current' };
}
