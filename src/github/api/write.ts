/** The writing half of the forge. Each function makes one request unless its comment says otherwise. */
import { GzaError, isGzaError } from '../../core/errors.ts';
import { type Asked, type ClientOptions, type GithubClient, githubClient } from './client/client.ts';
import type { ForgeRead, ForgeWrite, IssueFacts, LabelChange } from './forge.ts';
import { mergePull } from './merge-pull.ts';
import { type OpenPullContext, openPull } from './open-pull.ts';
import { changePull } from './pull-facts.ts';
import { githubRead } from './read.ts';

const charactersMax = 65_536;
const statusCharactersMax = 140;

function githubWrite(context: OpenPullContext, read: ForgeRead): ForgeWrite {
  const { client, ourLogin } = context;
  return {
    openPull: async (wanted) => openPull(context, { ...wanted, body: bounded(wanted.body) }),
    mergePull: (pull, head) => mergePull(client, pull, head),
    async changePull(pull, change) {
      bounded(change.fields?.body ?? '');
      await changePull(client, pull, change, ourLogin);
    },
    changeLabels: (number, change) => changeLabels(client, number, change),
    async setStatus(commit, name, state, text, url) {
      await client.must({
        operation: 'set a commit status',
        repeatable: true,
        send: (rest, here) =>
          rest.repos.createCommitStatus({
            ...here,
            sha: commit,
            context: name,
            state,
            description: short(text),
            ...(url ? { target_url: url } : {}),
          }),
      });
    },
    comment: async (on, text) => comment(client, on, bounded(text), ourLogin),
    reply: (pull, id, text) => reply(client, pull, id, bounded(text)),
    async react({ id, kind, nodeId }, reaction) {
      if (kind === 'review') return reactToReview(client, nodeId ?? '', reaction);
      const isOnLine = kind === 'review-comment';
      // The author may have deleted the comment in the meantime. Then the reaction is not needed.
      await client.find<unknown>({
        operation: isOnLine ? 'react to a review comment' : 'react to a comment',
        repeatable: true,
        send: ({ reactions }, here) => {
          const wanted = { ...here, comment_id: id, content: reaction };
          if (isOnLine) return reactions.createForPullRequestReviewComment(wanted);
          return reactions.createForIssueComment(wanted);
        },
      });
    },
    createIssue: async (title, body, labels) =>
      createIssue(context, read, { title, body: bounded(body), labels }),
    async updateIssue(number, fields) {
      const body = fields.body === undefined ? {} : { body: bounded(fields.body) };
      await client.must({
        operation: 'update an issue',
        send: (rest, here) => rest.issues.update({ ...here, issue_number: number, ...fields, ...body }),
      });
    },
    wake: (ended) => wake(client, ended),
    async rerun(run) {
      const answer = await client.ask({
        operation: 'start a workflow',
        repeatable: true,
        send: ({ actions }, here) => actions.reRunWorkflowFailedJobs({ ...here, run_id: run }),
      });
      return answer.status < 300;
    },
    dispatch: (workflow, ref, inputs = {}) => dispatch(client, workflow, ref, inputs),
    async cancel(run) {
      await client.must({
        operation: 'cancel a run',
        send: (rest, here) => rest.actions.cancelWorkflowRun({ ...here, run_id: run }),
      });
    },
  };
}

async function reactToReview(client: GithubClient, subjectId: string, reaction: string): Promise<void> {
  const content = reaction === '-1' ? 'THUMBS_DOWN' : reaction.toUpperCase();
  await client.graphql({
    operation: 'react to a review',
    query: `mutation ($input: AddReactionInput!) { addReaction(input: $input) { clientMutationId } }`,
    variables: { input: { subjectId, content } },
  });
}

/** Checks the length of a text. Callers must shorten it: cutting it here would lose gza's data at its end. */
function bounded(text: string): string {
  if (text.length <= charactersMax) return text;
  throw new GzaError(
    'world',
    `A text of ${text.length} characters is too long for GitHub, which takes 65,536.`,
    {
      hint: 'This is a bug in gza: the text should have been shortened before.',
      data: { problem: 'too-long', characters: text.length },
    },
  );
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= statusCharactersMax) return line;
  return `${line.slice(0, statusCharactersMax - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

const labelCharactersMax = 50;

/** Makes one request for all added labels, and one for each removed label. */
async function changeLabels(
  client: GithubClient,
  number: number,
  { add = [], remove = [] }: LabelChange,
): Promise<void> {
  const cut = (label: string) => [...label].slice(0, labelCharactersMax).join('').trim();
  const operation = 'change labels';
  if (add.length > 0)
    await client.must({
      operation,
      repeatable: true,
      send: (rest, here) => rest.issues.addLabels({ ...here, issue_number: number, labels: add.map(cut) }),
    });
  for (const label of remove)
    await client.find({
      operation,
      send: (rest, here) => rest.issues.removeLabel({ ...here, issue_number: number, name: cut(label) }),
    });
}

/** When the answer was lost, checks whether the comment was posted, so that it is not posted twice. */
async function comment(client: GithubClient, on: number, text: string, ourLogin: string): Promise<number> {
  try {
    const made = await client.must({
      operation: 'write a comment',
      send: (rest, here) => rest.issues.createComment({ ...here, issue_number: on, body: text }),
    });
    return made.id;
  } catch (error) {
    if (!isGzaError(error) || !error.data['isLost']) throw error;
    const { items } = await client.list(
      {
        operation: 'read comments',
        pages: (rest, here) => [
          rest.issues.listCommentsForRepo,
          { ...here, sort: 'created', direction: 'desc' },
        ],
      },
      { itemsMax: 100 },
    );
    const found = items.find(
      (one) => one.issue_url.endsWith(`/${on}`) && one.user?.login === ourLogin && one.body === text,
    );
    if (!found) throw error;
    return found.id;
  }
}

async function reply(client: GithubClient, pull: number, id: number, text: string): Promise<boolean> {
  const asked: Asked = {
    operation: 'answer a review comment',
    send: (rest, here) =>
      rest.pulls.createReplyForReviewComment({ ...here, pull_number: pull, comment_id: id, body: text }),
  };
  const answer = await client.ask(asked);
  // The comment was deleted, or the commit of its line no longer exists.
  if (answer.status === 404 || answer.status === 422) return false;
  if (answer.status >= 300) throw client.refused(asked, answer);
  return true;
}

async function createIssue(
  { client, ourLogin }: OpenPullContext,
  read: ForgeRead,
  body: { readonly title: string; readonly body: string; readonly labels: readonly string[] },
): Promise<IssueFacts> {
  const { title, labels } = body;
  try {
    const made = await client.must({
      operation: 'open an issue',
      send: (rest, here) => rest.issues.create({ ...here, title, body: body.body, labels: [...labels] }),
    });
    return {
      number: made.number,
      title,
      body: body.body,
      state: 'open',
      isOurs: made.user?.login === ourLogin,
      bodyEditedBy: null,
      updatedAt: made.updated_at,
    };
  } catch (error) {
    const found = isGzaError(error) && error.data['isLost'] ? await read.findIssue(title) : null;
    if (!found) throw error;
    return found;
  }
}

async function wake(client: GithubClient, ended: readonly string[]): Promise<void> {
  await client.must({
    operation: 'ask for the next pick',
    // Safe to repeat: a second event only makes pick run again.
    repeatable: true,
    send: (rest, here) =>
      rest.repos.createDispatchEvent({ ...here, event_type: 'gza', client_payload: { ended } }),
  });
}

async function dispatch(
  client: GithubClient,
  workflow: string,
  ref: string,
  inputs: Readonly<Record<string, string>>,
): Promise<void> {
  await client.must({
    operation: 'start a workflow',
    send: (rest, here) =>
      rest.actions.createWorkflowDispatch({ ...here, workflow_id: workflow, ref, inputs }),
  });
}

export interface GithubForgeOptions extends ClientOptions {
  /**
   * The login of the token's account as REST writes it, such as `my-app[bot]` for an App. It must be given
   * because a job's own token may not ask for it. The default is the account of all jobs' tokens.
   */
  readonly login?: string | undefined;
}

const actionsLogin = 'github-actions[bot]';

export function githubForge(options: GithubForgeOptions): {
  readonly read: ForgeRead;
  readonly write: ForgeWrite;
} {
  const client = githubClient(options);
  const ourLogin = options.login ?? actionsLogin;
  const read = githubRead(client, ourLogin);
  const { sleep, log } = options;
  return { read, write: githubWrite({ client, ourLogin, sleep, log }, read) };
}
