/**
 * Which runs an event starts: the `on:` of the workflow files at the right commit, and GitHub's rule that what a
 * job's own token does starts nothing, save dispatches, and pull requests that then wait for approval.
 */
import { parse } from 'yaml';
import type { GitData } from './git-data.ts';
import { type GithubEvent, type Run, takeId } from './state.ts';
import type { World } from './world.ts';

export interface WorkflowFile {
  readonly path: string;
  readonly text: string;
  readonly content: Record<string, unknown>;
}

type Filter = Record<string, unknown>;

const pullActivities = ['opened', 'synchronize', 'reopened'];
const skipMarks = /\[(skip ci|ci skip|no ci|skip actions|actions skip)\]|^skip-checks: true$/m;

export async function readWorkflows(data: GitData, commit: string): Promise<WorkflowFile[]> {
  const entries = await data.list(commit, '.github/workflows');
  const files: WorkflowFile[] = [];
  for (const { name } of entries) {
    if (!/\.ya?ml$/.test(name)) continue;
    const path = `.github/workflows/${name}`;
    const text = (await data.file(commit, path))?.toString('utf8') ?? '';
    files.push({ path, text, content: parseOrEmpty(text) });
  }
  return files;
}

function parseOrEmpty(text: string): Record<string, unknown> {
  try {
    return (parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** The `on:` of a workflow in its long form. */
export function triggersOf(content: Record<string, unknown>): Record<string, Filter> {
  const on = content['on'];
  if (typeof on === 'string') return { [on]: {} };
  if (Array.isArray(on)) return Object.fromEntries(on.map((name) => [String(name), {}]));
  if (on === null || typeof on !== 'object') return {};
  return Object.fromEntries(Object.entries(on).map(([name, filter]) => [name, (filter ?? {}) as Filter]));
}

export function nameOf({ content, path }: WorkflowFile): string {
  const name = content['name'];
  return typeof name === 'string' ? name : path;
}

export async function createRuns(world: World, event: GithubEvent): Promise<void> {
  const action = event.payload['action'];
  const byToken = event.by.kind === 'actions' && event.name !== 'repository_dispatch';
  const awaitsApproval = event.name === 'pull_request' && pullActivities.includes(String(action));
  if (byToken && !awaitsApproval) return;
  if (!event.sha || (await isSkipped(world, event))) return;
  for (const file of await readWorkflows(world.data, event.sha)) {
    const filter = triggersOf(file.content)[event.name];
    if (!filter || !(await passes(world, event, filter))) continue;
    const run = addRun(world, file, event);
    if (byToken) Object.assign(run, { status: 'completed', conclusion: 'action_required' });
  }
}

async function isSkipped(world: World, event: GithubEvent): Promise<boolean> {
  if (event.name !== 'push' && event.name !== 'pull_request') return false;
  const [commit] = await world.data.log(event.sha, 1);
  return skipMarks.test(commit?.message ?? '');
}

export function addRun(world: World, file: WorkflowFile, event: GithubEvent): Run {
  const { state } = world;
  const pull = event.payload['pull_request'] as { head?: { ref?: string } } | undefined;
  const branch = event.name.startsWith('pull_request') ? pull?.head?.ref : undefined;
  const run: Run = {
    id: takeId(state),
    workflow: file.path,
    name: nameOf(file),
    number: state.runs.filter((one) => one.workflow === file.path).length + 1,
    event: event.name,
    payload: event.payload,
    actor: event.by.login,
    headBranch: branch ?? event.ref.replace(/^refs\/(heads|tags)\//, ''),
    headSha: event.sha,
    ref: event.ref,
    attempt: 1,
    status: 'queued',
    conclusion: null,
    createdAt: state.now,
    updatedAt: state.now,
    jobs: [],
    message: null,
  };
  state.runs.push(run);
  return run;
}

async function passes(world: World, event: GithubEvent, filter: Filter): Promise<boolean> {
  if (event.name === 'schedule')
    return (filter as unknown as { cron: string }[]).some((one) => one.cron === event.payload['schedule']);
  const action = event.payload['action'];
  const types: unknown =
    filter['types'] ?? (event.name.startsWith('pull_request') ? defaultTypes(event.name) : undefined);
  if (types !== undefined && action !== undefined && !([types].flat() as unknown[]).includes(action))
    return false;
  if (event.name === 'push') return passesPush(world, event, filter);
  const pull = event.payload['pull_request'] as { base?: { ref?: string } } | undefined;
  if (pull?.base?.ref && !passesNames(filter, 'branches', pull.base.ref)) return false;
  return true;
}

function defaultTypes(name: string): string[] | undefined {
  return name === 'pull_request' || name === 'pull_request_target' ? pullActivities : undefined;
}

async function passesPush(world: World, event: GithubEvent, filter: Filter): Promise<boolean> {
  const isTag = event.ref.startsWith('refs/tags/');
  const name = event.ref.replace(/^refs\/(heads|tags)\//, '');
  const namesBranches = 'branches' in filter || 'branches-ignore' in filter;
  const namesTags = 'tags' in filter || 'tags-ignore' in filter;
  if (isTag && namesBranches && !namesTags) return false;
  if (!isTag && namesTags && !namesBranches) return false;
  if (!passesNames(filter, isTag ? 'tags' : 'branches', name)) return false;
  if (isTag || !('paths' in filter || 'paths-ignore' in filter)) return true;
  const before = String(event.payload['before']);
  const from = /^0+$/.test(before) ? '4b825dc642cb6eb9a060e54bf8d69288fbee4904' : before;
  const files = await world.data.files(from, event.sha);
  const wanted = filter['paths'] as string[] | undefined;
  if (wanted) return files.some((file) => matchesAny(wanted, file.path));
  const ignored = [filter['paths-ignore'] ?? []].flat() as string[];
  return files.some((file) => !matchesAny(ignored, file.path));
}

function passesNames(filter: Filter, key: string, name: string): boolean {
  const wanted = filter[key];
  const ignored = filter[`${key}-ignore`];
  if (wanted !== undefined) return matchesAny([wanted].flat() as string[], name);
  return ignored === undefined || !matchesAny([ignored].flat() as string[], name);
}

/** The last pattern that matches decides; `!` takes back. */
function matchesAny(patterns: readonly string[], name: string): boolean {
  let matched = false;
  for (const pattern of patterns) {
    const negative = pattern.startsWith('!');
    if (glob(negative ? pattern.slice(1) : pattern).test(name)) matched = !negative;
  }
  return matched;
}

function glob(pattern: string): RegExp {
  const body = pattern
    .replace(/[.^$()|\\{}]/g, '\\$&')
    .replace(/\*\*\/?|\*/g, (stars) => (stars === '*' ? '[^/]*' : stars === '**' ? '.*' : '(?:.*/)?'));
  return new RegExp(`^${body}$`);
}
