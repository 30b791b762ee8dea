/** How a person's command reaches GitHub: with the token of the environment, at the place that belongs to it. */
import type { Ports } from './command.ts';

export function githubToken(env: Ports['env']): string | null {
  return env['GITHUB_TOKEN'] || env['GH_TOKEN'] || null;
}

/** The token is for GitHub, and goes to no host that only the remote's address names: then null. */
export function githubApiUrl(host: string, env: Ports['env']): string | null {
  const given = env['GITHUB_API_URL'];
  if (given) return given;
  if (host === 'github.com' || host === 'ssh.github.com') return 'https://api.github.com';
  if (/^[a-z0-9-]+\.ghe\.com$/.test(host)) return `https://api.${host}`;
  const isTold = host === hostOf(env['GITHUB_SERVER_URL']) || host === env['GH_HOST'];
  return isTold ? `https://${host}/api/v3` : null;
}

export function hostOf(url: string | undefined): string | null {
  return url && URL.canParse(url) ? new URL(url).host : null;
}
