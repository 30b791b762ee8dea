/**
 * The project's checks on the commit that work begins from. What fails there is nobody's work: it spends no attempt,
 * and nothing else begins from that commit, except for a task with `baseline: skip`, which mends it.
 */
import { failedChecks, type Verification } from '../../core/checks/verification.ts';
import type { Baseline } from '../../core/ledger/baseline.ts';
import { firstLine } from '../../core/markdown/neutralise.ts';
import { failureForPrompt } from '../../core/text/verification.ts';
import { objectFolders } from '../../workspace/clone-folder.ts';
import { discardClone, type Workspace } from '../../workspace/workspace.ts';
import { stateDirOf } from '../loop/state-dir.ts';
import type { PerformInput } from '../perform/perform.ts';
import { type VerifyCommands, type VerifyOptions, verify } from './verify.ts';

type Checked = Pick<PerformInput, 'project' | 'view'>;

/** What the project asks of every task; a task's own tests and its own `verify` never count. */
export function projectChecks({ project, view }: Checked): VerifyCommands | null {
  const settings = project.settings(view.task);
  const verify = settings.verify ?? project.config.verify;
  if (settings.baseline === 'skip' || view.task.verify !== undefined || verify === undefined) return null;
  return { setup: project.config.setup, verify };
}

/** Whether what failed may be the base's fault. */
export function mayBlameBase(verification: Verification): boolean {
  const failed = failedChecks(verification);
  const isOfProject = failed.every(({ name }) => name === 'setup' || name === 'verify');
  return failed.length > 0 && isOfProject && failed.every(({ endedBy }) => endedBy !== 'cancelled');
}

interface BaselineInput extends Checked, Pick<VerifyOptions, 'signal' | 'onLine'> {
  readonly workspace: Workspace;
  readonly commands: VerifyCommands;
  readonly base: { readonly branch: string; readonly commit: string };
  readonly caller: PerformInput['caller'];
  /** Of the clone that is made and thrown away. */
  readonly name: string;
}

/** Null where it was stopped. */
export async function checkBaseline(input: BaselineInput): Promise<Baseline | null> {
  const { project, workspace, commands, base, caller, name, signal, onLine } = input;
  const clone = await workspace.createClone({
    name,
    branch: 'gza-look/baseline',
    start: base.commit,
    base,
    purpose: 'review',
  });
  try {
    const verification = await verify({
      treeDir: clone.treeDir,
      task: {},
      commands,
      limits: { timeoutMs: 1_800_000, idleMs: 600_000 },
      logPath: `${stateDirOf(project)}/logs/baseline-${base.commit.slice(0, 12)}.log`,
      env: caller,
      sandbox: { ...project.config, caller },
      read: await objectFolders(workspace.repository.objectsDir),
      signal,
      onLine,
    });
    if (failedChecks(verification).some(({ endedBy }) => endedBy === 'cancelled')) return null;
    const failed = verification.ok ? null : firstLine(failureForPrompt(verification), 500);
    return { commit: base.commit, failed };
  } finally {
    await discardClone(clone);
  }
}
