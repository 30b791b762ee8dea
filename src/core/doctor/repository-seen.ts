/** What was found out about a repository on a forge; null where the token may not ask. */
import type { InlineSeen } from '../text/doctor/inline-workflows.ts';
import type { WorkflowTraits } from './workflow-traits.ts';

export interface BranchRule {
  /** As the forge names it: `required_signatures`, `merge_queue`. */
  readonly type: string;
  /** Of required checks. */
  readonly contexts: readonly string[];
}

export interface WorkflowSeen {
  readonly path: string;
  /** `active`, `disabled_inactivity` and the like; null when not told. */
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

/** What the workflow calls, when it is of another place than this commit. */
export interface CalledSeen {
  /** `private`: it is there, and others may use it only where it allows that. */
  readonly state: 'ready' | 'repository' | 'ref' | 'file' | 'private';
  readonly hasBareSelf: boolean;
}

/** An agent that gza.yaml names, and the secrets any one of which lets it in. */
export interface AgentKeys {
  readonly agent: string;
  readonly names: readonly string[];
  /** False where gza.yaml would have to name them: they are tokens of the forge. */
  readonly isGiven: boolean;
}

/** What of gza.yaml on the default branch meets a limit of the forge. */
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
  /** A server of one's own, not github.com. */
  readonly isServer: boolean;
  readonly isPrivate: boolean;
  readonly isFork: boolean;
  readonly isArchived: boolean;
  readonly hasIssues: boolean;
  readonly defaultBranch: string;
  /** What this clone takes for the default branch. */
  readonly defaultBranchHere: string | null;
  /** `base` of gza.yaml on the default branch. */
  readonly configuredBase: string | null;
  readonly config: ConfigSeen;
  /** Whether a secret LINEAR_API_KEY is there; `unused` where Linear is off, null where nobody may tell. */
  readonly linearKey: 'there' | 'missing' | 'unused' | null;
  readonly agentKeys: readonly AgentKeys[];
  /** Names of the secrets that runs here can have; null where nobody may tell. */
  readonly secrets: readonly string[] | null;
  /** Null when nothing of another place is called, or that was not looked at. */
  readonly called: CalledSeen | null;
  /** Where the whole workflow stands in the repository; `now`: the commit that its ref is today, null where nobody tells. */
  readonly inline?: (InlineSeen & { readonly now: string | null }) | null | undefined;
  readonly ciWorkflows: readonly CiWorkflowSeen[];
  readonly merges: MergesSeen | null;
  readonly pushedAt: string | null;
  /** Of a person's token. */
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
  /** By classic branch protection of the default branch. */
  readonly requiredChecks: readonly string[];
  /** Names of rulesets that look at every push. */
  readonly pushRulesets: readonly string[];
}
