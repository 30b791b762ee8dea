import { setTimeout as wait } from 'node:timers/promises';
import type { Command, Ports } from '../../app/command.ts';
import { readinessIn, summariseProject } from '../../app/facts/facts.ts';
import { cyclesMax, loadProject, type OpenedProject, openProject } from '../../app/project.ts';
import { GzaError } from '../../core/errors.ts';
import { drawing, watchText } from '../../core/text/terminal/watch.ts';
import { listRefs } from '../../git/refs.ts';
import { fetchLedgers, trackedTips, trackingPrefix } from '../../ledger/sync/remote-refs.ts';
import { GitView } from '../../ledger/view.ts';
import { print } from '../../system/print.ts';
import { lastLine } from './transcript.ts';

/** Ended leases and edited task files change no ref, so files are read after this many looks at the refs. */
const looksBetweenReads = 10;
const fetchSecondsMin = 15;

export const command: Command = {
  spec: {
    name: 'watch',
    summary: 'the board, live: drawn again when something changed',
    arguments: [],
    details:
      'On a terminal the screen is redrawn; in a pipe each change is printed once, with a blank line between. Ctrl-C ends it.',
    options: [
      { name: 'remote', type: 'flag', help: 'fetch and show the state of origin instead of this clone’s' },
      { name: 'from', type: 'text', value: '<remote>', help: 'another remote than origin; implies --remote' },
      {
        name: 'interval',
        type: 'number',
        value: '<seconds>',
        help: 'between two looks (2; with --remote 30)',
      },
      { name: 'once', type: 'flag', help: 'print it once and end' },
    ],
    examples: [
      { command: 'gza watch', shows: 'what runs, what waits for you, what is next' },
      { command: 'gza watch --remote', shows: 'what happens in CI' },
    ],
  },
  run: async ({ options }, ports) => {
    if (options['json'] === true && options['once'] !== true)
      throw new GzaError('usage', 'watch has no end, so it prints no JSON', {
        hint: `${ports.program} summary --json, or ${ports.program} watch --once --json`,
      });
    const remote =
      (options['from'] as string | undefined) ?? (options['remote'] === true ? 'origin' : undefined);
    const asked = options['interval'] as number | undefined;
    const seconds = remote === undefined ? (asked ?? 2) : Math.max(fetchSecondsMin, asked ?? 30);
    const watch = { remote, seconds: Math.max(0.2, seconds), once: options['once'] === true };
    return watchLoop(watch, ports);
  },
};

interface Watch {
  readonly remote: string | undefined;
  readonly seconds: number;
  readonly once: boolean;
}

async function watchLoop({ remote, seconds, once }: Watch, ports: Ports) {
  let opened = await openProject(ports);
  let [seen, drawn] = ['', ''];
  for (let tick = 0; !ports.signal.aborted; tick += 1) {
    if (remote !== undefined) await fetchSafely(opened, remote, ports);
    const refs = await fingerprint(opened, remote);
    if (refs !== seen || tick % looksBetweenReads === 0) {
      seen = refs;
      if (tick > 0) opened = await reopen(opened, ports);
      const { text, json } = await render(opened, remote, ports);
      if (once) return { json, text };
      const change = drawing(text, drawn, ports.columns !== null);
      if (change !== '' && !(await print(1, change))) break;
      drawn = text;
    }
    await wait(seconds * 1000, undefined, { signal: ports.signal }).catch(() => {});
  }
  opened.ledger.close();
  return { json: null, text: '' };
}

/** Opens the project again, because task files may have changed. Restarts the object reader too. */
async function reopen(before: OpenedProject, ports: Ports): Promise<OpenedProject> {
  before.ledger.close();
  return openProject(ports);
}

/** Takes one git process, however many refs there are. */
async function fingerprint(
  { repository, ledger }: OpenedProject,
  remote: string | undefined,
): Promise<string> {
  const where = remote === undefined ? ledger.store.namespace : trackingPrefix(remote).slice(0, -1);
  const rows = await listRefs(repository, [where]);
  return rows.map(({ ref, oid }) => `${ref} ${oid}`).join('\n');
}

/** Only warns when the network fails, so that the watch goes on. */
async function fetchSafely({ ledger }: OpenedProject, remote: string, ports: Ports): Promise<void> {
  try {
    await fetchLedgers(ledger.store, { remote });
  } catch (error) {
    if (!(error instanceof GzaError) || error.code !== 'world') throw error;
    ports.progress(`warning: ${error.message.split('\n')[0]}`);
  }
}

/** For at most this many tasks the last log line is shown. */
const lanesRead = 10;

async function render(opened: OpenedProject, remote: string | undefined, ports: Ports) {
  const source = remote === undefined ? opened : await atRemote(opened, remote);
  const project = await loadProject(ports, source);
  const summary = await summariseProject(project);
  const atWork = [...project.board.views.values()].filter(({ claim }) => claim?.step !== undefined);
  const last = new Map<string, string>();
  for (const { id } of atWork.slice(0, lanesRead)) last.set(id, await lastLine(project, id));
  const text = watchText(project.board, summary, {
    lastLine: ({ id }) => last.get(id),
    style: ports.style,
    columns: ports.columns,
    rows: ports.columns === null ? null : (process.stdout.rows ?? 40),
    cyclesMax: cyclesMax(project),
    readiness: await readinessIn(project),
    source: remote === undefined ? '' : `on ${remote}`,
  });
  return { text, json: summary };
}

/** Shows the fetched ledgers instead of this clone's own. */
async function atRemote(opened: OpenedProject, remote: string): Promise<OpenedProject> {
  const { ledger } = opened;
  const { base } = await ledger.view();
  const tips = await trackedTips(ledger.store, remote);
  const view = new GitView(ledger.store, ledger.rows, { base, tips, problems: [], unread: [] });
  return { ...opened, ledger: { ...ledger, view: async () => view } };
}
