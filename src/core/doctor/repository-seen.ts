/** The facts about a repository that doctor judges. A field is null where the token may not read it. */
import type { InlineSeen } from '../text/doctor/inline-workflows.ts';
import type { WorkflowTraits } from './workflow-traits.ts';

export interface BranchRule {
  /** As the forge names it: `required_signatures`, `merge_queue`. */
  readonly type: string;
  /** Names of the required checks; empty for other rules. */
  readonly contexts: readonly string[];
}

export interface WorkflowSeen {
  readonly path: string;
  /** `active`, `disabled_inactivity` and the like; null when unknown. */
  readonly state: string | null;
  readonly traits: WorkflowTraits;
}

export interface MergesSeen {
  readonly methods: readonly ('merge' | 'squash' | 'rebase')[];
  /** The forge deletes a branch when its pull request is merged. */
  readonly deletesBranches: boolean;
}

/** A workflow that `ci_workflow` of gza.yaml names, as the default branch has it. */
export interface CiWorkflowSeen {
  readonly name: string;
  readonly state: 'ready' | 'missing' | 'no-dispatch';
}

/** The called workflow or action, when it is not part of the same commit. */
export interface CalledSeen {
  /** `private`: it exists, but other repositories may call it only if its settings allow that. */
  readonly state: 'ready' | 'repository' | 'ref' | 'file' | 'private';
  readonly hasBareSelf: boolean;
}

/** An agent that gza.yaml names, and the secrets of which it needs one. */
export interface AgentKeys {
  readonly agent: string;
  readonly names: readonly string[];
  /** False for tokens of the forge, which gza passes on only if gza.yaml names them. */
  readonly isGiven: boolean;
}

/** The settings of gza.yaml, on the default branch, to which the forge sets limits. */
export interface ConfigSeen {
  readonly parallelWorkers: number;
  /** The longest that a step may take. */
  readonly timeoutMinutes: number;
  /** `protected.except` lets tasks touch workflow files. */
  readonly allowsWorkflowFiles: boolean;
}

export interface RepositorySeen {
  readonly repository: string;
  readonly now: string;
  /** A self-hosted GitHub server, not github.com. */
  readonly isServer: boolean;
  readonly isPrivate: boolean;
  readonly isFork: boolean;
  readonly isArchived: boolean;
  readonly hasIssues: boolean;
  readonly defaultBranch: string;
  /** The default branch according to this clone. */
  readonly defaultBranchHere: string | null;
  /** `base` of gza.yaml on the default branch. */
  readonly configuredBase: string | null;
  readonly config: ConfigSeen;
  /**
   * Whether the secret LINEAR_API_KEY exists; `unused` where Linear is off, null where the token may not read
   * it.
   */
  readonly linearKey: 'there' | 'missing' | 'unused' | null;
  readonly agentKeys: readonly AgentKeys[];
  /** Names of the secrets that runs here can read; null where the token may not list them. */
  readonly secrets: readonly string[] | null;
  /** Null when the workflow calls nothing outside this repository, or when that was not checked. */
  readonly called: CalledSeen | null;
  /**
   * Set where gza's workflows are copied into the repository. `now`: the commit of gza's ref today, if known.
   */
  readonly inline?: (InlineSeen & { readonly now: string | null }) | null | undefined;
  readonly ciWorkflows: readonly CiWorkflowSeen[];
  readonly merges: MergesSeen | null;
  readonly pushedAt: string | null;
  /** The role of the token's owner; null for a token that is not a person's. */
  readonly role: 'admin' | 'write' | 'read' | null;
  /** Permissions that the token lacks, as far as doctor needed them. */
  readonly lacking: readonly string[];
  readonly actions: { readonly isOn: boolean; readonly allowed: string | null } | null;
  readonly jobDefaults: { readonly permissions: 'read' | 'write'; readonly mayOpenPulls: boolean } | null;
  readonly workflow: WorkflowSeen | null;
  /** Runs that wait for a person's approval. */
  readonly runsWaiting: number | null;
  /** An example of a branch that gza would push. */
  readonly laneBranch: string;
  readonly laneRules: readonly BranchRule[] | null;
  readonly defaultRules: readonly BranchRule[] | null;
  /** Required by the classic protection of the default branch. */
  readonly requiredChecks: readonly string[];
  /** Names of rulesets that check every push. */
  readonly pushRulesets: readonly string[];
}
