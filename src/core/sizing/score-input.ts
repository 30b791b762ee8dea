/** What the configuration and the files on disk say to the scorer. */
import type { Config } from '../config/config.ts';
import { type Layer, type LayerRule, layers, stackedLayers } from './layers.ts';
import type { ScoreInput } from './score.ts';
import { sizeLimits } from './soft-limits.ts';

export function scoreInput(
  { task_size_limits, complexity_layers }: Pick<Config, 'task_size_limits' | 'complexity_layers'>,
  sizes?: ReadonlyMap<string, number>,
): Required<Pick<ScoreInput, 'limits' | 'layerRules'>> & ScoreInput {
  return {
    limits: sizeLimits(task_size_limits),
    layerRules: layerRulesOf(complexity_layers),
    ...(sizes ? { sizes } : {}),
  };
}

/**
 * A repository may call its layers what it likes: a name that is not one of ours takes the place that its order
 * gives it, the lowest being data, the highest presentation and those between business.
 */
export function layerRulesOf(configured: Config['complexity_layers']): LayerRule[] {
  const names = Object.keys(configured).filter((name) => !isOther(name));
  return Object.entries(configured).map(([name, patterns]) => ({ layer: layerNamed(name, names), patterns }));
}

function isOther(name: string): boolean {
  return name === 'tests' || name === 'config';
}

function layerNamed(name: string, inOrder: readonly string[]): Layer {
  const own = layers.find((layer) => layer === name);
  if (own) return own;
  const at = inOrder.indexOf(name);
  if (at === 0) return stackedLayers[0]!;
  return at === inOrder.length - 1 ? stackedLayers[2]! : stackedLayers[1]!;
}
