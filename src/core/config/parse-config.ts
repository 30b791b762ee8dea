/** Parses gza.yaml and .project-config.json into the configuration and its problems. */
import { isMap } from 'yaml';
import * as z from 'zod';
import { branchNameFault } from '../task/task.ts';
import { fieldsOf, taskSynonyms } from '../task/task-schema.ts';
import type { Problem } from '../yaml/problem.ts';
import { readYaml } from '../yaml/read-yaml.ts';
import { lazyShapeOf, problemAt, validPart } from '../yaml/schema-problem.ts';
import { findNode, yamlValue } from '../yaml/yaml-value.ts';
import { builtInConfig, type Config, modelFault } from './config.ts';
import {
  type ConfigInput,
  type ConfigOutput,
  configSchema,
  configSynonyms,
  defined,
  integrationsSchema,
  parallelWorkersSchema,
  taskSizeLimitsSchema,
} from './config-schema.ts';

const configFile = 'gza.yaml';
const projectConfigFile = '.project-config.json';

interface ConfigRead {
  /** Usable even when there are problems: wrong values are left out. */
  readonly config: Config;
  readonly problems: readonly Problem[];
}

interface ConfigTexts {
  readonly gza?: string | undefined;
  readonly project?: string | undefined;
}

/** gza reads only these keys of `.project-config.json`; the others belong to other programs. */
const projectSchema = z.strictObject({
  task_size_limits: taskSizeLimitsSchema.optional(),
  parallel_workers: parallelWorkersSchema.optional(),
  integrations: integrationsSchema.optional(),
});

export function parseConfig({ gza, project }: ConfigTexts): ConfigRead {
  const problems: Problem[] = [];
  const below = project === undefined ? {} : readInput(projectConfigFile, project, projectSchema, problems);
  const above = gza === undefined ? {} : readInput(configFile, gza, configSchema, problems);
  const config = configOf(mergeProject(above, below));
  return { config, problems };
}

function readInput(
  file: string,
  written: string,
  schema: typeof configSchema | typeof projectSchema,
  problems: Problem[],
): ConfigInput {
  const isJson = file === projectConfigFile;
  // JSON is often indented with tabs, which YAML forbids. No JSON string spans lines, so this is safe.
  const yaml = readYaml(
    file,
    isJson ? written.replaceAll(/^\t+/gm, (tabs) => ' '.repeat(tabs.length)) : written,
  );
  problems.push(...yaml.problems);
  if (!yaml.root) return {};
  if (!isMap(yaml.root)) {
    const expected = isJson ? 'an object { … }' : 'keys such as `defaults:` and `task_types:`';
    problems.push({ ...problemAt(yaml, yaml.root), message: `${file} is not a map of keys`, expected });
    return {};
  }
  const shape = lazyShapeOf(schema);
  const read = yamlValue(yaml, yaml.root, shape);
  problems.push(...read.problems);
  const value = read.value as Record<string, unknown>;
  if (isJson) for (const key of Object.keys(value)) if (!(key in projectSchema.shape)) delete value[key];
  const nameOf = (path: readonly PropertyKey[]) => (path.length === 0 ? file : path.map(String).join('.'));
  const part = validPart<ConfigOutput>(schema, value, { yaml, shape, nameOf, teach });
  problems.push(...part.problems);
  const valid = defined(part.valid);
  for (const [key, fault] of nameFaults(valid)) {
    problems.push({ ...problemAt(yaml, findNode(yaml.root, [key]).node), message: `${key} ${fault}` });
    delete valid[key];
  }
  problems.push(...smallBudgets(valid, yaml), ...strangeModels(valid, yaml));
  return valid;
}

/** Such a budget is valid but surely not meant: a task starts only if all that it may cost is left. */
function smallBudgets({ budget, defaults }: ConfigInput, yaml: ReturnType<typeof readYaml>): Problem[] {
  const task = defaults?.budget ?? budget?.task;
  if (task === undefined) return [];
  return (['run', 'day'] as const).flatMap((span) => {
    const all = budget?.[span];
    if (all === undefined || all >= task) return [];
    const message = `budget.${span} is $${all}, but a task may cost $${task}, so none would start`;
    const { node } = findNode(yaml.root, ['budget', span]);
    return [{ ...problemAt(yaml, node), message, severity: 'warning' as const }];
  });
}

/** Warns early, because an agent refuses another's model only when money may already be spent. */
function strangeModels({ agents = {} }: ConfigInput, yaml: ReturnType<typeof readYaml>): Problem[] {
  return Object.entries(agents).flatMap(([name, agent]) =>
    (['model', 'review_model'] as const).flatMap((key) => {
      const fault = agent[key] === undefined ? null : modelFault(name, agent[key], agents);
      if (fault === null) return [];
      const { node } = findNode(yaml.root, ['agents', name, key]);
      return [
        {
          ...problemAt(yaml, node),
          message: `agents.${name}.${key}: ${fault}`,
          severity: 'warning' as const,
        },
      ];
    }),
  );
}

function teach(key: string, path: readonly PropertyKey[]): { message?: string; near?: string } | null {
  if (path.length === 0 && Object.hasOwn(configSynonyms, key)) return { near: configSynonyms[key]! };
  const inSettings = path[0] === 'defaults' || path[0] === 'task_types';
  return inSettings && Object.hasOwn(taskSynonyms, key) ? { near: taskSynonyms[key]! } : null;
}

function nameFaults({ base, branch_prefix, state_ref }: ConfigInput) {
  const faults = [
    ['base', base === undefined ? null : branchNameFault(base)],
    ['branch_prefix', branch_prefix === undefined ? null : branchNameFault(`${branch_prefix}x`)],
    ['state_ref', state_ref === undefined ? null : stateRefFault(state_ref)],
  ] as const;
  return faults.filter(([, fault]) => fault !== null);
}

/** The folders of branches and tags themselves, and folders whose refs git or gza overwrites. */
const takenFolders = /^refs\/((heads|tags)\/*$|(remotes|notes|gza|pull|replace|stash|bisect|worktree)(\/|$))/;

function stateRefFault(ref: string): string | null {
  if (!ref.startsWith('refs/')) return 'does not begin with refs/';
  if (takenFolders.test(ref))
    return 'is where git or gza keeps something else; for example refs/heads/gza-state';
  return branchNameFault(ref.slice('refs/'.length));
}

/** Merges key by key; gza.yaml wins. */
function mergeProject(above: ConfigInput, below: ConfigInput): ConfigInput {
  return {
    ...below,
    ...above,
    task_size_limits: { ...below.task_size_limits, ...above.task_size_limits },
    integrations: { ...below.integrations, ...above.integrations },
  };
}

/**
 * `agent`, `requires`, `verify` and `budget.task` at the top are defaults too; `defaults:` wins over them.
 */
function configOf({ agent, requires, ...input }: ConfigInput): Config {
  const { verify, budget, defaults, task_size_limits, integrations } = input;
  const top = fieldsOf({ agent, requires, verify, budget: budget?.task }).settings;
  return {
    ...builtInConfig,
    ...input,
    defaults: { ...top, ...defaults },
    task_size_limits: { ...builtInConfig.task_size_limits, ...task_size_limits },
    integrations: { ...builtInConfig.integrations, ...integrations },
  };
}
