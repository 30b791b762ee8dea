/**
 * The environment of a check. The command is the team's, but what it runs was written by an agent: so it gets no
 * key, no token and not the person's HOME, and git inside it runs nothing that the work tree's own configuration
 * names.
 */
import { join } from 'node:path';
import { agentEnvironment } from '../../agents/agent-environment.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where compilers and interpreters are: folders and versions, no secrets. */
const toolNames = (
  'GOROOT GOTOOLCHAIN GOFLAGS RUSTUP_HOME RUSTUP_TOOLCHAIN JAVA_HOME PYENV_ROOT PYENV_VERSION VIRTUAL_ENV ' +
  'CONDA_PREFIX NVM_DIR VOLTA_HOME ASDF_DIR ASDF_DATA_DIR RBENV_ROOT GEM_HOME DOTNET_ROOT ANDROID_HOME ' +
  'ANDROID_SDK_ROOT PLAYWRIGHT_BROWSERS_PATH'
).split(' ');

/** A planted hook or file monitor would run whenever a test calls git. */
const gitOverrides: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
];

export function checkEnvironment(caller: Environment, home: string): Record<string, string> {
  const { env } = agentEnvironment({ caller, adapter: { name: 'check', keyNames: [] }, home });
  // It is no agent: a project whose tests look at this would behave otherwise than for the team.
  const { GZA_AGENT: _, ...built } = env;
  const base = Object.fromEntries(
    Object.entries(built).filter(([name, value]) => !holdsPassword(name, value)),
  );
  return { ...base, CI: base['CI'] ?? 'true', ...tools(caller), ...gitConfig(base) };
}

/** `http://user:password@proxy`. */
function holdsPassword(name: string, value: string): boolean {
  return /_PROXY$/i.test(name) && value.includes('@');
}

function tools(caller: Environment): Record<string, string> {
  const set = toolNames.flatMap((name) => (caller[name] ? [[name, caller[name]]] : []));
  // rustup keeps its compilers under HOME and finds none in another one.
  const rustup =
    caller['HOME'] && !caller['RUSTUP_HOME'] ? { RUSTUP_HOME: join(caller['HOME'], '.rustup') } : {};
  return { ...rustup, ...Object.fromEntries(set) };
}

function gitConfig(env: Environment): Record<string, string> {
  const first = Number(env['GIT_CONFIG_COUNT'] ?? 0);
  const numbered = gitOverrides.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(first + gitOverrides.length), ...Object.fromEntries(numbered) };
}
