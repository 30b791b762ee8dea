/** What a client of ours must do though GitHub lets it pass, or punishes it too late to be noticed. */
import type { IncomingHttpHeaders } from 'node:http';

export const versions = ['2022-11-28', '2026-03-10'];

export function checkHeaders(operation: string, headers: IncomingHttpHeaders): string[] {
  const errors: string[] = [];
  const version = headers['x-github-api-version'];
  if (version === undefined) errors.push(`${operation}: no X-GitHub-Api-Version header`);
  if (!headers['user-agent']) errors.push(`${operation}: no User-Agent header`);
  return errors;
}
