import type { Command } from '../../app/command.ts';
import { loadProject, type OpenedProject, openProject } from '../../app/project.ts';
import { type Config, settingNames } from '../../core/config/config.ts';
import { parseConfig } from '../../core/config/parse-config.ts';
import { GzaError } from '../../core/errors.ts';
import { github, laptop } from '../../core/simulate/machine.ts';
import { forecastText } from '../../core/text/terminal/forecast.ts';
import { printProblems } from '../../core/yaml/problem.ts';
import { simulate } from '../../engine/loop/simulate.ts';
import { labelOptions, selectViews } from '../select.ts';

export const command: Command = {
  spec: {
    name: 'simulate',
    summary: 'what the open tasks would take and cost, before a dollar is spent',
    arguments: [],
    details:
      'Plays the rules of gza work with agents that only take time and money, a hundred times. Each step is one of the steps that this repository has seen of its kind; where it has seen fewer than three, a stated guess. Nobody approves, answers or merges while it plays: what needs a person is told. Nothing is written.',
    options: [
      {
        name: 'set',
        type: 'many',
        value: '<key=value>',
        help: 'a setting of gza.yaml to compare with: parallel_workers=4, agent=codex, budget.day=20',
      },
      {
        name: 'github',
        type: 'flag',
        help: 'in jobs on GitHub, with their minutes, instead of on this machine',
      },
      ...labelOptions,
    ],
    examples: [
      { command: 'gza simulate', shows: '12 open tasks: likely over by 2026-08-08T15:20:00Z' },
      { command: 'gza simulate --set parallel_workers=4 --set agent=codex', shows: 'both side by side' },
      { command: 'gza simulate --github --json', shows: '{"tasks": 12, "dollars": {"likely": 24.1, …}, …}' },
    ],
  },
  run: async (invocation, ports) => {
    const { options } = invocation;
    const set = (options['set'] as readonly string[] | undefined) ?? [];
    const opened = await openProject(ports);
    const { agents, config } = withSettings(opened.config, set);
    const machine = options['github'] ? github() : laptop;
    const forecastOf = async (given: OpenedProject, choice: { readonly agents?: readonly string[] }) => {
      const project = await loadProject(ports, given);
      const ids = new Set(selectViews(project.board, invocation).map(({ id }) => id));
      const wanted = (view: { readonly id: string }) => ids.has(view.id);
      return simulate(project, { machine, wanted, choice });
    };
    const before = set.length > 0 ? await forecastOf(opened, {}) : null;
    const then = await forecastOf({ ...opened, config }, agents ? { agents } : {});
    const { seconds, dollars, job_minutes } = before ?? then;
    const json = { ...then, set, as_it_is: before ? { seconds, dollars, job_minutes } : null };
    return { json, text: forecastText(then, set, before, ports.style) };
  },
};

interface Changed {
  readonly config: Config;
  /** Agents for every task, instead of its own, as with `gza work --agent`. */
  readonly agents?: readonly string[];
}

/** Parses `budget.day=20` by the same rules as a line of gza.yaml. */
function withSettings(config: Config, set: readonly string[]): Changed {
  return set.reduce<Changed>(
    (changed, word) => {
      const [, name = '', value = ''] = /^([\w.]+)=(.*)$/s.exec(word) ?? [];
      if (name === '') throw unclear(word, 'it has no form key=value');
      if (name === 'agent') return { ...changed, agents: value.split(',') };
      const isSetting = (settingNames as readonly string[]).includes(name);
      const path = isSetting ? ['defaults', name] : name.split('.');
      const text = path.map((key, depth) => `${'  '.repeat(depth)}${key}:`).join('\n');
      const read = parseConfig({ gza: `${text} ${value}\n` });
      if (read.problems.length > 0) throw unclear(word, printProblems(read.problems));
      return { ...changed, config: merged(changed.config, read.config, path[0] as keyof Config) };
    },
    { config },
  );
}

/** Keeps the other entries of a map. */
function merged(config: Config, given: Config, key: keyof Config): Config {
  const [old, value] = [config[key], given[key]];
  const isMap = typeof value === 'object' && !Array.isArray(value);
  return { ...config, [key]: isMap ? { ...(old as object), ...value } : value };
}

function unclear(word: string, why: string): GzaError {
  return new GzaError('input', `--set ${JSON.stringify(word)}: ${why}`, {
    hint: 'For example --set parallel_workers=4 or --set budget.day=20; gza config lists the keys.',
  });
}
