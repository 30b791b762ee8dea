/** What a run needs of the outside beside the usual: lines as they come, live lines, two kinds of stop. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Ports } from '../app/command.ts';
import { openLiveLines } from '../app/live-lines.ts';
import { type OpenedProject, openProject } from '../app/project.ts';
import { refuseBrokenConfig } from '../app/warnings.ts';
import { keepGitFromInterrupts } from '../git/git.ts';
import { openWorkspace, type Workspace } from '../workspace/workspace.ts';
import type { WorkPorts } from './loop/loop.ts';
import { openArtifacts, openStateDir } from './loop/state-dir.ts';

/** Before anything starts git: a run must be able to save its work after Ctrl-C. */
export async function openToWork(ports: Ports): Promise<OpenedProject> {
  keepGitFromInterrupts();
  const opened = await openProject(ports, { warns: false });
  refuseBrokenConfig(opened);
  return opened;
}

export async function openWork(opened: OpenedProject): Promise<Workspace> {
  await openArtifacts(opened);
  return openClones(opened);
}

/** For looking at them: nothing is written into the work tree. */
export async function openClones(opened: OpenedProject): Promise<Workspace> {
  return openWorkspace(opened.repository, { workRoot: join(await openStateDir(opened), 'clones') });
}

const endSignals = ['SIGTERM', 'SIGHUP'] as const;

export interface RunningPorts extends WorkPorts {
  /** A signal asked it to end. A reader of a pipe that has gone did not. */
  readonly wasInterrupted: () => boolean;
  readonly close: () => void;
}

export function workPorts(ports: Ports, quiet: boolean): RunningPorts {
  const stop = new AbortController();
  const soft = new AbortController();
  const isApart = (line: string) => ports.columns === null && line.startsWith('warning: ');
  let asked = 0;
  const end = () => {
    soft.abort();
    stop.abort();
  };
  const ended = () => {
    asked += 1;
    end();
  };
  // `gza work | head`: as for SIGTERM, since whoever asked has gone.
  const lines = openLiveLines(quiet ? null : process.stdout, ports.columns, { onClosed: end });
  const interrupted = () => {
    asked += 1;
    soft.abort();
    if (asked === 1)
      lines.say('Stopping: nothing new is started. Once more stops the running steps, and saves.');
    else stop.abort();
  };
  process.on('SIGINT', interrupted);
  for (const name of endSignals) process.on(name, ended);
  return {
    ...ports,
    signal: soft.signal,
    stopNow: stop.signal,
    say: (line) => lines.say(line),
    live: (id, line) => lines.live(id, line),
    // On a terminal warnings would tear the lines that are drawn again.
    progress: (line) => (quiet || isApart(line) ? ports.progress(line) : lines.say(line)),
    sleep: async (ms, signal) => {
      await wait(ms, undefined, { signal }).catch(() => {});
    },
    wasInterrupted: () => asked > 0,
    close: () => {
      process.off('SIGINT', interrupted);
      for (const name of endSignals) process.off(name, ended);
      lines.close();
    },
  };
}
