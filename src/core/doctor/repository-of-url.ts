export interface RepositoryAddress {
  readonly host: string;
  /** `owner/name`. */
  readonly repository: string;
}

const name = /^[A-Za-z0-9._-]{1,100}$/;

/**
 * Reads `https://host/o/r.git`, `ssh://git@host:22/o/r` and `git@host:o/r.git`. Drops everything before the
 * host, because it may be a token.
 */
export function repositoryOfUrl(url: string): RepositoryAddress | null {
  const bare = url.replace(/(?<!\/)\/+$/, '');
  const long = /^(?:https?|ssh|git):\/\/(?:[^@/\s]*@)?([A-Za-z0-9.-]+)(?::\d+)?\/+([^/].*)$/.exec(bare);
  const short = long ? null : /^(?:[^@/:\s]+@)?([A-Za-z0-9.-]+):(?!\/)(.+)$/.exec(bare);
  const [, host = '', path = ''] = long ?? short ?? [];
  const repository = path.replace(/\.git$/, '');
  return isRepository(repository) && host !== '' ? { host: host.toLowerCase(), repository } : null;
}

/** `owner/name`. */
export function isRepository(text: string): boolean {
  const parts = text.split('/');
  return parts.length === 2 && parts.every((part) => name.test(part) && !/^\.+$/.test(part));
}
