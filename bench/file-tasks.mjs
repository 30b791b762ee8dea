/** Fills `tasks/` with YAML: one task a file, or many. Done ones are closed in the ledger, as a run leaves them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ledgerLibrary } from './filed-tasks.mjs';

const idOf = (number) => `part-${number}`;

export async function fillFiles(dir, tasks, perFile) {
  mkdirSync(join(dir, 'tasks'), { recursive: true });
  for (let first = 0; first < tasks.length; first += perFile) {
    const some = tasks.slice(first, first + perFile);
    const [name, text] =
      perFile === 1
        ? [idOf(first), yamlOf(some[0], '')]
        : [
            `from-${first}`,
            `tasks:\n${some.map((task) => `  - ${yamlOf(task, '    ').trimStart()}`).join('')}`,
          ];
    writeFileSync(join(dir, 'tasks', `${name}.yml`), text);
  }
  await closeDone(dir, tasks);
}

function yamlOf({ number, title, text, after }, indent) {
  const lines = [
    `id: ${idOf(number)}`,
    `title: ${JSON.stringify(title)}`,
    `content: ${JSON.stringify(text)}`,
  ];
  if (after.length > 0) lines.push(`depends_on: [${after.map(idOf).join(', ')}]`);
  return lines.map((line) => `${indent}${line}\n`).join('');
}

async function closeDone(dir, tasks) {
  const { openRepository, openLedger } = await ledgerLibrary();
  const ledger = openLedger(await openRepository(dir));
  const at = '2026-02-01T00:00:00.000Z';
  const events = tasks
    .filter(({ isDone }) => isDone)
    .flatMap(({ number, title, text, after }) => {
      const id = idOf(number);
      const depends = after.length > 0 ? { depends_on: after.map(idOf) } : {};
      const task = { id, type: 'task', title, content: text, ...depends, created_at: at };
      return [
        { kind: 'adopt', at, task },
        { kind: 'close', at, id, as: 'done' },
      ];
    });
  await ledger.write(async () => ({ changes: [{ branch: 'main', events }] }));
  ledger.close();
}
