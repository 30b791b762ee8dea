/** Where a ledger's tree may hold texts: one file in one of three folders, under a name that is safe everywhere. */
export function isArtifactPath(path: string): boolean {
  return (
    /^(plans|explorations|reviews)\/[A-Za-z0-9_][A-Za-z0-9._-]{0,200}$/.test(path) && !path.endsWith('.lock')
  );
}
