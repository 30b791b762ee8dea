/** Checks branches, merging, tokens and the limits that a configuration could exceed. */
import { fine, type Judged, wrong } from './judged.ts';
import type { BranchRule, CiWorkflowSeen, MergesSeen, RepositorySeen } from './repository-seen.ts';

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
/** From this number of parallel workers on, gza could push more often in a minute than GitHub recommends. */
const workersMany = 12;
/** The time limit of the agent's job, less the time to set up and to upload the result. */
const agentMinutesMax = 340;

export function judgeBranches(seen: RepositorySeen): Judged[] {
  const { laneBranch, laneRules, defaultRules, pushRulesets, merges } = seen;
  const judged = laneRules ? judgeLanes(laneBranch, laneRules) : [];
  judged.push(judgeRequired(seen), ...seen.ciWorkflows.map(judgeCi));
  if (merges) judged.push(fine('merge-methods', mergeWords(merges), merges));
  if (defaultRules?.some((rule) => rule.type === 'merge_queue'))
    judged.push(
      fine(
        'merge-queue',
        'Merges go through a queue: gza takes a pull request as merged when the queue has merged it.',
      ),
    );
  if (defaultRules) judged.push(judgeMerging(defaultRules));
  if (pushRulesets.length > 0)
    judged.push(
      wrong(
        'push-rulesets',
        'warning',
        `Rulesets look at every push, also at those of refs/gza/*: ${pushRulesets.join(', ')}.`,
        'If they limit paths, sizes or the number of refs in a push, add gza to those who bypass them.',
        { names: pushRulesets },
      ),
    );
  return judged;
}

/**
 * Rules of the default branch that gza's merges must meet, and what each one demands. Some only people can
 * meet.
 */
const mergeRules: Readonly<Record<string, string>> = {
  required_signatures: 'signed commits, which rebase merges and commits of a job do not have',
  required_linear_history: 'a history without merge commits, so gza squashes or rebases',
  required_deployments: 'deployments',
  pull_request:
    "people's approvals or code owners, where its ruleset asks for them: a review of gza's is none",
};

function judgeMerging(rules: readonly BranchRule[]): Judged {
  const types = [...new Set(rules.map(({ type }) => type))].filter((type) => Object.hasOwn(mergeRules, type));
  const words = types.map((type) => mergeRules[type]).join('; ');
  const kind = 'merge-rules';
  if (types.length === 0)
    return fine(kind, 'No rule stands between a merge and the default branch.', { types });
  if (types.every((type) => type === 'required_linear_history'))
    return fine(kind, `A merge into the default branch needs ${words}.`, { types });
  return wrong(
    kind,
    'warning',
    `A merge into the default branch needs ${words}.`,
    'Until that is there, /gza merge and auto_merge are refused, and the pull request says why. Settings → Rules → Rulesets.',
    { types },
  );
}

function judgeLanes(branch: string, rules: readonly BranchRule[]): Judged[] {
  const among = (wanted: (type: string) => boolean) => [
    ...new Set(rules.map((rule) => rule.type).filter(wanted)),
  ];
  const types = among((type) => blocking.has(type));
  const rewrites = among((type) => type === 'non_fast_forward' || type === 'deletion');
  const judged = [
    types.length === 0
      ? fine('lane-rules', `No rule stands against pushing ${branch}.`, { branch, types })
      : wrong(
          'lane-rules',
          'problem',
          `Rules for branches like ${branch} refuse pushes of gza: ${types.join(', ')}.`,
          'Settings → Rules → Rulesets: exclude gza/** from the rule, or add the App whose token gza uses to those who bypass it.',
          { branch, types },
        ),
  ];
  if (rewrites.length === 0) return judged;
  const rewritten = wrong(
    'lane-rewrites',
    'warning',
    `Rules for branches like ${branch} forbid ${rewrites.join(', ')}: gza cannot rebase or tidy them.`,
    'Exclude gza/** from the rule; without it conflicts are for a person.',
    { branch, types: rewrites },
  );
  return [...judged, rewritten];
}

/** GitHub starts no checks on pushes made with a job's own token until a person approves the runs. */
function judgeRequired({ defaultRules, requiredChecks, workflow, ciWorkflows }: RepositorySeen): Judged {
  const kind = 'required-checks';
  const ruled = (defaultRules ?? []).flatMap((rule) =>
    rule.type === 'required_status_checks'
      ? rule.contexts
      : rule.type === 'workflows'
        ? ['a required workflow']
        : [],
  );
  const contexts = [...new Set([...requiredChecks, ...ruled])].filter((one) => !one.startsWith('gza/'));
  const hasApp = workflow?.traits.usesAppToken ?? false;
  const started = ciWorkflows.filter(({ state }) => state === 'ready').map(({ name }) => name);
  const seen = { contexts, hasApp, started };
  const named = `Required checks (${contexts.join(', ')})`;
  if (contexts.length === 0) return fine(kind, 'No checks of others are required to merge.', seen);
  if (hasApp) return fine(kind, `${named} start, as the workflow uses the token of an App.`, seen);
  if (started.length > 0)
    return fine(kind, `${named}: gza starts ${started.join(', ')} on what it pushes.`, seen);
  return wrong(
    kind,
    'warning',
    `${named} do not start by themselves on what a job's token pushes.`,
    'Name the workflow under ci_workflow in gza.yaml: gza dispatches it on each branch that it pushes. Or give gza the token of a GitHub App, or approve the runs in each pull request.',
    seen,
  );
}

function judgeCi({ name, state }: CiWorkflowSeen): Judged {
  const kind = 'ci-workflow';
  switch (state) {
    case 'ready':
      return fine(kind, `${name} (ci_workflow) can be started on the branches that gza pushes.`, {
        name,
        why: null,
      });
    case 'missing':
      return wrong(
        kind,
        'warning',
        `ci_workflow names ${name}, which is not in .github/workflows on the default branch.`,
        'Name the file as it stands there, without its folder.',
        { name, why: state },
      );
    case 'no-dispatch':
      return wrong(
        kind,
        'warning',
        `ci_workflow names ${name}, which has no workflow_dispatch: gza cannot start it.`,
        `Add workflow_dispatch: below on: of ${name}, on the default branch.`,
        { name, why: state },
      );
  }
}

function mergeWords({ methods, deletesBranches }: MergesSeen): string {
  const how = methods.length > 0 ? methods.join(', ') : 'no method at all';
  const after = deletesBranches
    ? 'GitHub deletes a merged branch and moves what is built on it to the base.'
    : 'Delete a merged branch with the button of its pull request, not by git: what is built on it would be closed with it, and gza would have to open it again.';
  return `Pull requests may be merged by ${how}; gza asks GitHub whether one is merged, so each will do. ${after}`;
}

export function judgeConfig({ config, linearKey, workflow }: RepositorySeen): Judged[] {
  const { parallelWorkers: workers, timeoutMinutes: minutes } = config;
  const judged = [
    workers <= workersMany
      ? fine(
          'load',
          `parallel_workers: ${workers}. A task takes some 15 of the 1,000 requests that a job's token has in an hour.`,
          { workers },
        )
      : wrong(
          'load',
          'warning',
          `parallel_workers: ${workers}. That many lanes that land together push more than the 6 times a minute that GitHub recommends, and some 60 tasks an hour use up a job's token.`,
          'gza waits as GitHub tells it to; fewer parallel_workers wait less.',
          { workers },
        ),
    minutes <= agentMinutesMax
      ? fine('timeouts', `A step may take ${minutes} minutes; its job has 355.`, { minutes })
      : wrong(
          'timeouts',
          'warning',
          `A step may take ${minutes} minutes, but its job ends after 355: what it did by then is kept, and the try counts as cut short.`,
          `timeout_minutes of at most ${agentMinutesMax}, or smaller tasks.`,
          { minutes },
        ),
  ];
  if (config.allowsWorkflowFiles)
    judged.push(
      wrong(
        'workflow-files',
        'warning',
        "protected.except lets tasks touch .github/workflows, but a job's token may never push such a change.",
        'Take it out of protected.except, and write workflow files by hand.',
      ),
    );
  return linearKey === 'unused' ? judged : [...judged, judgeLinear(linearKey, workflow)];
}

/** A warning at most: without its key, Linear shows nothing and reports no error, but the work goes on. */
function judgeLinear(key: 'there' | 'missing' | null, workflow: RepositorySeen['workflow']): Judged {
  const { inheritsSecrets = true, secretsNamed = [] } = workflow?.traits ?? {};
  const isPassed = key !== 'there' || inheritsSecrets || secretsNamed.includes('LINEAR_API_KEY');
  const seen = { isKnown: key !== null, isPassed };
  const kind = 'linear-key';
  if (!isPassed)
    return wrong(
      kind,
      'warning',
      'Linear is on, but the workflow file does not hand the secret LINEAR_API_KEY to gza: runs show nothing in Linear.',
      'In the job that calls gza: secrets: { LINEAR_API_KEY: "${{ secrets.LINEAR_API_KEY }}" }',
      seen,
    );
  if (key === 'there') return fine(kind, 'Linear is on, and its key is a secret of this repository.', seen);
  return wrong(
    kind,
    'warning',
    key === 'missing'
      ? 'Linear is on, but there is no secret LINEAR_API_KEY: runs show nothing in Linear.'
      : 'Linear is on; whether there is a secret LINEAR_API_KEY cannot be seen with this token.',
    'Linear, Settings, Security & access, New API key; then: gh secret set LINEAR_API_KEY',
    seen,
  );
}

export function judgeToken({ lacking }: RepositorySeen): Judged {
  return lacking.length === 0
    ? fine('token', 'The token could be asked everything.', { lacking })
    : wrong(
        'token',
        'warning',
        `The token may not see all: it lacks ${lacking.join(', ')}. What it could not see is not judged.`,
        'Run gza doctor with the token of someone who administers the repository: GH_TOKEN="$(gh auth token)" gza doctor',
        { lacking },
      );
}
