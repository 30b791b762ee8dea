/** The workflow that `gza init --github` writes: it listens, and calls the one that works. Its words are a contract. */
export const callerPath = '.github/workflows/gza.yml';

export function callerWorkflow(minute: number): string {
  return `name: gza
on:
  push: { branches: [main], paths: ['tasks/**', gza.yaml] }
  schedule: [{ cron: '${minute} * * * *' }]
  workflow_dispatch:
    inputs:
      event: { description: 'What happened, as JSON; gza fills it in', type: string, default: '' }
      task: { description: 'Id of a task', type: string, default: '' }
      command: { description: 'What to do with it: review, improve, retry, skip …', type: string, default: '' }
      guidance: { description: 'What to tell the agent', type: string, default: '' }
  issue_comment: { types: [created] }
  pull_request_review_comment: { types: [created] }
  pull_request_target: { types: [closed, edited] }
  issues: { types: [edited] }
  repository_dispatch: { types: [gza] }
permissions: {}
jobs:
  gza:
    if: \${{ (github.event_name != 'issue_comment' && github.event_name != 'pull_request_review_comment') || contains(github.event.comment.body, '/gza') }}
    permissions: { actions: write, contents: write, issues: write, pull-requests: write, statuses: write }
    uses: gza-dev/gza/.github/workflows/gza.yml@v1
    secrets: inherit
`;
}
