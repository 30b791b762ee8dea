/** Asks GitHub all that decides whether gza can work in a repository. What the token may not ask stays null. */
import { builtInSettings, type Config } from '../../core/config/config.ts';
import { parseConfig } from '../../core/config/parse-config.ts';
import type {
  AgentKeys,
  BranchRule,
  CiWorkflowSeen,
  ConfigSeen,
  MergesSeen,
  RepositorySeen,
  WorkflowSeen,
} from '../../core/doctor/repository-seen.ts';
import { workflowTraits } from '../../core/doctor/workflow-traits.ts';
import { globProblem, matchGlob } from '../../core/guard/match-glob.ts';
import type { Asked, GithubClient } from './client.ts';
import { findCalled, type Look, readSecretNames, readText } from './inspect-caller.ts';
import { type Operation, permissionOf } from './operations.ts';

/** Workflow files that are read in search of gza's. */
const workflowsReadMax = 20;

export interface InspectOptions {
  readonly now: string;
  readonly defaultBranchHere: string | null;
  /** Which secrets let the agents in that the configuration names. */
  readonly agentKeys: (config: Config) => readonly AgentKeys[];
}

interface RepositoryJson {
  readonly full_name: string;
  readonly private: boolean;
  readonly fork: boolean;
  readonly archived: boolean;
  readonly has_issues: boolean;
  readonly default_branch: string;
  readonly pushed_at: string | null;
  readonly allow_merge_commit?: boolean;
  readonly allow_squash_merge?: boolean;
  readonly allow_rebase_merge?: boolean;
  readonly delete_branch_on_merge?: boolean;
  readonly permissions?: { readonly admin?: boolean; readonly push?: boolean };
}

export async function inspectRepository(
  client: GithubClient,
  { now, defaultBranchHere, agentKeys }: InspectOptions,
): Promise<RepositorySeen> {
  const lacking = new Set<string>();
  const look: Look = (asked) => lookAt(client, asked, lacking);
  const it = await client.must<RepositoryJson>({ operation: 'read the repository', path: '' });
  const config = await readConfig(look);
  const secrets = await readSecretNames(look);
  const workflow = await findWorkflow(look);
  const laneBranch = `${config.branch_prefix}example`;
  const classic = await look<BranchJson>({
    operation: 'read files',
    path: `branches/${encodeURIComponent(it.default_branch)}`,
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

interface BranchJson {
  readonly protected: boolean;
  readonly protection?: {
    readonly required_status_checks?: { readonly contexts?: readonly string[] | null } | null;
  };
}

/** Not there, not allowed, not on this server: all are null, and a missing permission is remembered. */
async function lookAt<T>(client: GithubClient, asked: Asked, lacking: Set<string>): Promise<T | null> {
  const answer = await client.ask(asked);
  if (answer.status < 300) return answer.body as T;
  const isFile = asked.path.startsWith('contents/');
  const needsAdmin = permissionOf[asked.operation] === 'administration: read';
  if (answer.status === 403 || (answer.status === 404 && needsAdmin && !isFile))
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
  const actions = await look<{ enabled: boolean; allowed_actions?: string }>({
    operation,
    path: 'actions/permissions',
  });
  const defaults = await look<{
    default_workflow_permissions: 'read' | 'write';
    can_approve_pull_request_reviews: boolean;
  }>({ operation, path: 'actions/permissions/workflow' });
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

/** Only told to those who may write. */
function mergesIn(it: RepositoryJson): MergesSeen | null {
  if (it.allow_merge_commit === undefined) return null;
  const methods = [
    ...(it.allow_merge_commit ? (['merge'] as const) : []),
    ...(it.allow_squash_merge ? (['squash'] as const) : []),
    ...(it.allow_rebase_merge ? (['rebase'] as const) : []),
  ];
  return { methods, deletesBranches: it.delete_branch_on_merge === true };
}

/** By its name first; then any that uses gza. On the default branch, as only what is there is started. */
async function findWorkflow(look: Look): Promise<WorkflowSeen | null> {
  const folder = await look<readonly { readonly path: string }[]>({
    operation: 'read files',
    path: 'contents/.github/workflows',
  });
  const paths = (Array.isArray(folder) ? folder : [])
    .map((one: { readonly path: string }) => one.path)
    .filter((path) => /\.ya?ml$/.test(path))
    .sort((a, b) => Number(isNamedGza(b)) - Number(isNamedGza(a)))
    .slice(0, workflowsReadMax);
  for (const path of paths) {
    const text = await readText(look, path);
    const traits = text === null ? null : workflowTraits(path, text);
    if (traits && (traits.usesGza || isNamedGza(path))) {
      const known = await look<{ readonly state: string }>({
        operation: 'read workflows',
        path: `actions/workflows/${encodeURIComponent(path.split('/').at(-1) ?? path)}`,
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
  const found = await look<{ readonly total_count: number }>({
    operation: 'read workflow runs',
    path: 'actions/runs',
    query: { status: 'action_required', per_page: 1 },
  });
  return found?.total_count ?? null;
}

interface RuleJson {
  readonly type: string;
  readonly parameters?: { readonly required_status_checks?: readonly { readonly context: string }[] };
}

/** Also for a branch that is not there yet. */
async function readRules(look: Look, branch: string): Promise<BranchRule[] | null> {
  const rules = await look<readonly RuleJson[]>({
    operation: 'read the rules of a branch',
    path: `rules/branches/${encodeURIComponent(branch)}`,
    query: { per_page: 100 },
  });
  return (
    rules?.map(({ type, parameters }) => ({
      type,
      contexts: (parameters?.required_status_checks ?? []).map((one) => one.context),
    })) ?? null
  );
}

async function readPushRulesets(look: Look): Promise<string[]> {
  const sets = await look<
    readonly { readonly name: string; readonly target?: string; readonly enforcement: string }[]
  >({ operation: 'read the rules of a branch', path: 'rulesets', query: { per_page: 100 } });
  return (sets ?? [])
    .filter((one) => one.target === 'push' && one.enforcement === 'active')
    .map((one) => one.name);
}
