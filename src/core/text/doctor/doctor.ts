/** What doctor says of each thing it judged, and what to do about it. */
import type { Judged, Level } from '../../doctor/judge-repository.ts';
import { neutraliseLine } from '../../markdown/neutralise.ts';
import { oneLine } from '../../markdown/one-line.ts';
import type { Style } from '../terminal/style.ts';
import { branchWords, limitWords } from './doctor-branches.ts';
import { callerWords } from './doctor-caller.ts';
import { fine, type Said, type Words, workflowWords } from './doctor-workflow.ts';

/** `repository`: null where only this machine was looked at. */
export function printDoctor(repository: string | null, judged: readonly Judged[], style: Style): string {
  const lines = judged.flatMap((one) => {
    const { says, todo } = sayOf(one);
    return [
      `${mark(one.level, style)}  ${safe(says)}`,
      ...(todo ? [`         ${style.dim(safe(todo))}`] : []),
    ];
  });
  return [...lines, ...(repository === null ? [] : ['', summary(repository, judged)])].join('\n');
}

const width = 'warning'.length;

function mark(level: Level, style: Style): string {
  const colour = { ok: style.green, warning: style.yellow, problem: style.red }[level];
  return colour(level.padEnd(width));
}

/** Names of branches and checks come from outside. */
function safe(text: string): string {
  return neutraliseLine(oneLine(text, 600), 'comment', 600);
}

function summary(repository: string, judged: readonly Judged[]): string {
  const count = (level: Level) => judged.filter((one) => one.level === level).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  if (problems + warnings === 0) return `${repository}: gza can work here.`;
  return `${repository}: ${problems} ${problems === 1 ? 'problem' : 'problems'}, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}${problems === 0 ? '; gza can work here.' : '.'}`;
}

const placeWords = {
  archived: (one) =>
    one.level === 'ok'
      ? fine('The repository is not archived.')
      : {
          says: 'The repository is archived: nothing can be written.',
          todo: 'Settings → General → Danger Zone → Unarchive.',
        },
  fork: (one) =>
    one.level === 'ok'
      ? fine('The repository is not a fork.')
      : {
          says: 'The repository is a fork: its workflows and their schedule are off until someone switches them on.',
          todo: 'Open the Actions tab and enable workflows; pull requests of gza are opened in the fork, not upstream.',
        },
  issues: (one) =>
    one.level === 'ok'
      ? fine('Issues are on: the task board has its place.')
      : {
          says: 'Issues are off: there will be no task board.',
          todo: 'Settings → General → Features → Issues.',
        },
  server: () => ({
    says: 'This is a server of your own: jobs do not queue behind each other beyond one, dispatches tell no run, and an action is found only where the server may load it from.',
    todo: 'Mirror the action on the server, or allow GitHub Connect; set GITHUB_API_URL where gza runs outside of Actions.',
  }),
  visibility: (one) =>
    fine(
      one.isPrivate
        ? 'The repository is private: job minutes are counted; on the free plan there are no draft pull requests, and gza opens them as ready.'
        : 'The repository is public: anyone may comment, only those with write access are obeyed.',
    ),
  'default-branch': (one) =>
    one.level === 'ok'
      ? fine(`The default branch is ${one.is}.`)
      : {
          says: `The default branch is ${one.is}, but this clone takes ${one.here} for it: it was renamed or changed.`,
          todo: 'git fetch origin && git remote set-head origin --auto',
        },
  base: (one) => ({
    says: `gza.yaml says base: ${one.configured}, while workflows and tasks are taken from the default branch ${one.is}.`,
    todo: `Keep the workflow file current on ${one.is}, or take base out of gza.yaml.`,
  }),
} satisfies Partial<Words>;

const settingWords = {
  actions: (one) => {
    if (one.level === 'ok') return fine('Actions are on, and any action may be used.');
    return one.isOn
      ? {
          says: `Only some actions may be used here (${one.allowed}).`,
          todo: "Settings → Actions → General → Actions permissions: allow gza's repository, actions/upload-artifact and actions/download-artifact.",
        }
      : {
          says: 'Actions are switched off: no workflow ever runs.',
          todo: 'Settings → Actions → General → Actions permissions.',
        };
  },
  'pulls-by-actions': (one) => {
    if (one.hasApp)
      return fine('The workflow makes the token of a GitHub App, which may open pull requests.');
    if (one.level === 'ok') return fine('Actions may open pull requests.');
    return {
      says: one.known
        ? 'Actions may not open pull requests (off is the default): work would be pushed, and no pull request opened.'
        : 'Whether Actions may open pull requests cannot be seen with this token; the default is no.',
      todo: 'Settings → Actions → General → Workflow permissions → "Allow GitHub Actions to create and approve pull requests". In an organisation it must be on there first.',
    };
  },
  'job-defaults': (one) =>
    one.level === 'ok'
      ? fine('Jobs that name no permissions may only read.')
      : {
          says: 'Jobs that name no permissions may write everything.',
          todo: 'Settings → Actions → General → Workflow permissions → "Read repository contents": gza names what it needs.',
        },
} satisfies Partial<Words>;

const machineWords = {
  machine: ({ says, todo }) => (todo === '' ? fine(says) : { says, todo }),
  sandbox: (one) =>
    one.why === null
      ? fine('This machine has a sandbox for agents and checks (bubblewrap).')
      : {
          says: `This machine has no sandbox: ${one.why}.`,
          todo: 'Until it has one, agents and checks that run here can read and write what you can; `isolation: required` in gza.yaml refuses that.',
        },
} satisfies Partial<Words>;

const words: Words = {
  ...machineWords,
  ...placeWords,
  ...settingWords,
  ...workflowWords,
  ...callerWords,
  ...branchWords,
  ...limitWords,
};

export function sayOf(judged: Judged): Said {
  const say = words[judged.kind] as (one: Judged) => Said;
  return say(judged);
}
