/** What people do at GitHub, each with their own token over the same API. */
import type { State } from './state.ts';

export interface Person {
  /** Any request, with this person's own token. */
  request(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Record<string, unknown> }>;
  openPull(
    head: string,
    options?: { title?: string; base?: string; body?: string; draft?: boolean },
  ): Promise<number>;
  comment(number: number, body: string): Promise<number>;
  /** Ticks the box whose line contains `words`, as a click in the browser does: the whole body is sent, with CRLF. */
  tick(number: number, words: string): Promise<void>;
  merge(number: number): Promise<void>;
  close(number: number): Promise<void>;
  /** The button on a merged pull request: those based on the branch get its base instead of being closed. */
  deleteBranch(name: string): Promise<void>;
}

export interface Place {
  readonly state: State;
  readonly apiUrl: string;
}

export function person(github: Place, login: string, secret: string): Person {
  const repo = `${github.apiUrl}/repos/${github.state.owner}/${github.state.repo}`;
  const request: Person['request'] = async (method, path, body) => {
    const response = await fetch(`${repo}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'x-github-api-version': '2022-11-28' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text ? (JSON.parse(text) as Record<string, unknown>) : {} };
  };
  const must = async (method: string, path: string, body?: unknown) => {
    const answer = await request(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${login} may not ${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    request,
    openPull: async (head, options) =>
      Number(
        (await must('POST', '/pulls', { title: head, base: github.state.defaultBranch, ...options, head }))[
          'number'
        ],
      ),
    comment: async (number, body) =>
      Number((await must('POST', `/issues/${number}/comments`, { body }))['id']),
    tick: async (number, words) => {
      const issue = github.state.issues.find((one) => one.number === number);
      const lines = (issue?.body ?? '').replaceAll('\r\n', '\n').split('\n');
      const at = lines.findIndex((line) => /[-*+] \[ \]/.test(line) && line.includes(words));
      if (at < 0) throw new Error(`no open box with ${words} in:\n${lines.join('\n')}`);
      lines[at] = (lines[at] ?? '').replace('[ ]', '[x]');
      await must('PATCH', `/${issue?.pull ? 'pulls' : 'issues'}/${number}`, { body: lines.join('\r\n') });
    },
    merge: async (number) => void (await must('PUT', `/pulls/${number}/merge`, {})),
    deleteBranch: async (name) => {
      const merged = github.state.issues.find((one) => one.pull?.merged && one.pull.head.ref === name);
      if (!merged?.pull) throw new Error(`${name} is not the branch of a merged pull request`);
      for (const one of github.state.issues)
        if (one.state === 'open' && one.pull?.base === name)
          await must('PATCH', `/pulls/${one.number}`, { base: merged.pull.base });
      await must('DELETE', `/git/refs/heads/${name}`);
    },
    close: async (number) => void (await must('PATCH', `/issues/${number}`, { state: 'closed' })),
  };
}
