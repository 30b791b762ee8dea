/**
 * The other task tools that npm can install: not dependencies, never in this repository. Each is given the same
 * tasks in its own format, and asked in its own words.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openScratch, root } from './scratch.mjs';

const at = '2026-01-01T00:00:00.000Z';

export const peers = [
  {
    name: 'simple-task-master',
    version: '0.3.1',
    bin: 'stm',
    sizesMax: 10_000,
    fill: fillSimpleTaskMaster,
    verbs: (first) => ({
      // It has no query for what is ready; this is the nearest.
      ready: ['list', '--status', 'pending'],
      list: ['list'],
      add: ['add', 'One more'],
      claim: ['update', String(first), '--status', 'in-progress', '--no-editor'],
      show: ['show', String(first)],
    }),
  },
  {
    name: '@zeeg/dex',
    version: '0.16.0',
    bin: 'dex',
    sizesMax: 100_000,
    fill: fillDex,
    verbs: (first) => ({
      ready: ['list', '--ready', '--json'],
      list: ['list', '--all', '--json'],
      add: ['create', 'One more', '--description', 'text'],
      claim: ['start', dexId(first - 1), '--force'],
      show: ['show', dexId(first - 1)],
    }),
  },
  {
    name: 'backlog.md',
    version: '1.52.0',
    bin: 'backlog',
    sizesMax: 10_000,
    fill: fillBacklog,
    verbs: (first) => ({
      ready: ['task', 'list', '--ready', '--json'],
      list: ['task', 'list', '--json'],
      add: ['task', 'create', 'One more', '--plain'],
      claim: ['task', 'edit', String(first), '-s', 'In Progress', '-a', '@me', '--plain'],
      show: ['task', String(first), '--plain'],
    }),
  },
  {
    name: 'task-master-ai',
    version: '0.43.1',
    bin: 'task-master',
    sizesMax: 10_000,
    fill: fillTaskMaster,
    verbs: (first) => ({
      ready: ['list', '--ready', '--json'],
      list: ['list', '--json'],
      add: ['add-task', '--title=One more', '--description=text'],
      claim: ['set-status', `--id=${first}`, '--status=in-progress'],
      show: ['show', String(first), '-f', 'json'],
    }),
  },
];

/** Installs what is missing; answers those that are there, and why the others are not. */
export function installPeers(dir) {
  if (!dir)
    return { found: [], missing: peers.map(({ name }) => `${name}: not asked for (--peers <folder>)`) };
  const folder = resolve(dir);
  if (`${folder}/`.startsWith(`${root}/`))
    throw new Error(`--peers ${dir}: a folder outside of the repository`);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, 'package.json')))
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const missing = [];
  const found = [];
  for (const peer of peers) {
    const bin = join(folder, 'node_modules', '.bin', peer.bin);
    try {
      if (!existsSync(bin)) {
        const args = ['install', '--no-audit', '--no-fund', `${peer.name}@${peer.version}`];
        execFileSync('npm', args, { cwd: folder, stdio: 'pipe', timeout: 900_000 });
      }
      found.push({ ...peer, bin });
    } catch (error) {
      missing.push(`${peer.name}: npm could not install it (${String(error.message).split('\n')[0]})`);
    }
  }
  return { found, missing };
}

/** The peer's own repository with the tasks in it. */
export function openPeer(peer, dir, tasks) {
  const { env } = openScratch(dir);
  peer.fill(dir, tasks, { bin: peer.bin, env });
  return { dir, env };
}

function status({ isDone }, done, open) {
  return isDone ? done : open;
}

function fillSimpleTaskMaster(dir, tasks, { bin, env }) {
  execFileSync(bin, ['init'], { cwd: dir, env, stdio: 'ignore' });
  for (const task of tasks) {
    const id = task.number + 1;
    const text = `---
schema: 1
id: ${id}
title: ${JSON.stringify(task.title)}
status: ${status(task, 'done', 'pending')}
created: "${at}"
updated: "${at}"
tags: []
dependencies: [${task.after.map((other) => other + 1).join(', ')}]
---

## Why & what

${task.text}
`;
    writeFileSync(join(dir, '.simple-task-master', 'tasks', `${id}-part.md`), text);
  }
}

function dexId(number) {
  return number.toString(36).padStart(8, 'q');
}

function fillDex(dir, tasks) {
  mkdirSync(join(dir, '.dex'));
  const blocks = new Map();
  for (const { number, after } of tasks) {
    for (const other of after) blocks.set(other, [...(blocks.get(other) ?? []), dexId(number)]);
  }
  const lines = tasks.map((task) =>
    JSON.stringify({
      id: dexId(task.number),
      parent_id: null,
      name: task.title,
      description: task.text,
      priority: 1,
      completed: task.isDone,
      result: task.isDone ? 'done' : null,
      metadata: null,
      created_at: at,
      updated_at: at,
      started_at: task.isDone ? at : null,
      completed_at: task.isDone ? at : null,
      blockedBy: task.after.map(dexId),
      blocks: blocks.get(task.number) ?? [],
      children: [],
    }),
  );
  writeFileSync(join(dir, '.dex', 'tasks.jsonl'), `${lines.join('\n')}\n`);
}

function fillBacklog(dir, tasks, { bin, env }) {
  execFileSync(bin, ['init', 'bench', '--defaults'], { cwd: dir, env, stdio: 'ignore' });
  execFileSync(bin, ['config', 'set', 'remoteOperations', 'false'], { cwd: dir, env, stdio: 'ignore' });
  mkdirSync(join(dir, 'backlog', 'tasks'), { recursive: true });
  for (const task of tasks) {
    const id = task.number + 1;
    const depends = task.after.map((other) => `\n  - TASK-${other + 1}`).join('') || ' []';
    const text = `---
id: TASK-${id}
title: ${JSON.stringify(task.title)}
status: ${status(task, 'Done', 'To Do')}
assignee: []
created_date: '2026-01-01 00:00'
labels: []
dependencies:${depends}
ordinal: ${id}000
---

## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
${task.text}
<!-- SECTION:DESCRIPTION:END -->
`;
    writeFileSync(join(dir, 'backlog', 'tasks', `task-${id} - part.md`), text);
  }
}

function fillTaskMaster(dir, tasks, { bin, env }) {
  execFileSync(bin, ['init', '-y', '--name=bench'], { cwd: dir, env, stdio: 'ignore' });
  const all = tasks.map((task) => ({
    id: task.number + 1,
    title: task.title,
    description: task.text.slice(0, 100),
    details: task.text,
    testStrategy: '',
    status: status(task, 'done', 'pending'),
    dependencies: task.after.map((other) => other + 1),
    priority: 'medium',
    subtasks: [],
  }));
  const metadata = { created: at, updated: at, description: 'bench' };
  mkdirSync(join(dir, '.taskmaster', 'tasks'), { recursive: true });
  writeFileSync(
    join(dir, '.taskmaster', 'tasks', 'tasks.json'),
    `${JSON.stringify({ master: { tasks: all, metadata } }, null, 2)}\n`,
  );
}
