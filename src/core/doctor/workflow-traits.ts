/**
 * Reads from a workflow file what decides whether gza can work. Lenient, because GitHub validates the rest.
 */
import { readYaml } from '../yaml/read-yaml.ts';
import { yamlValue } from '../yaml/yaml-value.ts';

export interface WorkflowTraits {
  /** False when the file is not valid YAML. */
  readonly isReadable: boolean;
  /** A job calls gza's workflow, or a step is its action. */
  readonly usesGza: boolean;
  readonly triggers: readonly string[];
  /** Branches that `on: push` is limited to. */
  readonly pushBranches: readonly string[];
  /** Permissions of the job that calls gza: `contents` → `write`; null when the file names none. */
  readonly permissions: Readonly<Record<string, string>> | 'read-all' | 'write-all' | null;
  readonly usesAppToken: boolean;
  readonly isSelfHosted: boolean;
  /** The `uses:` of the job or step that calls gza. */
  readonly uses: string | null;
  readonly inheritsSecrets: boolean;
  /** Names that the file reads from `secrets`. */
  readonly secretsNamed: readonly string[];
  /** It passes on GZA_AGENT_ENV. The names inside that secret cannot be read. */
  readonly handsLines: boolean;
  /** It has a `uses: $/` without a path. */
  readonly hasBareSelf: boolean;
}

type Mapping = Readonly<Record<string, unknown>>;

export function workflowTraits(path: string, text: string): WorkflowTraits {
  const file = readYaml(path, text);
  const root = mapping(yamlValue(file, file.root, {}).value);
  const jobs = Object.values(mapping(root['jobs'])).map(mapping);
  const calling = jobs.find(callsGza);
  const code = text.replaceAll(/#.*$/gm, '');
  const on = root['on'];
  return {
    isReadable: file.problems.length === 0 && jobs.length > 0,
    usesGza: calling !== undefined,
    triggers: triggersOf(on),
    pushBranches: texts(mapping(mapping(on)['push'])['branches']),
    permissions: permissionsOf(calling?.['permissions'] ?? root['permissions']),
    usesAppToken: /create-github-app-token|app[-_](?:client[-_])?id\s*:|app[-_]private[-_]key/i.test(text),
    isSelfHosted: /self-hosted/.test(code),
    uses: usedBy(calling).find(isGza) ?? null,
    inheritsSecrets: calling?.['secrets'] === 'inherit',
    secretsNamed: [...code.matchAll(/\bsecrets\.(\w+)/g)].map(([, name = '']) => name),
    handsLines: 'GZA_AGENT_ENV' in mapping(calling?.['secrets']),
    hasBareSelf: jobs.flatMap(usedBy).some((uses) => /^\$\/*(?:@.*)?$/.test(uses)),
  };
}

/** Events that may be limited to some types, and the type that gza needs. */
const typesHeard: Readonly<Record<string, string>> = { repository_dispatch: 'gza', issues: 'labeled' };

/**
 * `push`, `issues: labeled`. Leaves out a `repository_dispatch` that is limited to types other than gza's.
 */
function triggersOf(on: unknown): string[] {
  const names = typeof on === 'string' ? [on] : Array.isArray(on) ? on.map(String) : Object.keys(mapping(on));
  return names.flatMap((name) => {
    const types = texts(mapping(mapping(on)[name])['types']);
    const type = typesHeard[name];
    const isHeard = type === undefined || types.length === 0 || types.includes(type);
    if (name === 'repository_dispatch') return isHeard ? [name] : [];
    return isHeard && type !== undefined ? [name, `${name}: ${type}`] : [name];
  });
}

function callsGza(job: Mapping): boolean {
  return usedBy(job).some(isGza);
}

/** `someone/gza@v1`, `someone/gza/.github/workflows/gza.yml@v1`, `./.github/workflows/gza.jobs.yml`. */
export function isGza(uses: string): boolean {
  return /^(?:[^@]*\/)?gza(?:[/@.]|$)/.test(uses);
}

/**
 * Steps of an action that save a cache when their job ends. An agent could poison a cache that later jobs
 * use, so in its job an action may restore caches but not save them. The inputs are those that switch saving
 * off.
 */
export function savedCaches(path: string, text: string): string[] {
  const file = readYaml(path, text);
  const steps = mapping(mapping(yamlValue(file, file.root, {}).value)['runs'])['steps'];
  return (Array.isArray(steps) ? steps.slice(0, 200) : []).map(mapping).flatMap((step) => {
    const { uses } = step;
    if (typeof uses !== 'string') return [];
    const given = mapping(step['with']);
    const isOff = (name: string) => given[name] === false || given[name] === 'false';
    const saves =
      /^actions\/cache(?:\/save)?@/.test(uses) ||
      (uses.startsWith('actions/setup-go@') && !isOff('cache')) ||
      (uses.startsWith('actions/setup-node@') && !isOff('package-manager-cache')) ||
      ((given['cache'] ?? '') !== '' && !isOff('cache'));
    return saves ? [uses] : [];
  });
}

/** Every `uses:` of a job and its steps. */
function usedBy(job: Mapping = {}): string[] {
  const steps = Array.isArray(job['steps']) ? job['steps'].slice(0, 200).map(mapping) : [];
  return [job, ...steps].flatMap(({ uses }) => (typeof uses === 'string' ? [uses] : []));
}

function permissionsOf(value: unknown): WorkflowTraits['permissions'] {
  if (value === 'read-all' || value === 'write-all') return value;
  if (value === undefined || value === null) return null;
  return Object.fromEntries(Object.entries(mapping(value)).map(([name, level]) => [name, String(level)]));
}

function mapping(value: unknown): Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Mapping) : {};
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];
}
