/**
 * The token for git: a header that only this process and the gits it starts know. Not in .git/config, where an
 * agent would find it, and not in an address, which errors print.
 */
export function gitAccess(
  server: string,
  token: string,
  mask: (secret: string) => void,
): Record<string, string> {
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  for (const secret of [token, basic]) mask(secret);
  const { origin } = new URL(server);
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${origin}/.extraheader`,
    GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${basic}`,
  };
}
