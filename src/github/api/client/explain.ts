/** Turns a refusal by GitHub into an error that says what was refused, why, and what to do. */
import { GzaError } from '../../../core/errors.ts';
import { neutraliseLine } from '../../../core/markdown/neutralise.ts';
import type { Answer } from './octokit.ts';
import { type Operation, permissionOf } from './operations.ts';

export interface Refusal {
  readonly operation: Operation;
  readonly answer: Answer;
  readonly repository: string;
  readonly job?: string | undefined;
}

interface Said {
  readonly message?: unknown;
  readonly errors?: unknown;
}

/** GitHub's whole error message on one line. GitHub names the fields of a request in three shapes. */
export function wordsOf({ data }: Pick<Answer, 'data'>): string {
  const { message, errors } = (typeof data === 'object' && data !== null ? data : { message: data }) as Said;
  const parts = Array.isArray(errors) ? errors : typeof errors === 'string' ? [errors] : [];
  const words = parts.slice(0, 10).map((one: unknown) => {
    if (typeof one === 'string') return one;
    const { resource, field, code, message: said } = (one ?? {}) as Record<string, unknown>;
    return typeof said === 'string' ? said : [resource, field, code].filter((each) => each).join(' ');
  });
  const all = [typeof message === 'string' ? message : '', ...words].filter((each) => each !== '');
  return neutraliseLine(all.join(': ') || 'it gave no reason', 'comment', 500);
}

export const pullsForbidden = /not permitted to create( or approve)? pull requests/i;

export const pullsForbiddenHint = [
  'Settings → Actions → General → Workflow permissions: switch on',
  '"Allow GitHub Actions to create and approve pull requests" (in an organisation it must be on there first),',
  'or give gza the token of a GitHub App.',
].join(' ');

export function explain({ operation, answer, repository, job }: Refusal): GzaError {
  const words = wordsOf(answer);
  const data = { operation, status: answer.status, words };
  const fail = (message: string, hint: string, more: Record<string, unknown> = {}) =>
    new GzaError('world', message, { hint, data: { ...data, ...more } });
  const refused = `GitHub refused to ${operation} in ${repository}`;
  switch (answer.status) {
    case 401:
      return fail(
        `GitHub does not accept the token, when asked to ${operation}.`,
        "A job's token ends with the job, on a runner of your own after 24 hours; a person's token may be expired or revoked.",
      );
    case 403:
      return forbidden(refused, words, { operation, answer, repository, job }, fail);
    case 404:
      return fail(
        `GitHub has nothing there, when asked to ${operation} in ${repository}.`,
        `Either it is gone, or the token may not see it. The token needs ${permissionOf[operation]} in ${repository}.`,
      );
    case 410:
      return fail(
        `${refused}: ${words}.`,
        /issue/i.test(words)
          ? 'Issues are switched off in this repository: Settings → General → Features → Issues.'
          : 'It is gone for good; when this happens to everything, gza is too old for the API and wants an update.',
      );
    case 422:
      return fail(`${refused}: ${words}.`, hintFor422(words), { ...problemOf(words) });
    default:
      return fail(`${refused}: ${words} (status ${answer.status}).`, 'Try again later.');
  }
}

type Fail = (message: string, hint: string, more?: Record<string, unknown>) => GzaError;

function forbidden(
  refused: string,
  words: string,
  { operation, answer, job }: Refusal,
  fail: Fail,
): GzaError {
  if (/resource not accessible by/i.test(words)) {
    const permission = permissionOf[operation];
    const accepted = answer.headers['x-accepted-github-permissions'];
    return fail(
      `The token may not ${operation}: it lacks the permission ${permission}.`,
      `Add \`${permission}\` below \`permissions:\` of ${job ? `the job ${job}` : 'the job'} in the workflow. Naming one permission takes away all others, so name all that the job needs.`,
      { permission, ...(accepted ? { accepted: String(accepted).slice(0, 200) } : {}) },
    );
  }
  if (pullsForbidden.test(words)) return fail(`${refused}: ${words}`, pullsForbiddenHint);
  if (/archived/i.test(words))
    return fail(
      `${refused}: it is archived.`,
      'An archived repository can only be read; unarchive it in its settings.',
    );
  if (/saml|sso/i.test(words))
    return fail(
      `${refused}: ${words}.`,
      'Authorise the token for the organisation (single sign-on) and try again.',
    );
  return fail(
    `${refused}: ${words}.`,
    `The token needs ${permissionOf[operation]}; a person's token needs a role that may do it.`,
  );
}

function problemOf(words: string): { readonly problem?: string } {
  if (/too long|maximum is \d+ characters/i.test(words)) return { problem: 'too-long' };
  if (/no (new )?commits between/i.test(words)) return { problem: 'no-commits' };
  if (/already exists/i.test(words)) return { problem: 'exists' };
  if (/doesn't exist on type|doesn't accept argument|isn't a defined input type/i.test(words))
    return { problem: 'unknown-to-server' };
  return {};
}

function hintFor422(words: string): string {
  switch (problemOf(words).problem) {
    case 'too-long':
      return 'GitHub takes at most 65,536 characters for a body or a comment.';
    case 'no-commits':
      return 'The branch has nothing that its base lacks.';
    case 'unknown-to-server':
      return 'This GitHub Enterprise Server is older than what gza asks for: update the server. docs/github.md says what else differs there.';
    default:
      return 'GitHub understood the request and will not do it; what it says is above.';
  }
}
