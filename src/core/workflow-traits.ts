/** What of a workflow file decides whether gza can work in it. Read leniently: GitHub is the judge of the rest. */
import { readYaml } from './read-yaml.ts';
import { yamlValue } from './yaml-value.ts';

export interface WorkflowTraits {
  /** False: nobody can read it. */
  readonly isReadable: boolean;
  readonly triggers: readonly string[];
  /** Branches that `on: push` is limited to. */
  readonly pushBranches: readonly string[];
  /** What the job that calls gza may do: `contents` → `write`; null when the file names nothing. */
  readonly permissions: Readonly<Record<string, string>> | 'read-all' | 'write-all' | null;
  readonly usesAppToken: boolean;
  readonly isSelfHosted: boolean;
}

/** `uses:` of the action or of its callable workflow. */
export function usesGza(text: string): boolean {
  return /^\s*(?:-\s*)?uses:\s*['"]?(?:[^\s'"#]*\/)?gza(?:[/@.][^\s'"]*)?['"]?\s*(?:#.*)?$/m.test(text);
}

type Mapping = Readonly<Record<string, unknown>>;

export function workflowTraits(path: string, text: string): WorkflowTraits {
  const file = readYaml(path, text);
  const root = mapping(yamlValue(file, file.root, {}).value);
  const jobs = Object.values(mapping(root['jobs'])).map(mapping);
  const calling = jobs.find((job) => usesGza(printUses(job)));
  const on = root['on'];
  return {
    isReadable: file.problems.length === 0 && jobs.length > 0,
    triggers: typeof on === 'string' ? [on] : Array.isArray(on) ? on.map(String) : Object.keys(mapping(on)),
    pushBranches: texts(mapping(mapping(on)['push'])['branches']),
    permissions: permissionsOf(calling?.['permissions'] ?? root['permissions']),
    usesAppToken: /create-github-app-token|app[-_]id\s*:|app[-_]private[-_]key/i.test(text),
    isSelfHosted: /self-hosted/.test(text.replaceAll(/#.*$/gm, '')),
  };
}

/** The `uses:` of a job and of its steps, as lines. */
function printUses(job: Mapping): string {
  const steps = Array.isArray(job['steps']) ? job['steps'].slice(0, 200).map(mapping) : [];
  return [job, ...steps]
    .map((one) => (typeof one['uses'] === 'string' ? `uses: ${one['uses']}` : ''))
    .join('\n');
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
