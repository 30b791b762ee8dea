/** The workflow that `gza init --github` writes: it listens, and calls the one that works. Its words are a contract. */
export const callerPath = '.github/workflows/gza.yml';

/** For people who meet gza in a repository and not in its clone. */
export const githubDocs = 'https://github.com/gza-dev/gza/blob/v1/docs/github.md';

export interface CallerOptions {
  /** Of the hour at which it looks by itself; at the full hour GitHub is busiest. */
  readonly minute: number;
  /** The default branch. */
  readonly branch: string;
  /** Installs an agent on the runner, at a version that somebody chose. */
  readonly setup?: string;
}

export function callerWorkflow({ minute, branch, setup }: CallerOptions): string {
  return `# What it listens to, may do and may be told: ${githubDocs}
name: gza
on:
  push: { branches: [${JSON.stringify(branch)}], paths: ['tasks/**', gza.yaml] }
  schedule: [{ cron: '${minute} * * * *' }]
  issue_comment: { types: [created] }
  pull_request_review_comment: { types: [created] }
  pull_request_target: { types: [closed, edited] }
  issues: { types: [edited] }
  repository_dispatch: { types: [gza] }
  workflow_dispatch:
    inputs: { event: { description: gza fills it in, default: '' }, task: { description: Id of a task, default: '' },
      command: { description: 'What to do with it: review, improve, retry, skip …', default: '' },
      guidance: { description: What to tell the agent, default: '' } }
jobs:
  gza:
    permissions: { actions: write, contents: write, issues: write, pull-requests: write, statuses: write }
    uses: gza-dev/gza/.github/workflows/gza.yml@v1
${setup === undefined ? '' : `    with: { setup: ${JSON.stringify(setup)} }\n`}    secrets: inherit
`;
}

export const agentSetup = 'npm install --global @anthropic-ai/claude-code@2.1.326';

export const githubNext = `On GitHub, once:
- Settings → Actions → General → Workflow permissions: allow GitHub Actions to create and approve pull requests.
- Settings → Secrets and variables → Actions: the key of your agent, such as ANTHROPIC_API_KEY.
- Another agent than claude: change \`setup\` in ${callerPath}, which installs it, and \`agent\` in gza.yaml.
Then commit, push, and push a file to tasks/. \`gza doctor\` checks all of it.`;
