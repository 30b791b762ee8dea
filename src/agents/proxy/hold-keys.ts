/** Moves the keys from an agent's environment into a model proxy for this run, or explains why it cannot. */
import type { PriceTable } from '../../core/policy/cost.ts';
import type { AgentEnvironment } from '../agent-environment.ts';
import type { AgentAdapter } from '../agents.ts';
import { type ModelProxy, startModelProxy } from './model-proxy.ts';

export interface HoldOptions {
  readonly adapter: Pick<AgentAdapter, 'name' | 'holding'>;
  readonly environment: AgentEnvironment;
  readonly request: { readonly budgetUsd?: number | undefined };
  readonly prices?: PriceTable | undefined;
  readonly proxy?: boolean | undefined;
}

export interface HeldKeys {
  readonly environment: AgentEnvironment;
  readonly proxy?: ModelProxy | undefined;
  /** Names of the variables that held the keys. */
  readonly names: readonly string[];
  /** One line for the log. */
  readonly said: string;
  /** Sets what happens when a cap is reached. It is called a few seconds after the agent gets the error. */
  readonly onStop: (end: () => void) => void;
}

/** More than any real run needs. A run beyond it is going in circles. */
const tokensMax = 500_000_000;
/** Time for the agent to print its last output and exit by itself. */
const lastWordsMs = 5000;

export async function holdKeys(options: HoldOptions, hasLogin: boolean): Promise<HeldKeys> {
  const { adapter, environment, request, prices = {} } = options;
  const holding =
    options.proxy === false ? { why: 'gza.yaml asks for it' } : adapter.holding(environment.keys);
  if (holding === undefined || 'why' in holding) {
    const why = holding?.why ?? (hasLogin ? 'a login is not proxied' : 'there is none');
    const said = `no model proxy, the key is with the agent: ${why}`;
    return { environment, names: [], said: holding || hasLogin ? said : 'no key', onStop: () => {} };
  }
  let end = () => {};
  const proxy = await startModelProxy({
    targets: holding.targets,
    caps: { usd: request.budgetUsd, tokens: tokensMax },
    prices,
    environment: environment.env,
    onStop: () => setTimeout(() => end(), lastWordsMs).unref(),
  });
  return {
    environment: withVariables(environment, holding.variables(proxy.address, proxy.words)),
    proxy,
    names: Object.keys(environment.keys),
    said: `the model proxy holds the key for ${holding.targets.map(({ upstream }) => new URL(upstream).host).join(', ')}`,
    onStop: (then) => {
      end = then;
    },
  };
}

function withVariables(
  environment: AgentEnvironment,
  variables: Readonly<Record<string, string | undefined>>,
): AgentEnvironment {
  const set = (before: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries({ ...before, ...variables }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      ),
    );
  const { env } = environment;
  // A company's proxy could not reach a loopback address of this machine.
  const spared = [env['NO_PROXY'] ?? env['no_proxy'], '127.0.0.1'].filter(Boolean).join(',');
  const isProxied = Object.keys(env).some((name) => /^https?_proxy$|^all_proxy$/i.test(name));
  const near = isProxied ? { NO_PROXY: spared, no_proxy: spared } : {};
  return { ...environment, env: { ...set(env), ...near }, keys: set(environment.keys) };
}
