/**
 * The operations that gza requests from GitHub, as messages name them, and the permission of a job's token
 * that each one needs.
 */
export const permissionOf = {
  'read the repository': 'metadata: read',
  'read whose token it is': 'metadata: read',
  'read files': 'contents: read',
  'read pull requests': 'pull-requests: read',
  'read the files of a pull request': 'pull-requests: read',
  'read review comments': 'pull-requests: read',
  'read issues': 'issues: read',
  'read comments': 'issues: read',
  "read a person's role": 'metadata: read',
  'read workflow runs': 'actions: read',
  'read workflows': 'actions: read',
  'read the rules of a branch': 'metadata: read',
  "read the repository's settings": 'administration: read',
  'read the names of secrets': 'secrets: read',
  'merge a pull request': 'contents: write',
  'open a pull request': 'pull-requests: write',
  'update a pull request': 'pull-requests: write',
  'ask for reviewers': 'pull-requests: write',
  'post a review': 'pull-requests: write',
  'change labels': 'issues: write',
  'set a commit status': 'statuses: write',
  'write a comment': 'issues: write',
  'answer a review comment': 'pull-requests: write',
  'react to a comment': 'issues: write',
  'react to a review': 'pull-requests: write',
  'react to a review comment': 'pull-requests: write',
  'open an issue': 'issues: write',
  'update an issue': 'issues: write',
  'read milestones': 'issues: read',
  'create a milestone': 'issues: write',
  'link issues': 'issues: write',
  'cancel a run': 'actions: write',
  'start a workflow': 'actions: write',
  'ask for the next pick': 'contents: write',
} as const;

export type Operation = keyof typeof permissionOf;
