/** Whether the workflow that calls gza reaches it, and hands on the keys of the agents. */
import type { AgentKeys, CalledSeen, RepositorySeen } from './repository-seen.ts';

export type CallerAbout =
  | { readonly kind: 'called'; readonly uses: string; readonly why: CalledFault | null }
  | { readonly kind: 'secrets-inherited'; readonly uses: string }
  | ({ readonly kind: 'agent-key'; readonly why: KeyFault | null } & AgentKeys);

export type CalledFault = Exclude<CalledSeen['state'], 'ready'> | 'bare';
export type KeyFault = 'missing' | 'unseen' | 'not-passed' | 'not-given';

type CallerJudged = CallerAbout & { readonly level: 'ok' | 'warning' | 'problem' };

export function judgeCaller(seen: RepositorySeen): CallerJudged[] {
  const traits = seen.workflow?.traits;
  if (!traits?.isReadable) return [];
  const uses = traits.uses ?? '';
  return [
    ...calledOf(seen, uses),
    ...(traits.inheritsSecrets && !isOwn(uses, seen.repository)
      ? [{ kind: 'secrets-inherited', level: 'problem', uses } as const]
      : []),
    ...keysOf(seen),
  ];
}

function calledOf({ workflow, called, isServer }: RepositorySeen, uses: string): CallerJudged[] {
  const isBare = workflow?.traits.hasBareSelf === true || called?.hasBareSelf === true;
  if (isBare) return [{ kind: 'called', level: 'problem', uses, why: 'bare' }];
  if (!called) return [];
  const { state } = called;
  if (state === 'ready') return [{ kind: 'called', level: 'ok', uses, why: null }];
  // Somebody may have allowed what is private, and a server may take what it has not from github.com.
  const isOpen = state === 'private' || (state === 'repository' && isServer);
  const level = isOpen ? 'warning' : 'problem';
  return [{ kind: 'called', level, uses, why: state }];
}

/** `./` is of this repository, and what one owner calls of its own may inherit. */
function isOwn(uses: string, repository: string): boolean {
  const ownerOf = (name: string) => name.split('/')[0]?.toLowerCase();
  return uses.startsWith('.') || uses.startsWith('$') || ownerOf(uses) === ownerOf(repository);
}

function keysOf({ workflow, agentKeys, secrets }: RepositorySeen): CallerJudged[] {
  const { inheritsSecrets = false, secretsNamed = [] } = workflow?.traits ?? {};
  const passed = (names: readonly string[]) =>
    inheritsSecrets || names.some((name) => secretsNamed.includes(name));
  const faultOf = ({ names, isGiven }: AgentKeys): KeyFault | null => {
    if (!isGiven) return 'not-given';
    const there = names.filter((name) => secrets?.includes(name) ?? true);
    if (there.length === 0) return 'missing';
    if (!passed(there)) return 'not-passed';
    return secrets === null ? 'unseen' : null;
  };
  const judged = agentKeys.map((one) => ({ ...one, why: faultOf(one) }));
  // Where one of several can work, the others are a loss and no end.
  const canWork = judged.some(({ why }) => why === null || why === 'unseen');
  return judged.map((one) => ({
    kind: 'agent-key',
    level: one.why === null ? 'ok' : canWork ? 'warning' : 'problem',
    ...one,
  }));
}
