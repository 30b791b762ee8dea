/** Which secrets the machine of a lane is given: those of its agent. Only their names travel. */
import type { Config } from '../../core/config/config.ts';
import type { StepJob } from '../../engine/engine.ts';
import { agentSecretsFor } from '../../engine/perform/agent-secrets.ts';

export function laneKeys(
  config: Config,
  { agent, isRecheck }: Pick<StepJob, 'agent' | 'isRecheck'>,
): readonly string[] {
  return isRecheck === true ? [] : agentSecretsFor(agent, config).given;
}
