/** Checks the repository and its settings. */
import { fine, type Judged, wrong } from './judged.ts';
import type { RepositorySeen } from './repository-seen.ts';

export function judgePlace(seen: RepositorySeen): Judged[] {
  return [
    seen.isArchived
      ? wrong(
          'archived',
          'problem',
          'The repository is archived: nothing can be written.',
          'Settings → General → Danger Zone → Unarchive.',
        )
      : fine('archived', 'The repository is not archived.'),
    seen.isFork
      ? wrong(
          'fork',
          'warning',
          'The repository is a fork: its workflows and their schedule are off until someone switches them on.',
          'Open the Actions tab and enable workflows; pull requests of gza are opened in the fork, not upstream.',
        )
      : fine('fork', 'The repository is not a fork.'),
    fine(
      'visibility',
      seen.isPrivate
        ? 'The repository is private: job minutes are counted; on the free plan there are no draft pull requests, and gza opens them as ready.'
        : 'The repository is public: anyone may comment, only those with write access are obeyed.',
      { isPrivate: seen.isPrivate },
    ),
    seen.hasIssues
      ? fine('issues', 'Issues are on: the task board has its place.')
      : wrong(
          'issues',
          'warning',
          'Issues are off: there will be no task board.',
          'Settings → General → Features → Issues.',
        ),
    ...(seen.isServer ? [server] : []),
    ...judgeBase(seen),
  ];
}

const server: Judged = {
  kind: 'server',
  level: 'warning',
  says: 'This is a server of your own: jobs do not queue behind each other beyond one, dispatches tell no run, and an action is found only where the server may load it from.',
  todo: 'Mirror the action on the server, or allow GitHub Connect; set GITHUB_API_URL where gza runs outside of Actions.',
};

function judgeBase({
  defaultBranch: is,
  defaultBranchHere,
  configuredBase: configured,
}: RepositorySeen): Judged[] {
  const here = defaultBranchHere ?? is;
  const judged =
    here === is
      ? fine('default-branch', `The default branch is ${is}.`, { is, here })
      : wrong(
          'default-branch',
          'warning',
          `The default branch is ${is}, but this clone takes ${here} for it: it was renamed or changed.`,
          'git fetch origin && git remote set-head origin --auto',
          { is, here },
        );
  if (configured === null || configured === is) return [judged];
  const base = wrong(
    'base',
    'warning',
    `gza.yaml says base: ${configured}, while workflows and tasks are taken from the default branch ${is}.`,
    `Keep the workflow file current on ${is}, or take base out of gza.yaml.`,
    { is, configured },
  );
  return [judged, base];
}

export function judgeSettings({ actions, jobDefaults, workflow }: RepositorySeen): Judged[] {
  const judged: Judged[] = [];
  if (actions && !actions.isOn)
    judged.push(
      wrong(
        'actions',
        'problem',
        'Actions are switched off: no workflow ever runs.',
        'Settings → Actions → General → Actions permissions.',
        actions,
      ),
    );
  else if (actions?.allowed && actions.allowed !== 'all')
    judged.push(
      wrong(
        'actions',
        'warning',
        `Only some actions may be used here (${actions.allowed}).`,
        "Settings → Actions → General → Actions permissions: allow gza's repository, actions/upload-artifact and actions/download-artifact.",
        actions,
      ),
    );
  else if (actions) judged.push(fine('actions', 'Actions are on, and any action may be used.', actions));
  judged.push(judgePulls(jobDefaults, workflow?.traits.usesAppToken ?? false));
  if (jobDefaults)
    judged.push(
      jobDefaults.permissions === 'write'
        ? wrong(
            'job-defaults',
            'warning',
            'Jobs that name no permissions may write everything.',
            'Settings → Actions → General → Workflow permissions → "Read repository contents": gza names what it needs.',
          )
        : fine('job-defaults', 'Jobs that name no permissions may only read.'),
    );
  return judged;
}

function judgePulls(jobDefaults: RepositorySeen['jobDefaults'], hasApp: boolean): Judged {
  const kind = 'pulls-by-actions';
  const seen = { known: jobDefaults !== null, hasApp };
  if (hasApp)
    return fine(kind, 'The workflow makes the token of a GitHub App, which may open pull requests.', seen);
  if (jobDefaults?.mayOpenPulls) return fine(kind, 'Actions may open pull requests.', seen);
  return wrong(
    kind,
    jobDefaults ? 'problem' : 'warning',
    jobDefaults
      ? 'Actions may not open pull requests (off is the default): work would be pushed, and no pull request opened.'
      : 'Whether Actions may open pull requests cannot be seen with this token; the default is no.',
    'Settings → Actions → General → Workflow permissions → "Allow GitHub Actions to create and approve pull requests". In an organisation it must be on there first.',
    seen,
  );
}
