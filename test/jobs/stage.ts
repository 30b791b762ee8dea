/** A repository on the fake GitHub that calls this product, with an agent that follows a script. */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { callerWorkflow } from '../../src/core/text/doctor/caller-workflow.ts';
import { type Github, type StartOptions, startGithub } from '../github/github.ts';
import type { Snapshot } from '../github/snapshot.ts';
import { runWorkflows } from '../github/workflow.ts';
import type { WorkflowOptions } from '../github/workflow-types.ts';
import { buildProduct } from './product.ts';

export const scriptedAgent = fileURLToPath(new URL('scripted-agent.mjs', import.meta.url));

export const config = `
agent: scripted
agents:
  scripted:
    command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(scriptedAgent)}]
    prompt_via: stdin
verify: node --check src/answer.js
`;

/** The same, but its reviews approve at once. */
export const approving = config.replace('scripted-agent.mjs"', 'scripted-agent.mjs", "content"');

export const task = 'type: implement\ntitle: Answer\nprompt: Write the answer.\n';

export interface Stage {
  /** The folder with this product. */
  readonly product: string;
  readonly github: Github;
  readonly play: (options?: Partial<WorkflowOptions>) => ReturnType<typeof runWorkflows>;
  readonly file: (revision: string, path: string) => Promise<string | undefined>;
  /** Names of the ledgers on the remote. */
  readonly ledgers: () => Promise<string>;
}

let product: string | undefined;

export async function openStage(
  files: Readonly<Record<string, string>>,
  options: Omit<StartOptions, 'files'> = {},
): Promise<Stage> {
  const caller = { '.github/workflows/gza.yml': callerWorkflow({ minute: 17, branch: 'main' }) };
  return stageOf(await startGithub({ ...options, files: { ...caller, ...files } }));
}

/** The same place at a moment that was kept. */
export async function reopenStage(from: Snapshot): Promise<Stage> {
  return stageOf(await startGithub({ from }));
}

function stageOf(github: Github): Stage {
  product ??= buildProduct();
  const repositories = { 'gza-dev/gza': product };
  return {
    product,
    github,
    play: (more = {}) => runWorkflows({ github, repositories, inProcess: true, ...more }),
    file: async (revision, path) => (await github.data.file(revision, path))?.toString('utf8'),
    ledgers: () => github.data.git.text(['for-each-ref', '--format=%(refname)', 'refs/tasks']),
  };
}

/** A task as a ledger on the remote holds it. */
export async function recordIn(
  { github }: Stage,
  ledger: string,
  id: string,
): Promise<Record<string, unknown>> {
  const found = await github.data.git.run(['grep', '-h', `"id":"${id}"`, ledger]);
  const lines = found.stdout.toString('utf8').split('\n').filter(Boolean);
  return JSON.parse(lines.find((line) => line.startsWith('{"id"')) ?? '{}') as Record<string, unknown>;
}

export function removeProduct(): void {
  if (product) rmSync(product, { recursive: true, force: true });
  product = undefined;
}
