/**
 * What would be written, said instead of done: stands where the half that writes stands, so no code that decides
 * knows about it. Answers are such that the work goes on; numbers are 0.
 */
import type { ForgeWrite, IssueFacts, PullFacts, PullWanted } from './forge.ts';

export function dryForge(print: (line: string) => void): ForgeWrite {
  const would = (line: string) => print(`would ${line}`);
  return {
    async openPull(wanted) {
      const { branch, base, title, draft, labels, reviewers } = wanted;
      would(`open a ${draft ? 'draft ' : ''}pull request ${branch} → ${base}: ${title}`);
      if (labels.length > 0) would(`label it ${labels.join(', ')}`);
      if (reviewers.length > 0) would(`ask ${reviewers.join(', ')} to review it`);
      return { kind: 'opened', pull: imagined(wanted) };
    },
    async updatePull(number, fields) {
      would(`update pull request #${number}: ${fieldsOf(fields)}`);
    },
    async markReady(number, ready) {
      would(`mark pull request #${number} as ${ready ? 'ready for review' : 'a draft'}`);
    },
    async changeLabels(number, { add = [], remove = [] }) {
      const changes = [...add.map((one) => `+${one}`), ...remove.map((one) => `-${one}`)];
      if (changes.length > 0) would(`change the labels of #${number}: ${changes.join(' ')}`);
    },
    async postReview(number, { comments }) {
      would(`post a review on #${number} with ${comments.length} comments on lines`);
      return { id: 0, inline: comments.length, inBody: 0, dropped: 0 };
    },
    async setStatus(commit, context, state, text) {
      would(`set the status ${context} of ${commit.slice(0, 12)} to ${state}: ${text}`);
    },
    async comment(on, text) {
      would(`comment on #${on}: ${firstLine(text)}`);
      return 0;
    },
    async reply(pull, comment, text) {
      would(`answer the comment ${comment} on #${pull}: ${firstLine(text)}`);
      return true;
    },
    async editComment(id, text) {
      would(`edit the comment ${id}: ${firstLine(text)}`);
    },
    async react({ id }, reaction) {
      would(`react to the comment ${id} with ${reaction}`);
    },
    async createIssue(title, body) {
      would(`open the issue: ${title}`);
      return { ...imaginedIssue, title, body };
    },
    async updateIssue(number, fields) {
      would(`update issue #${number}: ${fieldsOf(fields)}`);
    },
    async dispatch(workflow, ref, inputs) {
      would(`start ${workflow} on ${ref}: ${JSON.stringify(inputs)}`);
      return null;
    },
  };
}

const imaginedIssue: IssueFacts = {
  number: 0,
  title: '',
  body: '',
  state: 'open',
  isOurs: true,
  bodyEditedBy: null,
  updatedAt: '',
};

function imagined({ branch, base, title, body, draft, labels }: PullWanted): PullFacts {
  return {
    number: 0,
    url: '',
    state: draft ? 'draft' : 'open',
    branch,
    base,
    headCommit: '',
    title,
    body,
    isOurs: true,
    author: '',
    labels,
    bodyEditedBy: null,
    updatedAt: '',
    mergedAt: null,
    closedBy: null,
    closedWithBase: false,
    fromFork: false,
  };
}

function fieldsOf(fields: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => (name === 'body' ? 'body' : `${name} ${value}`))
    .join(', ');
}

function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0] ?? '';
}
