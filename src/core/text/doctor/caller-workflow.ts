/**
 * The workflow that `gza init --github` writes into a repository. It reacts to events and calls gza's own
 * workflow, which does the work. Repositories keep old copies, so the inputs and secrets that it passes must
 * stay valid.
 */
import { docsUrl, type Home, home } from './home.ts';
import { inlinePaths } from './inline-workflows.ts';

export const callerPath = '.github/workflows/gza.yml';

export interface CallerOptions {
  /** Minute of the scheduled run. Avoid the full hour, when GitHub is busiest. */
  readonly minute: number;
  /** Runs every hour instead of every six hours. */
  readonly hourly?: boolean;
  /** The default branch. */
  readonly branch: string;
  /** Command that prepares a runner: it installs an agent, at a fixed version, and the project's tools. */
  readonly setup?: string;
  /** The repository and ref of the gza that it calls. */
  readonly from?: Home;
  /** It calls the copy of gza's workflow in the same repository. */
  readonly isInline?: boolean;
}

/** Secrets with agents' keys. */
export const agentSecrets: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'COPILOT_GITHUB_TOKEN',
];

/** A secret with lines of NAME=value for other variables. A job takes only the lines of its own agent. */
export const agentLines = 'GZA_AGENT_ENV';

/**
 * The secrets that the called workflow declares, except GZA_AGENT_ENV, which users add themselves if needed.
 */
export const callerSecrets: readonly string[] = [...agentSecrets, 'LINEAR_API_KEY', 'GZA_APP_PRIVATE_KEY'];

/** The `uses:` of the caller's job. */
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
  // Secrets are named one by one, because `secrets: inherit` passes nothing to another organisation.
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

/** Install commands of the agents that npm distributes. */
export const agentSetups: Readonly<Record<string, string>> = {
  claude: 'npm install --global @anthropic-ai/claude-code@2.1.326',
  codex: 'npm install --global @openai/codex@0.169.0',
};

export const agentSetup = agentSetups['claude'] as string;
