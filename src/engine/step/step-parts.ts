/**
 * The parts of a step that touch the outside. On a laptop all of them run here, one after the other. In CI they run
 * on machines that must not trust each other: the agent's job does `perform` and only writes down what it left, the
 * landing job goes through the same step again with what was written down in their place.
 */

import type { Verification } from '../../core/checks/verification.ts';
import type { GuardPolicy } from '../../core/guard/guard-patch.ts';
import type { CollectedPatch } from '../../workspace/patch/collect-patch.ts';
import { discardClone } from '../../workspace/remove-clone.ts';
import type { SharedClone } from '../../workspace/shared-clone.ts';
import { type Performed, type PerformInput, performStep } from '../perform/perform-step.ts';
import { readSpool } from '../perform/spool-file.ts';
import { type VerifyOptions, verify } from '../perform/verify.ts';
import { collectStep } from '../record/save-step.ts';
import { type FiledPlan, filePlan, type PlanToFile } from './file-plan.ts';

export interface StepParts {
  readonly perform: (input: PerformInput) => Promise<Performed>;
  readonly spool: (path: string) => Promise<{ readonly text: string; readonly isCut: boolean }>;
  readonly verify: (options: VerifyOptions) => Promise<Verification>;
  readonly collect: (clone: SharedClone, policy: GuardPolicy) => Promise<CollectedPatch>;
  /** Where what is refused can be found, when not in the clone. */
  readonly keptIn?: string;
  /** A plan that people should look at as files, onto its lane. */
  readonly filePlan: (plan: PlanToFile) => Promise<FiledPlan>;
  /** What a step that may only look has changed, which is thrown away. */
  readonly discard: (clone: SharedClone) => Promise<{ readonly discarded: readonly string[] }>;
}

export const partsHere: StepParts = {
  perform: performStep,
  spool: readSpool,
  verify,
  collect: collectStep,
  filePlan,
  discard: discardClone,
};
