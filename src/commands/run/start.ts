/**
 * `gza start "do X"`: leads from nothing to the first reviewed branch. Everything that is missing is reported
 * at once, before anything is written.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Invocation, Outcome, Ports } from '../../app/command.ts';
import type { OpenedProject } from '../../app/project.ts';
import { fileRecord } from '../../app/tasks/change-task.ts';
import { builtInConfig, knownAgents } from '../../core/config/config.ts';
import { type Judged, wrong } from '../../core/doctor/judged.ts';
import { recogniseProject } from '../../core/doctor/recognise-project.ts';
import { GzaError } from '../../core/errors.ts';
import { titleOf } from '../../core/task/task.ts';
import { agentSetups } from '../../core/text/doctor/caller-workflow.ts';
import { starterFiles } from '../../core/text/doctor/starter.ts';
import { plainText } from '../../core/text/terminal/lines.ts';
import { openToWork } from '../../engine/loop/work-run.ts';
import { agentOptions, runChoice } from '../agent-options.ts';
import { openHere } from '../setup/doctor.ts';
import { readTop } from '../setup/init.ts';
import { agentJudged, machineJudged } from '../setup/machine.ts';
import { writeFile } from '../setup/written.ts';
import { runWork, workOutcome } from './work.ts';

export const command: Command = {
  spec: {
    name: 'start',
    summary: 'from one sentence to a reviewed branch: finds the agent and the checks, files the task, works',
    forPeople: true,
    arguments: [{ name: 'text', many: true }],
    details:
      'Where there is no gza.yaml it writes one, with an agent that is installed and has a key or a login, and the checks that the project suggests. If anything is missing, it says all of it, with what to do, and changes nothing. Your branch and files stay as they are.',
    options: agentOptions,
    examples: [
      {
        command: 'gza start "Refuse empty names"',
        shows: 'implement, review, improve; then how to look and merge',
      },
      { command: 'gza start "Refuse empty names" --codex', shows: 'the same, with Codex' },
    ],
  },
  run,
};

async function run(invocation: Invocation, ports: Ports): Promise<Outcome> {
  const content = invocation.args.join(' ').trim();
  if (content === '')
    throw new GzaError('usage', 'gza start takes what should be done', {
      hint: 'gza start "Refuse empty names"',
    });
  const isQuiet = invocation.options['json'] === true;
  const here = await openHere(ports);
  const ready = await readiness('says' in here ? null : here, invocation, ports);
  const missing = ['says' in here ? here : null, ...ready.missing].filter((one) => one !== null);
  if (missing.length > 0) {
    const lines = missing.map(
      ({ says, todo }) => `${ports.style.red('✗')} ${plainText(says)}\n    ${plainText(todo ?? '')}`,
    );
    const text = ['Before gza can start here:', ...lines, 'Then the same again. Nothing was changed.'].join(
      '\n',
    );
    return { exit: 1, json: { missing }, text };
  }
  if (ready.file !== null) {
    writeFile(ready.root, 'gza.yaml', ready.file, false);
    if (!isQuiet) ports.progress(`created gza.yaml: ${ready.chosen}`);
  }
  const opened = await openToWork(ports);
  const fields = { type: 'implement', title: titleOf(content), content, auto_review: true } as const;
  const { record } = await fileRecord(opened, fields, ports);
  const { push } = opened.config;
  const request = { scope: [record.id], choice: runChoice(invocation), offline: false, push, noWait: true };
  const result = await runWork(opened, request, ports, isQuiet);
  const outcome = workOutcome(result, ports);
  const branch = result.project.board.views.get(record.id)?.record?.lane?.branch;
  const came = branch === undefined ? [] : await whatCame(opened, record.id, branch, ready.file !== null);
  return { ...outcome, text: [outcome.text, ...came].join('\n') };
}

interface Ready {
  readonly missing: readonly Judged[];
  readonly root: string;
  /** The text for a new gza.yaml; null when there is one. */
  readonly file: string | null;
  readonly chosen: string;
}

async function readiness(opened: OpenedProject | null, invocation: Invocation, ports: Ports): Promise<Ready> {
  const root = opened?.repository.workTree ?? ports.cwd;
  const isFresh = !existsSync(join(root, 'gza.yaml'));
  const { agents, runner } = runChoice(invocation);
  const isAsked = agents !== undefined || runner !== undefined;
  const machine = (await machineJudged(opened, ports)).filter(({ level }) => level === 'problem');
  const isOfAgent = ({ says }: Judged) => says.startsWith('The agent ');
  const others = machine.filter((one) => !isOfAgent(one));
  const first = opened === null ? [] : await noCommit(opened);
  if (!isFresh) {
    const ofAgent = isAsked ? [] : machine.filter(isOfAgent);
    return { missing: [...first, ...others, ...ofAgent], root, file: null, chosen: '' };
  }
  const place = { env: ports.env, cwd: root };
  const judged = await Promise.all(
    knownAgents.map((name) => agentJudged(name, true, opened?.config ?? builtInConfig, place)),
  );
  const found = agents?.[0] ?? knownAgents.find((_, at) => judged[at]?.level === 'ok');
  const missing = [
    ...first,
    ...others,
    ...(found === undefined && runner === undefined ? [noAgent(judged)] : []),
  ];
  const { setup, verify } = recogniseProject((name) => readTop(root, name));
  const options = {
    ...(setup ? { setup } : {}),
    ...(verify ? { verify } : {}),
    ...(found ? { agent: found } : {}),
  };
  const checks =
    verify === undefined ? 'no checks were found, so name them as `verify`' : `checked by \`${verify}\``;
  const chosen = `${found ?? 'your command'}, ${checks}`;
  return { missing, root, file: starterFiles(options).get('gza.yaml') ?? null, chosen };
}

/** Reports a repository without commits, because an agent's branch needs one to begin at. */
async function noCommit({ repository }: OpenedProject): Promise<Judged[]> {
  const { code } = await repository.git.run(['rev-parse', '--verify', '--quiet', 'HEAD']);
  if (code === 0) return [];
  return [
    wrong('machine', 'problem', 'The repository has no commit yet.', 'git add -A && git commit -m "Begin"'),
  ];
}

/** Suggests an agent that only lacks a key first, because that is the quickest to fix. */
function noAgent(judged: readonly Judged[]): Judged {
  const near = judged.find(({ says }) => says.includes('neither a key nor a login'));
  if (near) return near;
  const install = Object.values(agentSetups).join('\n    or: ');
  return wrong(
    'machine',
    'problem',
    `No agent is installed: ${knownAgents.join(', ')}.`,
    `${install}\n    and log in with it`,
  );
}

/** Lines that show what the branch contains and how to continue. */
async function whatCame(
  { repository, ledger }: OpenedProject,
  id: string,
  branch: string,
  isFresh: boolean,
): Promise<string[]> {
  const { base } = await ledger.view();
  const stat = await repository.git.run(['diff', '--shortstat', `${base}...${branch}`]);
  const changed = stat.stdout.toString('utf8').trim();
  return [
    '',
    `${branch}${changed === '' ? '' : `: ${changed}`}`,
    `  look at it   gza diff ${id}, gza show ${id}`,
    `  change it    gza improve ${id} "what to do"`,
    `  take it      git merge ${branch}`,
    ...(isFresh ? ['  keep gza     git add gza.yaml && git commit -m "Let gza work here"'] : []),
  ];
}
