/** Checks that the repository's workflow calls a reachable gza, and passes it the agents' keys. */
import { callerPath, callerSecrets } from '../text/doctor/caller-workflow.ts';
import { fine, type Judged, wrong } from './judged.ts';
import type { AgentKeys, RepositorySeen } from './repository-seen.ts';

export function judgeCaller(seen: RepositorySeen): Judged[] {
  const traits = seen.workflow?.traits;
  if (!traits?.isReadable) return [];
  const uses = traits.uses ?? '';
  const judged = judgeCalled(seen, uses);
  if (traits.inheritsSecrets && !isOwn(uses, seen.repository))
    judged.push(
      wrong(
        'secrets-inherited',
        'problem',
        `secrets: inherit hands nothing to ${uses}: it works only within one organisation or enterprise, so the agent has no key.`,
        `\`gza init --github --update\` names each, or in the job that calls gza, instead of it: secrets: { ${callerSecrets.map(passes).join(', ')} }`,
        { uses },
      ),
    );
  return [...judged, ...judgeInline(seen), ...judgeKeys(seen)];
}

/** Copies of the workflows inside the repository do not update themselves, so doctor checks their age. */
function judgeInline({ inline, workflow }: RepositorySeen): Judged[] {
  if (!inline) return [];
  const { missing, others, pin, now } = inline;
  const update = '`gza init --github --update` rewrites them; then push.';
  const seen = { missing, others, pin: pin?.commit ?? null, now };
  if (missing.length > 0)
    return [wrong('inline', 'problem', `${missing.join(', ')}: not there, so no run starts.`, update, seen)];
  const isOld = pin !== null && now !== null && now !== pin.commit;
  const whys = [
    ...(others.length === 0 ? [] : [`${others.join(', ')}: not what this gza writes`]),
    ...(isOld
      ? [
          `${pin.from.ref} of ${pin.from.repository} is ${now.slice(0, 7)} by now, and they name ${pin.commit.slice(0, 7)}`,
        ]
      : []),
  ];
  return whys.length === 0
    ? [fine('inline', `What ${workflow?.path ?? callerPath} calls in this repository is up to date.`, seen)]
    : [
        wrong(
          'inline',
          'warning',
          `The workflow in this repository is old: ${whys.join('; ')}.`,
          update,
          seen,
        ),
      ];
}

const passes = (name: string) => `${name}: "\${{ secrets.${name} }}"`;

function judgeCalled({ workflow, called, isServer }: RepositorySeen, uses: string): Judged[] {
  const [path = '', ref = ''] = uses.split('@');
  const [owner = '', name = '', ...file] = path.split('/');
  const repository = `${owner}/${name}`;
  // Only a warning: access to the private repository may be allowed, and a server may fetch it from
  // github.com.
  const isOpen = called?.state === 'private' || (called?.state === 'repository' && isServer);
  const fault = (
    why: string,
    says: string,
    todo = `Change uses: in the workflow file. \`gza init --github --from owner/name@ref\` writes ${callerPath} if it is missing.`,
  ) => [wrong('called', why !== 'bare' && isOpen ? 'warning' : 'problem', says, todo, { uses, why })];
  if (workflow?.traits.hasBareSelf === true || called?.hasBareSelf === true)
    return fault(
      'bare',
      'A workflow says uses: $/ without a path, which GitHub refuses: no run starts.',
      'Name what is meant, as in uses: $/action. Where it stands in the called workflow, call a newer one.',
    );
  switch (called?.state) {
    case undefined:
      return [];
    case 'ready':
      return [fine('called', `${uses} is there.`, { uses, why: null })];
    case 'repository':
      return fault(
        'repository',
        `${uses}: there is no repository ${repository}, or this token may not read it. What cannot be read starts no run.`,
      );
    case 'ref':
      return fault('ref', `${uses}: ${repository} has no branch, tag or commit ${ref}, so no run starts.`);
    case 'file':
      return fault(
        'file',
        `${uses}: ${repository} has no ${file.join('/') || 'action.yml'} at ${ref}, so no run starts.`,
      );
    case 'private':
      return fault(
        'private',
        `${uses}: ${repository} is private, and others may call it only where it allows that.`,
        `In ${repository}: Settings → Actions → General → Access.`,
      );
  }
}

/** `./` is in this repository. Workflows of the same owner may inherit secrets too. */
function isOwn(uses: string, repository: string): boolean {
  const ownerOf = (name: string) => name.split('/')[0]?.toLowerCase();
  return uses.startsWith('.') || uses.startsWith('$') || ownerOf(uses) === ownerOf(repository);
}

type KeyFault = 'missing' | 'unseen' | 'lines' | 'not-passed' | 'not-given';

function judgeKeys({ workflow, agentKeys, secrets }: RepositorySeen): Judged[] {
  const { inheritsSecrets = false, secretsNamed = [], handsLines = false } = workflow?.traits ?? {};
  const passed = (names: readonly string[]) =>
    inheritsSecrets || names.some((name) => secretsNamed.includes(name));
  const faultOf = ({ names, isGiven }: AgentKeys): KeyFault | null => {
    if (!isGiven) return 'not-given';
    const there = names.filter((name) => secrets?.includes(name) ?? true);
    if (!passed(there) && handsLines) return 'lines';
    if (there.length === 0) return 'missing';
    if (!passed(there)) return 'not-passed';
    return secrets === null ? 'unseen' : null;
  };
  const judged = agentKeys.map((one) => ({ ...one, why: faultOf(one) }));
  // If at least one agent can work, a missing key of another agent does not stop gza.
  const canWork = judged.some(({ why }) => why === null || why === 'unseen' || why === 'lines');
  return judged.map((one) => judgeKey(one, canWork ? 'warning' : 'problem'));
}

/** The model proxy can hold API keys, but no logins. */
function besideIt(names: readonly string[]): string {
  const logins = names.filter((name) => ['CLAUDE_CODE_OAUTH_TOKEN', 'COPILOT_GITHUB_TOKEN'].includes(name));
  return logins.length === 0
    ? ''
    : ` Not proxied, so beside the agent where it is used: ${logins.join(', ')}.`;
}

function judgeKey(seen: AgentKeys & { readonly why: KeyFault | null }, level: 'warning' | 'problem'): Judged {
  const { agent, names, why } = seen;
  const either = names.join(' or ');
  const [first = ''] = names;
  const fault = (says: string, todo: string) => wrong('agent-key', level, says, todo, seen);
  switch (why) {
    case null:
      return fine('agent-key', `The agent ${agent} has its key: a secret ${either}.${besideIt(names)}`, seen);
    case 'lines':
      return fine(
        'agent-key',
        `The agent ${agent} may have its key in GZA_AGENT_ENV, which the workflow hands on; what it holds cannot be seen.`,
        seen,
      );
    case 'missing':
      return fault(
        `There is no secret ${either}: the agent ${agent} has no key.`,
        `gh secret set ${first}, or Settings → Secrets and variables → Actions.`,
      );
    case 'unseen':
      return fault(
        `Whether there is a secret ${either} for the agent ${agent} could not be seen with this token.`,
        'Settings → Secrets and variables → Actions shows it.',
      );
    case 'not-given':
      return fault(
        `The agent ${agent} gets ${either} only where gza.yaml says so, as it opens GitHub too.`,
        `In gza.yaml: agents: { ${agent}: { env: [${first}] } }`,
      );
    case 'not-passed':
      return fault(
        `The workflow file does not hand ${either} to gza: the agent ${agent} has no key.`,
        `In the job that calls gza: secrets: { ${names.map(passes).join(', ')} }`,
      );
  }
}
