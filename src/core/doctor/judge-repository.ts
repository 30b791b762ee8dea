/**
 * Whether a repository lets gza work, trap by trap. GitHub tells of most of them only when it is too late: a run
 * that never starts, a 403 at the end of an hour's work. The words are in text/doctor.ts.
 */

import { parseTime } from '../time.ts';
import type { AgentKeys, BranchRule, CalledSeen, RepositorySeen } from './repository-seen.ts';

export type Level = 'ok' | 'warning' | 'problem';

/** What was judged; each kind has its words for each of its levels. */
type About =
  | CallerAbout
  | { readonly kind: 'archived' }
  | { readonly kind: 'fork' }
  | { readonly kind: 'issues' }
  | { readonly kind: 'server' }
  | { readonly kind: 'visibility'; readonly isPrivate: boolean }
  | { readonly kind: 'actions'; readonly isOn: boolean; readonly allowed: string | null }
  | { readonly kind: 'pulls-by-actions'; readonly known: boolean; readonly hasApp: boolean }
  | { readonly kind: 'job-defaults' }
  | { readonly kind: 'workflow'; readonly path: string | null; readonly why: WorkflowFault | null }
  | { readonly kind: 'permissions'; readonly missing: readonly string[]; readonly unnamed: boolean }
  | { readonly kind: 'triggers'; readonly missing: readonly string[] }
  | { readonly kind: 'push-branches'; readonly branches: readonly string[]; readonly wanted: string }
  | { readonly kind: 'schedule'; readonly why: 'none' | 'fork' | 'inactive' | null; readonly days: number }
  | { readonly kind: 'default-branch'; readonly is: string; readonly here: string }
  | { readonly kind: 'base'; readonly is: string; readonly configured: string }
  | { readonly kind: 'lane-rules'; readonly branch: string; readonly types: readonly string[] }
  | { readonly kind: 'lane-rewrites'; readonly branch: string; readonly types: readonly string[] }
  | {
      readonly kind: 'required-checks';
      readonly contexts: readonly string[];
      readonly hasApp: boolean;
      readonly started: readonly string[];
    }
  | { readonly kind: 'ci-workflow'; readonly name: string; readonly why: 'missing' | 'no-dispatch' | null }
  | {
      readonly kind: 'merge-methods';
      readonly methods: readonly string[];
      readonly deletesBranches: boolean;
    }
  | { readonly kind: 'load'; readonly workers: number }
  | { readonly kind: 'timeouts'; readonly minutes: number }
  | { readonly kind: 'workflow-files' }
  | { readonly kind: 'linear-key'; readonly isKnown: boolean; readonly isPassed: boolean }
  | { readonly kind: 'merge-queue' }
  | { readonly kind: 'sandbox'; readonly why: string | null }
  /** Of this machine, in words. */
  | { readonly kind: 'machine'; readonly says: string; readonly todo: string }
  | { readonly kind: 'push-rulesets'; readonly names: readonly string[] }
  | { readonly kind: 'runners' }
  | { readonly kind: 'runs-waiting'; readonly count: number }
  | { readonly kind: 'token'; readonly lacking: readonly string[] };

export type WorkflowFault = 'missing' | 'unreadable' | 'disabled' | 'disabled-inactivity' | 'disabled-fork';

export type Judged = About & { readonly level: Level };

/** What the job that calls gza hands on to its jobs. */
const permissionsNeeded = ['actions', 'contents', 'issues', 'pull-requests', 'statuses'] as const;
const triggersWanted = [
  'repository_dispatch',
  'workflow_dispatch',
  'push',
  'schedule',
  'issue_comment',
  'pull_request_review',
  'pull_request_target',
  'issues: labeled',
];
/** Rules under which a push of a new branch is refused. */
const blocking = new Set([
  'creation',
  'update',
  'pull_request',
  'required_status_checks',
  'required_signatures',
  'required_deployments',
  'workflows',
  'branch_name_pattern',
  'commit_message_pattern',
  'commit_author_email_pattern',
  'committer_email_pattern',
]);
const schedulesEndAfterDays = 60;
/** So many lanes that land at once push more often in a minute than GitHub recommends. */
const workersMany = 12;
/** What the agent's job has, less the time to begin and to leave what it did. */
const agentMinutesMax = 340;

export function judgeRepository(seen: RepositorySeen): Judged[] {
  return [
    ...judgePlace(seen),
    ...judgeSettings(seen),
    ...judgeWorkflow(seen),
    ...judgeCaller(seen),
    ...judgeBranches(seen),
    ...judgeConfig(seen),
    ...judgeToken(seen),
  ];
}

/** The worst of all. */
export function worstOf(judged: readonly Judged[]): Level {
  if (judged.some((one) => one.level === 'problem')) return 'problem';
  return judged.some((one) => one.level === 'warning') ? 'warning' : 'ok';
}

function judgePlace(seen: RepositorySeen): Judged[] {
  const { defaultBranch: is, defaultBranchHere: here, configuredBase: configured } = seen;
  return [
    { kind: 'archived', level: seen.isArchived ? 'problem' : 'ok' },
    { kind: 'fork', level: seen.isFork ? 'warning' : 'ok' },
    { kind: 'visibility', level: 'ok', isPrivate: seen.isPrivate },
    { kind: 'issues', level: seen.hasIssues ? 'ok' : 'warning' },
    ...(seen.isServer ? [{ kind: 'server', level: 'warning' } as const] : []),
    { kind: 'default-branch', level: here !== null && here !== is ? 'warning' : 'ok', is, here: here ?? is },
    ...(configured !== null && configured !== is
      ? [{ kind: 'base', level: 'warning', is, configured } as const]
      : []),
  ];
}

function judgeSettings({ actions, jobDefaults, workflow }: RepositorySeen): Judged[] {
  const judged: Judged[] = [];
  if (actions) {
    const level = !actions.isOn ? 'problem' : actions.allowed && actions.allowed !== 'all' ? 'warning' : 'ok';
    judged.push({ kind: 'actions', level, ...actions });
  }
  const hasApp = workflow?.traits.usesAppToken ?? false;
  const pulls = { kind: 'pulls-by-actions', known: jobDefaults !== null, hasApp } as const;
  if (hasApp || jobDefaults?.mayOpenPulls) judged.push({ ...pulls, level: 'ok' });
  else judged.push({ ...pulls, level: jobDefaults ? 'problem' : 'warning' });
  if (jobDefaults)
    judged.push({ kind: 'job-defaults', level: jobDefaults.permissions === 'write' ? 'warning' : 'ok' });
  return judged;
}

function judgeWorkflow(seen: RepositorySeen): Judged[] {
  const { workflow } = seen;
  const why = workflowFault(seen);
  const judged: Judged[] = [
    { kind: 'workflow', level: why ? 'problem' : 'ok', path: workflow?.path ?? null, why },
  ];
  if (!workflow?.traits.isReadable) return judged;
  const { traits } = workflow;
  judged.push(permissionsOf(seen), triggersOf(traits.triggers));
  if (traits.pushBranches.length > 0 && !traits.pushBranches.some((one) => covers(one, seen.defaultBranch)))
    judged.push({
      kind: 'push-branches',
      level: 'problem',
      branches: traits.pushBranches,
      wanted: seen.defaultBranch,
    });
  judged.push(scheduleOf(seen, traits.triggers.includes('schedule')));
  judged.push({ kind: 'runners', level: traits.isSelfHosted ? 'warning' : 'ok' });
  if (seen.runsWaiting) judged.push({ kind: 'runs-waiting', level: 'warning', count: seen.runsWaiting });
  return judged;
}

function workflowFault({ workflow }: RepositorySeen): WorkflowFault | null {
  if (!workflow) return 'missing';
  if (!workflow.traits.isReadable) return 'unreadable';
  if (workflow.state === 'disabled_inactivity') return 'disabled-inactivity';
  if (workflow.state === 'disabled_fork') return 'disabled-fork';
  return workflow.state?.startsWith('disabled') ? 'disabled' : null;
}

function permissionsOf({ workflow, jobDefaults }: RepositorySeen): Judged {
  const given = workflow?.traits.permissions ?? null;
  if (given === null) {
    // Unnamed, a token may do what the settings say: all or next to nothing.
    const level = jobDefaults?.permissions === 'write' ? 'warning' : 'problem';
    return { kind: 'permissions', level, missing: permissionsNeeded.map(asWrite), unnamed: true };
  }
  const may = (name: string) => given === 'write-all' || (given !== 'read-all' && given[name] === 'write');
  const missing = permissionsNeeded.filter((name) => !may(name)).map(asWrite);
  return { kind: 'permissions', level: missing.length > 0 ? 'problem' : 'ok', missing, unnamed: false };
}

function asWrite(name: string): string {
  return `${name}: write`;
}

/** One of the dispatches must be there: by it a step that ended starts the next. */
function triggersOf(triggers: readonly string[]): Judged {
  const missing = triggersWanted.filter((one) => !triggers.includes(one) && one !== 'schedule');
  const isDeaf = missing.includes('repository_dispatch') && missing.includes('workflow_dispatch');
  const level = isDeaf ? 'problem' : missing.length > 0 ? 'warning' : 'ok';
  return { kind: 'triggers', level, missing };
}

/** `main`, `**`, `release/*`; a branch is among them when the pattern begins as it does. */
function covers(pattern: string, branch: string): boolean {
  const star = pattern.indexOf('*');
  return star < 0 ? pattern === branch : branch.startsWith(pattern.slice(0, star));
}

function scheduleOf({ isFork, isPrivate, pushedAt, now }: RepositorySeen, hasSchedule: boolean): Judged {
  const days = pushedAt === null ? 0 : Math.floor((parseTime(now) - parseTime(pushedAt)) / 86_400_000);
  if (!hasSchedule) return { kind: 'schedule', level: 'warning', why: 'none', days };
  if (isFork) return { kind: 'schedule', level: 'warning', why: 'fork', days };
  if (!isPrivate && days > schedulesEndAfterDays - 15)
    return { kind: 'schedule', level: 'warning', why: 'inactive', days };
  return { kind: 'schedule', level: 'ok', why: null, days };
}

function judgeBranches(seen: RepositorySeen): Judged[] {
  const { laneBranch: branch, laneRules, defaultRules, pushRulesets } = seen;
  const judged: Judged[] = [];
  if (laneRules) {
    const refused = typesIn(laneRules, (type) => blocking.has(type));
    judged.push({ kind: 'lane-rules', level: refused.length > 0 ? 'problem' : 'ok', branch, types: refused });
    const rewrites = typesIn(laneRules, (type) => type === 'non_fast_forward' || type === 'deletion');
    if (rewrites.length > 0)
      judged.push({ kind: 'lane-rewrites', level: 'warning', branch, types: rewrites });
  }
  judged.push(requiredChecks(seen));
  judged.push(
    ...seen.ciWorkflows.map(({ name, state }) =>
      state === 'ready'
        ? ({ kind: 'ci-workflow', level: 'ok', name, why: null } as const)
        : ({ kind: 'ci-workflow', level: 'warning', name, why: state } as const),
    ),
  );
  if (seen.merges) judged.push({ kind: 'merge-methods', level: 'ok', ...seen.merges });
  if (defaultRules?.some((rule) => rule.type === 'merge_queue'))
    judged.push({ kind: 'merge-queue', level: 'ok' });
  if (pushRulesets.length > 0) judged.push({ kind: 'push-rulesets', level: 'warning', names: pushRulesets });
  return judged;
}

function judgeConfig({ config, linearKey, workflow }: RepositorySeen): Judged[] {
  const { parallelWorkers: workers, timeoutMinutes: minutes } = config;
  return [
    { kind: 'load', level: workers > workersMany ? 'warning' : 'ok', workers },
    { kind: 'timeouts', level: minutes > agentMinutesMax ? 'warning' : 'ok', minutes },
    ...(config.allowsWorkflowFiles ? [{ kind: 'workflow-files', level: 'warning' } as const] : []),
    ...(linearKey === 'unused' ? [] : [judgeLinear(linearKey, workflow)]),
  ];
}

/** Linear never stops the work: without a key nothing is shown there, and nobody hears why. */
function judgeLinear(key: 'there' | 'missing' | null, workflow: RepositorySeen['workflow']): Judged {
  const { inheritsSecrets = true, secretsNamed = [] } = workflow?.traits ?? {};
  const isPassed = inheritsSecrets || secretsNamed.includes('LINEAR_API_KEY');
  const level = key === 'there' && isPassed ? 'ok' : 'warning';
  return { kind: 'linear-key', level, isKnown: key !== null, isPassed: key === 'there' ? isPassed : true };
}

/** What a job's token pushes starts no run that counts until a person approves it. */
function requiredChecks(seen: RepositorySeen): Judged {
  const { defaultRules, requiredChecks: classic, workflow } = seen;
  const ruled = (defaultRules ?? []).flatMap((rule) =>
    rule.type === 'required_status_checks'
      ? rule.contexts
      : rule.type === 'workflows'
        ? ['a required workflow']
        : [],
  );
  const contexts = [...new Set([...classic, ...ruled])].filter((one) => !one.startsWith('gza/'));
  const hasApp = workflow?.traits.usesAppToken ?? false;
  const started = seen.ciWorkflows.filter(({ state }) => state === 'ready').map(({ name }) => name);
  const level = contexts.length > 0 && !hasApp && started.length === 0 ? 'warning' : 'ok';
  return { kind: 'required-checks', level, contexts, hasApp, started };
}

function typesIn(rules: readonly BranchRule[], wanted: (type: string) => boolean): string[] {
  return [...new Set(rules.map((rule) => rule.type).filter(wanted))];
}

function judgeToken({ lacking }: RepositorySeen): Judged[] {
  return [{ kind: 'token', level: lacking.length > 0 ? 'warning' : 'ok', lacking }];
}

export type CallerAbout =
  | { readonly kind: 'called'; readonly uses: string; readonly why: CalledFault | null }
  | { readonly kind: 'secrets-inherited'; readonly uses: string }
  | ({ readonly kind: 'agent-key'; readonly why: KeyFault | null } & AgentKeys);

export type CalledFault = Exclude<CalledSeen['state'], 'ready'> | 'bare';
export type KeyFault = 'missing' | 'unseen' | 'lines' | 'not-passed' | 'not-given';

type CallerJudged = CallerAbout & { readonly level: 'ok' | 'warning' | 'problem' };

function judgeCaller(seen: RepositorySeen): CallerJudged[] {
  const traits = seen.workflow?.traits;
  if (!traits?.isReadable) return [];
  const uses = traits.uses ?? '';
  return [
    ...calledOf(seen, uses),
    ...(traits.inheritsSecrets && !isOwn(uses, seen.repository)
      ? [{ kind: 'secrets-inherited', level: 'problem', uses } as const]
      : []),
    ...keysOf(seen),
  ];
}

function calledOf({ workflow, called, isServer }: RepositorySeen, uses: string): CallerJudged[] {
  const isBare = workflow?.traits.hasBareSelf === true || called?.hasBareSelf === true;
  if (isBare) return [{ kind: 'called', level: 'problem', uses, why: 'bare' }];
  if (!called) return [];
  const { state } = called;
  if (state === 'ready') return [{ kind: 'called', level: 'ok', uses, why: null }];
  // Somebody may have allowed what is private, and a server may take what it has not from github.com.
  const isOpen = state === 'private' || (state === 'repository' && isServer);
  const level = isOpen ? 'warning' : 'problem';
  return [{ kind: 'called', level, uses, why: state }];
}

/** `./` is of this repository, and what one owner calls of its own may inherit. */
function isOwn(uses: string, repository: string): boolean {
  const ownerOf = (name: string) => name.split('/')[0]?.toLowerCase();
  return uses.startsWith('.') || uses.startsWith('$') || ownerOf(uses) === ownerOf(repository);
}

function keysOf({ workflow, agentKeys, secrets }: RepositorySeen): CallerJudged[] {
  const { inheritsSecrets = false, secretsNamed = [], handsLines = false } = workflow?.traits ?? {};
  const passed = (names: readonly string[]) =>
    inheritsSecrets || names.some((name) => secretsNamed.includes(name));
  const faultOf = ({ names, isGiven }: AgentKeys): KeyFault | null => {
    if (!isGiven) return 'not-given';
    const there = names.filter((name) => secrets?.includes(name) ?? true);
    if (!passed(there) && handsLines) return 'lines';
    if (there.length === 0) return 'missing';
    if (!passed(there)) return 'not-passed';
    return secrets === null ? 'unseen' : null;
  };
  const judged = agentKeys.map((one) => ({ ...one, why: faultOf(one) }));
  // Where one of several can work, the others are a loss and no end.
  const canWork = judged.some(({ why }) => why === null || why === 'unseen' || why === 'lines');
  return judged.map((one) => ({
    kind: 'agent-key',
    level: one.why === null || one.why === 'lines' ? 'ok' : canWork ? 'warning' : 'problem',
    ...one,
  }));
}
