/** The workflow that `gza init --github` writes: it listens, and calls the one that works. Its words are a contract. */
import { docsUrl, type Home, home } from './home.ts';
import { inlinePaths } from './inline-workflows.ts';

export const callerPath = '.github/workflows/gza.yml';

export interface CallerOptions {
  /** Of the hour at which it looks by itself; at the full hour GitHub is busiest. */
  readonly minute: number;
  /** Default every six hours. */
  readonly hourly?: boolean;
  /** The default branch. */
  readonly branch: string;
  /** Prepares a runner: installs an agent, at a version that somebody chose, and the tools of the project. */
  readonly setup?: string;
  /** Whose gza it calls. */
  readonly from?: Home;
  /** It calls the workflow that stands beside it. */
  readonly isInline?: boolean;
}

/** Keys of agents. */
export const agentSecrets: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'COPILOT_GITHUB_TOKEN',
];

/** Lines of NAME=value, for whatever else an agent needs: of these a job takes those of its own agent. */
export const agentLines = 'GZA_AGENT_ENV';

/** What the called workflow declares, but for those lines, which whoever needs them puts together. */
export const callerSecrets: readonly string[] = [...agentSecrets, 'LINEAR_API_KEY', 'GZA_APP_PRIVATE_KEY'];

/** What the caller's job calls. */
export function calledBy(from: Home = home, isInline = false): string {
  return isInline
    ? `./${inlinePaths['gza.yml']}`
    : `${from.repository}/.github/workflows/gza.yml@${from.ref}`;
}

export function callerWorkflow({
  minute,
  branch,
  setup,
  from = home,
  isInline,
  hourly,
}: CallerOptions): string {
  // `secrets: inherit` would hand on nothing: it ends at the border of an organisation.
  const secretLines = callerSecrets.map((name) => `      ${name}: \${{ secrets.${name} }}`).join('\n');
  return `# What it listens to, may do and may be told: ${docsUrl('github.md', from)}
name: gza
on:
  push: { branches: [${JSON.stringify(branch)}], paths: ['tasks/**', gza.yaml] }
  schedule: [{ cron: '${minute} ${hourly ? '*' : '*/6'} * * *' }]
  issue_comment: { types: [created] }
  pull_request_review_comment: { types: [created] }
  pull_request_review: { types: [submitted] }
  pull_request_target: { types: [closed, edited] }
  issues: { types: [edited, labeled] }
  repository_dispatch: { types: [gza] }
  workflow_dispatch: { inputs: {
      task: { description: 'Id of one task. None, no group and no milestone: everything that is ready', default: '' },
      group: { description: 'Or: all open tasks of this group', default: '' },
      milestone: { description: 'Or: all open tasks of this milestone', default: '' },
      command: { description: What to do with them, default: work, type: choice,
        options: [work, review, improve, retry, resume, approve, skip, stop, pause, reopen, rebase, split, why] },
      guidance: { description: What to tell the agent, default: '' },
      dry_run: { description: Only say what would start, default: false, type: boolean } } }
jobs:
  gza:
    permissions: { actions: write, contents: write, issues: write, pull-requests: write, statuses: write }
    uses: ${calledBy(from, isInline)}
${setup === undefined ? '' : `    with: { setup: ${JSON.stringify(setup)} }\n`}    secrets:
${secretLines}
`;
}

/** Of agents that npm installs. */
export const agentSetups: Readonly<Record<string, string>> = {
  claude: 'npm install --global @anthropic-ai/claude-code@2.1.326',
  codex: 'npm install --global @openai/codex@0.169.0',
};

export const agentSetup = agentSetups['claude'] as string;
