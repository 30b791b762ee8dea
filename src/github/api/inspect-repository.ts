/** Reads all that decides whether gza can work in a repository. What the token may not read is null. */
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { builtInSettings, type Config } from '../../core/config/config.ts';
import { parseConfig } from '../../core/config/parse-config.ts';
import type {
  AgentKeys,
  BranchRule,
  CalledSeen,
  CiWorkflowSeen,
  ConfigSeen,
  MergesSeen,
  RepositorySeen,
  WorkflowSeen,
} from '../../core/doctor/repository-seen.ts';
import { workflowTraits } from '../../core/doctor/workflow-traits.ts';
import { globProblem, matchGlob } from '../../core/guard/paths.ts';
import { calledBy } from '../../core/text/doctor/caller-workflow.ts';
import { home } from '../../core/text/doctor/home.ts';
import { inlinePaths, inlineSeen, isInline } from '../../core/text/doctor/inline-workflows.ts';
import type { Asked, GithubClient } from './client/client.ts';
import { type Operation, permissionOf } from './client/operations.ts';

/** Returns null for what does not exist and for what the token may not read. */
type Look = <T>(asked: Asked<T>) => Promise<T | null>;

/** How many workflow files are searched for gza's. */
const workflowsReadMax = 20;

export interface InspectOptions {
  readonly now: string;
  readonly defaultBranchHere: string | null;
  /** The secrets with which the configured agents log in. */
  readonly agentKeys: (config: Config) => readonly AgentKeys[];
  /** The text of a workflow that ships with gza, by name. */
  readonly shipped: (name: string) => string;
}

type RepositoryJson = RestEndpointMethodTypes['repos']['get']['response']['data'];

export async function inspectRepository(
  client: GithubClient,
  { now, defaultBranchHere, agentKeys, shipped }: InspectOptions,
): Promise<RepositorySeen> {
  const lacking = new Set<string>();
  const look: Look = (asked) => lookAt(client, asked, lacking);
  const it = await client.must({
    operation: 'read the repository',
    send: (rest, here) => rest.repos.get({ ...here }),
  });
  const config = await readConfig(look);
  const secrets = await readSecretNames(look);
  const workflow = await findWorkflow(look);
  const laneBranch = `${config.branch_prefix}example`;
  const classic = await look({
    operation: 'read files',
    send: (rest, here) => rest.repos.getBranch({ ...here, branch: it.default_branch }),
  });
  return {
    repository: it.full_name,
    now,
    defaultBranchHere,
    isServer: !/^https:\/\/api\.(github\.com|[^/]+\.ghe\.com)$/.test(client.apiUrl),
    isPrivate: it.private,
    isFork: it.fork,
    isArchived: it.archived,
    hasIssues: it.has_issues,
    defaultBranch: it.default_branch,
    configuredBase: config.base ?? null,
    config: configSeen(config),
    linearKey: config.integrations.linear?.enabled ? linearKeyIn(secrets) : 'unused',
    agentKeys: agentKeys(config),
    secrets,
    called: await findCalled(look, workflow?.traits.uses ?? null, it.full_name),
    inline: await findInline(look, workflow?.traits.uses ?? null, shipped),
    ciWorkflows: await readCiWorkflows(look, config.ci_workflow),
    merges: mergesIn(it),
    pushedAt: it.pushed_at,
    role: roleIn(it),
    ...(await readSettings(look)),
    workflow,
    runsWaiting: await countWaiting(look),
    laneBranch,
    laneRules: await readRules(look, laneBranch),
    defaultRules: await readRules(look, it.default_branch),
    requiredChecks: classic?.protected ? (classic.protection?.required_status_checks?.contexts ?? []) : [],
    pushRulesets: await readPushRulesets(look),
    lacking: [...lacking],
  };
}

/**
 * Returns null for what does not exist, is not allowed or is not supported by this server. Missing
 * permissions are collected in `lacking`.
 */
async function lookAt<T>(client: GithubClient, asked: Asked<T>, lacking: Set<string>): Promise<T | null> {
  const answer = await client.ask(asked);
  if (answer.status < 300) return answer.data;
  const needsAdmin = permissionOf[asked.operation] === 'administration: read';
  if (answer.status === 403 || (answer.status === 404 && needsAdmin))
    lacking.add(permissionOf[asked.operation]);
  else if (answer.status === 401 || answer.status >= 500) throw client.refused(asked, answer);
  return null;
}

function roleIn({ permissions }: RepositoryJson): RepositorySeen['role'] {
  if (!permissions) return null;
  if (permissions.admin) return 'admin';
  return permissions.push ? 'write' : 'read';
}

async function readSettings(look: Look): Promise<Pick<RepositorySeen, 'actions' | 'jobDefaults'>> {
  const operation: Operation = "read the repository's settings";
  const actions = await look({
    operation,
    send: (rest, here) => rest.actions.getGithubActionsPermissionsRepository({ ...here }),
  });
  const defaults = await look({
    operation,
    send: (rest, here) => rest.actions.getGithubActionsDefaultWorkflowPermissionsRepository({ ...here }),
  });
  return {
    actions: actions && { isOn: actions.enabled, allowed: actions.allowed_actions ?? null },
    jobDefaults: defaults && {
      permissions: defaults.default_workflow_permissions,
      mayOpenPulls: defaults.can_approve_pull_request_reviews,
    },
  };
}

async function readConfig(look: Look): Promise<Config> {
  return parseConfig({ gza: (await readText(look, 'gza.yaml')) ?? '' }).config;
}

function configSeen({ parallel_workers, defaults, task_types, protected: paths }: Config): ConfigSeen {
  const all = [builtInSettings, defaults, ...Object.values(task_types)];
  const minutes = all.flatMap((one) => [
    one.timeout_minutes ?? 0,
    one.review_timeout_minutes ?? 0,
    one.improve_timeout_minutes ?? 0,
  ]);
  return {
    parallelWorkers: parallel_workers,
    timeoutMinutes: Math.max(...minutes),
    allowsWorkflowFiles: paths.except.some(
      (glob) => globProblem(glob) === null && matchGlob(glob, '.github/workflows/any.yml'),
    ),
  };
}

function linearKeyIn(secrets: readonly string[] | null): RepositorySeen['linearKey'] {
  if (secrets === null) return null;
  return secrets.includes('LINEAR_API_KEY') ? 'there' : 'missing';
}

async function readCiWorkflows(look: Look, names: readonly string[]): Promise<CiWorkflowSeen[]> {
  const seen: CiWorkflowSeen[] = [];
  for (const name of names) {
    const path = `.github/workflows/${name}`;
    const text = await readText(look, path);
    const starts = text !== null && workflowTraits(path, text).triggers.includes('workflow_dispatch');
    seen.push({ name, state: text === null ? 'missing' : starts ? 'ready' : 'no-dispatch' });
  }
  return seen;
}

/** Null when the token may not write: GitHub shows these settings only to those who may. */
function mergesIn(it: RepositoryJson): MergesSeen | null {
  if (it.allow_merge_commit === undefined) return null;
  const methods = [
    ...(it.allow_merge_commit ? (['merge'] as const) : []),
    ...(it.allow_squash_merge ? (['squash'] as const) : []),
    ...(it.allow_rebase_merge ? (['rebase'] as const) : []),
  ];
  return { methods, deletesBranches: it.delete_branch_on_merge === true };
}

/**
 * Tries the workflow named gza first, then any that uses gza. Reads the default branch, since GitHub starts
 * only workflows from there.
 */
async function findWorkflow(look: Look): Promise<WorkflowSeen | null> {
  const folder = await look({
    operation: 'read files',
    send: (rest, here) => rest.repos.getContent({ ...here, path: '.github/workflows' }),
  });
  const paths = (Array.isArray(folder) ? folder : [])
    .map((one: { readonly path: string }) => one.path)
    .filter((path) => /\.ya?ml$/.test(path) && !isInline(path))
    .sort((a, b) => Number(isNamedGza(b)) - Number(isNamedGza(a)))
    .slice(0, workflowsReadMax);
  for (const path of paths) {
    const text = await readText(look, path);
    const traits = text === null ? null : workflowTraits(path, text);
    if (traits && (traits.usesGza || isNamedGza(path))) {
      const known = await look({
        operation: 'read workflows',
        send: (rest, here) =>
          rest.actions.getWorkflow({ ...here, workflow_id: path.split('/').at(-1) ?? path }),
      });
      return { path, state: known?.state ?? null, traits };
    }
  }
  return null;
}

function isNamedGza(path: string): boolean {
  return /\/gza[^/]*\.ya?ml$/.test(path);
}

async function countWaiting(look: Look): Promise<number | null> {
  const found = await look({
    operation: 'read workflow runs',
    send: (rest, here) =>
      rest.actions.listWorkflowRunsForRepo({ ...here, status: 'action_required', per_page: 1 }),
  });
  return found?.total_count ?? null;
}

/** Works also for a branch that does not exist yet. */
async function readRules(look: Look, branch: string): Promise<BranchRule[] | null> {
  const rules = await look({
    operation: 'read the rules of a branch',
    send: (rest, here) => rest.repos.getBranchRules({ ...here, branch, per_page: 100 }),
  });
  return (
    rules?.map((one) => {
      const checks = one.type === 'required_status_checks' ? one.parameters?.required_status_checks : [];
      return { type: one.type, contexts: (checks ?? []).map(({ context }) => context) };
    }) ?? null
  );
}

async function readPushRulesets(look: Look): Promise<string[]> {
  const sets = await look({
    operation: 'read the rules of a branch',
    send: (rest, here) => rest.repos.getRepoRulesets({ ...here, per_page: 100 }),
  });
  return (sets ?? [])
    .filter((one) => one.target === 'push' && one.enforcement === 'active')
    .map((one) => one.name);
}

/** Reads only names, since GitHub never returns the values. Includes secrets of the organisation. */
async function readSecretNames(look: Look): Promise<string[] | null> {
  const operation: Operation = 'read the names of secrets';
  const own = await look({
    operation,
    send: ({ actions }, here) => actions.listRepoSecrets({ ...here, per_page: 100 }),
  });
  const shared = await look({
    operation,
    send: ({ actions }, here) => actions.listRepoOrganizationSecrets({ ...here, per_page: 100 }),
  });
  const names = [...(own?.secrets ?? []), ...(shared?.secrets ?? [])].map(({ name }) => name);
  return own ? names : null;
}

/**
 * The action (`owner/name@ref`) or workflow (`owner/name/.github/workflows/x.yml@ref`) that is called; null
 * for a local path.
 */
async function findCalled(look: Look, uses: string | null, repository: string): Promise<CalledSeen | null> {
  const [, name = '', path = '', ref = ''] = /^([\w.-]+\/[\w.-]+)(?:\/([^@]+))?@(.+)$/.exec(uses ?? '') ?? [];
  if (name === '' || name.startsWith('.')) return null;
  const seen = (state: CalledSeen['state'], hasBareSelf = false): CalledSeen => ({ state, hasBareSelf });
  const [owner = '', repo = ''] = name.split('/');
  const there = { owner, repo };
  const it = await look({
    operation: 'read the repository',
    send: (rest, here) => rest.repos.get({ ...here, ...there }),
  });
  if (!it) return seen('repository');
  const file = /\.ya?ml$/.test(path) ? path : [path, 'action.yml'].filter(Boolean).join('/');
  const text = await readText(look, file, { ...there, ref });
  if (text === null) {
    const commit = await look({
      operation: 'read files',
      send: (rest, here) => rest.repos.getCommit({ ...here, ...there, ref }),
    });
    return seen(commit ? 'file' : 'ref');
  }
  const isElsewhere = name.toLowerCase() !== repository.toLowerCase();
  return seen(it.private && isElsewhere ? 'private' : 'ready', workflowTraits(file, text).hasBareSelf);
}

async function findInline(
  look: Look,
  uses: string | null,
  shipped: InspectOptions['shipped'],
): Promise<RepositorySeen['inline']> {
  if (uses !== calledBy(home, true)) return null;
  const texts = new Map<string, string>();
  for (const path of Object.values(inlinePaths)) {
    const text = await readText(look, path);
    if (text !== null) texts.set(path, text);
  }
  const seen = inlineSeen(texts, shipped);
  if (!seen.pin) return { ...seen, now: null };
  const { repository, ref } = seen.pin.from;
  const [owner = '', repo = ''] = repository.split('/');
  const commit = await look({
    operation: 'read files',
    send: (rest, here) => rest.repos.getCommit({ ...here, owner, repo, ref }),
  });
  return { ...seen, now: commit?.sha ?? null };
}

async function readText(
  look: Look,
  path: string,
  there: { readonly owner?: string; readonly repo?: string; readonly ref?: string } = {},
): Promise<string | null> {
  const file = await look({
    operation: 'read files',
    send: (rest, here) => rest.repos.getContent({ ...here, ...there, path }),
  });
  if (!file || !('encoding' in file) || file.encoding !== 'base64') return null;
  return Buffer.from(file.content, 'base64').toString('utf8');
}
