/** What GitHub says when it refuses, word for word where a client may look at the words. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Refusal extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`GitHub refused: ${answer.status}`);
    this.name = 'Refusal';
    this.answer = answer;
  }
}

const documentation = 'https://docs.github.com/rest';

export function refuse(status: number, message: string, errors?: readonly unknown[]): Refusal {
  const body = {
    message,
    ...(errors ? { errors } : {}),
    documentation_url: documentation,
    status: String(status),
  };
  return new Refusal({ status, body });
}

export const notFound = () => refuse(404, 'Not Found');
export const badCredentials = () => refuse(401, 'Bad credentials');

/** `needs` as in a route; GitHub names them in a header. */
export function notAccessible(needs: readonly string[]): Refusal {
  const { answer } = refuse(403, 'Resource not accessible by integration');
  const accepted = needs.map((need) => need.replace(':', '=')).join('; ');
  return new Refusal({ ...answer, headers: { 'x-accepted-github-permissions': accepted } });
}

export const noVersion = (version: string) =>
  refuse(400, `X-GitHub-Api-Version header has an invalid value: "${version}"`);

export function invalid(resource: string, message: string, code = 'custom', field?: string): Refusal {
  return refuse(422, 'Validation Failed', [{ resource, code, ...(field ? { field } : {}), message }]);
}

/** Reviews and some others answer with plain strings. */
export const unprocessable = (...errors: string[]) => refuse(422, 'Unprocessable Entity', errors);

export const pullsNotPermitted = () =>
  refuse(403, 'GitHub Actions is not permitted to create or approve pull requests.');

const bodyCharactersMax = 65_536;

/** For GitHub a pull request's body is an issue's, and a comment's is data. */
export function checkBody(of: 'issue' | 'comment', body: unknown): void {
  if (typeof body !== 'string' || body.length <= bodyCharactersMax) return;
  const message = `is too long (maximum is ${bodyCharactersMax} characters)`;
  throw refuse(422, 'Validation Failed', [
    of === 'issue'
      ? { resource: 'Issue', code: 'custom', field: 'body', message: `body ${message}` }
      : { resource: 'IssueComment', code: 'unprocessable', field: 'data', message: `Body ${message}` },
  ]);
}

/** Of issues and pull requests 256 characters, of labels 50. */
export function checkName(resource: 'Issue' | 'PullRequest' | 'Label', name: unknown): void {
  const [field, most] = resource === 'Label' ? ['name', 50] : ['title', 256];
  if (typeof name !== 'string' || [...name].length <= most) return;
  const message = `${field} is too long (maximum is ${most} characters)`;
  throw refuse(422, 'Validation Failed', [{ resource, code: 'custom', field, message }]);
}

export function rateLimited(resetAtSeconds: number): Refusal {
  const body = {
    message:
      'API rate limit exceeded for installation ID 90210. If you reach out to GitHub Support for help, please include the request ID.',
    documentation_url: 'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api',
    status: '403',
  };
  return new Refusal({ status: 403, body, headers: { 'x-ratelimit-reset': String(resetAtSeconds) } });
}

export function secondaryLimit(retryAfterSeconds = 60): Answer {
  return {
    status: 403,
    body: {
      documentation_url:
        'https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits',
      message:
        'You have exceeded a secondary rate limit and have been temporarily blocked from content creation. Please retry your request again later.',
    },
    headers: { 'retry-after': String(retryAfterSeconds) },
  };
}

export const serverError: Answer = { status: 502, body: { message: 'Server Error' } };
