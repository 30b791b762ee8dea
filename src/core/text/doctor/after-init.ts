/** What `gza init` prints at its end: what it chose, and what to do next. */
import type { Recognised } from '../../doctor/recognise-project.ts';
import { callerPath } from './caller-workflow.ts';

export interface AfterInit {
  readonly created: ReadonlySet<string>;
  /** Created and changed files. */
  readonly written: readonly string[];
  readonly project: Recognised;
  /** The branch whose pushes start the workflow; null without `--github`. */
  readonly branch: { readonly name: string; readonly from: 'origin' | 'custom' | 'current' } | null;
  /** The branch that is checked out. */
  readonly current: string | null;
  readonly isFromAsked: boolean;
  readonly isUpdate?: boolean;
}

export function afterInit(after: AfterInit): string {
  const { created, project, branch } = after;
  const lines = [
    ...(created.has('gza.yaml') ? [checksWords(project)] : []),
    ...(created.has(examplePath) ? [exampleWords(branch?.name ?? null)] : []),
    ...nextWords(after.written),
  ];
  return branch
    ? [...lines, '', ...workflowWords(after, branch), '', githubNext].join('\n')
    : lines.join('\n');
}

function nextWords(written: readonly string[]): string[] {
  if (written.length === 0) return ['Nothing was written: all of it was there.'];
  return [
    'Next: look at what was written, keep it, and go on:',
    `  git add ${written.join(' ')} && git commit -m "Let gza work here"`,
    '  gza ready, gza work',
  ];
}

const examplePath = 'tasks/example.yml';

function checksWords({ setup, verify }: Recognised): string {
  if (verify === undefined)
    return 'gza.yaml names no command that checks the work: set `verify`, and `setup` if it needs something installed.';
  const before = setup === undefined ? '' : `\`${setup}\`, then `;
  return `After every task gza runs ${before}\`${verify}\` in a fresh checkout. If that is wrong, change it in gza.yaml.`;
}

function exampleWords(branch: string | null): string {
  const runs = branch === null ? '`gza work` runs it' : `it runs as soon as it is pushed to ${branch}`;
  return `${examplePath} is a real task: ${runs}. Edit or delete it first.`;
}

const known = {
  origin: 'the default branch of origin',
  custom: 'the default branch by its name, as no remote says which it is',
  current: 'the current branch, as nothing says which is the default branch',
} as const;

function workflowWords(
  { created, current, isFromAsked, isUpdate }: AfterInit,
  { name, from }: NonNullable<AfterInit['branch']>,
): string[] {
  if (isUpdate && !created.has(callerPath))
    return [
      `What ${callerPath} lacked is in it now, as listed above; look at the difference, and commit it.`,
    ];
  if (!created.has(callerPath))
    return [
      `${callerPath} was there and is left as it is${isFromAsked ? ', so --from has no effect' : ''}. \`gza doctor\` says what is wrong with it, \`gza init --github --update\` adds what it lacks.`,
    ];
  const listens = `The workflow listens to pushes to ${name}: ${known[from]}.`;
  return name === current || current === null
    ? [listens]
    : [`${listens} You are on ${current}; nothing runs before the workflow is on ${name}.`];
}

const githubNext = `On GitHub, once:
- Settings → Actions → General → Workflow permissions: allow GitHub Actions to create and approve pull requests.
- Settings → Secrets and variables → Actions: the key of your agent, such as ANTHROPIC_API_KEY.
- Another agent than claude: change \`setup\` in ${callerPath}, which installs it, and \`agent\` in gza.yaml.
Then commit, push, and push a file to tasks/. \`gza doctor\` checks all of it.`;
