/** What doctor says of the way from a repository to gza: what is called, and which keys it gets. */
import type { CalledFault } from '../../doctor/judge-repository.ts';
import { callerPath, callerSecrets } from './caller-workflow.ts';
import { fine, type JudgedAs, type Said, type Words } from './doctor-workflow.ts';

export const callerWords = {
  called: (one) => (one.why === null ? fine(`${one.uses} is there.`) : calledWords(one.uses, one.why)),
  'secrets-inherited': (one) => ({
    says: `secrets: inherit hands nothing to ${one.uses}: it works only within one organisation or enterprise, so the agent has no key.`,
    todo: `In the job that calls gza, instead of it: secrets: { ${callerSecrets.map(passes).join(', ')} }`,
  }),
  'agent-key': keyWords,
} satisfies Partial<Words>;

const passes = (name: string) => `${name}: "\${{ secrets.${name} }}"`;

function calledWords(uses: string, why: CalledFault): Said {
  const [path = '', ref = ''] = uses.split('@');
  const [owner = '', name = '', ...file] = path.split('/');
  const repository = `${owner}/${name}`;
  const todo = `Change uses: in the workflow file. \`gza init --github --from owner/name@ref\` writes ${callerPath} anew where it is not there.`;
  switch (why) {
    case 'repository':
      return {
        says: `${uses}: there is no repository ${repository}, or this token may not read it. What cannot be read starts no run.`,
        todo,
      };
    case 'ref':
      return { says: `${uses}: ${repository} has no branch, tag or commit ${ref}, so no run starts.`, todo };
    case 'file':
      return {
        says: `${uses}: ${repository} has no ${file.join('/') || 'action.yml'} at ${ref}, so no run starts.`,
        todo,
      };
    case 'private':
      return {
        says: `${uses}: ${repository} is private, and others may call it only where it allows that.`,
        todo: `In ${repository}: Settings → Actions → General → Access.`,
      };
    case 'bare':
      return {
        says: 'A workflow says uses: $/ without a path, which GitHub refuses: no run starts.',
        todo: 'Name what is meant, as in uses: $/action. Where it stands in the called workflow, call a newer one.',
      };
  }
}

/** A login is no key that the model proxy could hold. */
function besideIt(names: readonly string[]): string {
  const logins = names.filter((name) => ['CLAUDE_CODE_OAUTH_TOKEN', 'COPILOT_GITHUB_TOKEN'].includes(name));
  return logins.length === 0
    ? ''
    : ` Not proxied, so beside the agent where it is used: ${logins.join(', ')}.`;
}

function keyWords({ agent, names, why }: JudgedAs<'agent-key'>): Said {
  const either = names.join(' or ');
  const [first = ''] = names;
  switch (why) {
    case null:
      return fine(`The agent ${agent} has its key: a secret ${either}.${besideIt(names)}`);
    case 'lines':
      return fine(
        `The agent ${agent} may have its key in GZA_AGENT_ENV, which the workflow hands on; what it holds cannot be seen.`,
      );
    case 'missing':
      return {
        says: `There is no secret ${either}: the agent ${agent} has no key.`,
        todo: `gh secret set ${first}, or Settings → Secrets and variables → Actions.`,
      };
    case 'unseen':
      return {
        says: `Whether there is a secret ${either} for the agent ${agent} could not be seen with this token.`,
        todo: 'Settings → Secrets and variables → Actions shows it.',
      };
    case 'not-given':
      return {
        says: `The agent ${agent} gets ${either} only where gza.yaml says so, as it opens GitHub too.`,
        todo: `In gza.yaml: agents: { ${agent}: { env: [${first}] } }`,
      };
    case 'not-passed':
      return {
        says: `The workflow file does not hand ${either} to gza: the agent ${agent} has no key.`,
        todo: `In the job that calls gza: secrets: { ${names.map(passes).join(', ')} }`,
      };
  }
}
