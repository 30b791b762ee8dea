/** Every verb, with its module and its group in the help. A verb is loaded only when it is called. */
import type { Command } from '../app/command.ts';
import type { OptionSpec } from '../core/arguments/command-spec.ts';

export interface Verb {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

export interface VerbGroup {
  readonly title: string;
  readonly verbs: readonly Verb[];
}

type LazyName = keyof typeof import('./lazy-verbs.ts').lazyVerbs;

function lazily(name: LazyName): Verb['load'] {
  return async () => (await import('./lazy-verbs.ts')).lazyVerbs[name];
}

export const verbGroups: readonly VerbGroup[] = [
  {
    title: 'File and change tasks',
    verbs: [
      { name: 'add', summary: 'file a task', load: async () => (await import('./file/add.ts')).command },
      { name: 'edit', summary: 'change a task', load: lazily('edit') },
      { name: 'delete', aliases: ['rm'], summary: 'drop a task', load: lazily('delete') },
      {
        name: 'note',
        summary: 'append a note to a task',
        load: async () => (await import('./file/done.ts')).note,
      },
      {
        name: 'done',
        summary: 'mark a task complete',
        load: async () => (await import('./file/done.ts')).done,
      },
      { name: 'import', summary: 'file the tasks of a checklist or plan', load: lazily('import') },
      { name: 'breakdown', summary: 'task files from a plan', load: lazily('breakdown') },
      { name: 'score', summary: 'how complex tasks are, and why', load: lazily('score') },
      { name: 'split', summary: 'a large task into a chain of smaller ones', load: lazily('split') },
    ],
  },
  {
    title: 'See what there is',
    verbs: [
      {
        name: 'list',
        aliases: ['ls'],
        summary: 'open tasks',
        load: async () => (await import('./see/list.ts')).list,
      },
      {
        name: 'ready',
        summary: 'tasks that nothing blocks',
        load: async () => (await import('./see/ready.ts')).ready,
      },
      {
        name: 'next',
        summary: 'what runs next, and how many are blocked',
        load: async () => (await import('./see/ready.ts')).next,
      },
      { name: 'show', summary: 'one task, whole', load: async () => (await import('./see/list.ts')).show },
      {
        name: 'status',
        summary: 'the state of all, a group or a milestone',
        load: async () => (await import('./see/list.ts')).status,
      },
      { name: 'summary', summary: 'progress as numbers, for people and machines', load: lazily('summary') },
      { name: 'stats', summary: 'approvals, cycles, time and cost by agent', load: lazily('stats') },
      { name: 'simulate', summary: 'what open tasks would take and cost', load: lazily('simulate') },
      { name: 'report', summary: 'one web page: board, graph, timeline, cost', load: lazily('report') },
      { name: 'watch', summary: 'the board, live', load: lazily('watch') },
      { name: 'groups', summary: 'groups with their counts', load: lazily('groups') },
      { name: 'milestones', summary: 'milestones with their state', load: lazily('milestones') },
      { name: 'tree', summary: 'tasks under their parents', load: lazily('tree') },
      { name: 'where', summary: 'the current position in a plan', load: lazily('where') },
      { name: 'context', summary: 'what is put before an agent', load: lazily('context') },
      { name: 'graph', summary: 'the dependency graph', load: lazily('graph') },
      { name: 'search', summary: 'tasks that have these words', load: lazily('search') },
      { name: 'why', summary: 'why a task runs or waits', load: lazily('why') },
      { name: 'log', summary: 'tasks with their commits', load: lazily('log') },
      { name: 'pr', summary: 'the task list for a pull request', load: lazily('pr') },
      { name: 'unmerged', summary: 'branches that are done and not merged', load: lazily('unmerged') },
      { name: 'diff', summary: 'what the branch of a task changes', load: lazily('diff') },
      { name: 'checkout', summary: 'switch to the branch of a task', load: lazily('checkout') },
      { name: 'agents', summary: 'who holds what, until when', load: lazily('agents') },
    ],
  },
  {
    title: 'Let agents work',
    verbs: [
      { name: 'start', summary: 'from one sentence to a reviewed branch', load: lazily('start') },
      { name: 'work', summary: 'the next ready task, those named, or all', load: lazily('work') },
      { name: 'run', summary: 'all ready tasks, here, one after the other', load: lazily('run') },
      { name: 'review', summary: 'a review of a task’s work, now', load: lazily('review') },
      { name: 'improve', summary: 'the last review addressed, with your guidance', load: lazily('improve') },
      { name: 'resume', summary: 'go on with what was stopped', load: lazily('resume') },
      { name: 'verify', summary: 'check a branch as it stands, without an agent', load: lazily('verify') },
      { name: 'escalations', summary: 'what waits for a person, and why', load: lazily('escalations') },
      { name: 'kept', summary: 'what was refused, to look at or throw away', load: lazily('kept') },
      { name: 'prompt', summary: 'what an agent would be sent', load: lazily('prompt') },
      { name: 'demo', summary: 'the whole loop in a scratch repository', load: lazily('demo') },
    ],
  },
  {
    title: 'Steer',
    verbs: [
      {
        name: 'claim',
        summary: 'take a task for a while',
        load: async () => (await import('./steer/claim.ts')).claim,
      },
      { name: 'release', summary: 'give a claimed task back', load: lazily('release') },
      { name: 'assign', summary: 'say who alone may do a task', load: lazily('assign') },
      { name: 'approve', summary: 'approve a plan or a reviewed head', load: lazily('approve') },
      { name: 'retry', summary: 'the failed phase again, afresh', load: lazily('retry') },
      { name: 'skip', summary: 'done elsewhere: satisfies dependents', load: lazily('skip') },
      { name: 'reset', summary: 'attempts back to 0', load: lazily('reset') },
      { name: 'unblock', summary: 'clear a stop for a person', load: lazily('unblock') },
      { name: 'stop', summary: 'end what runs, hold the task', load: lazily('stop') },
      { name: 'merge', summary: 'its branch, and what it stands on', load: lazily('merge') },
      { name: 'rebase', summary: 'its branch onto its base', load: lazily('rebase') },
      { name: 'pause', summary: 'hold a task back', load: lazily('pause') },
      { name: 'reopen', summary: 'open a closed task again', load: lazily('reopen') },
    ],
  },
  {
    title: 'Set up and keep in order',
    verbs: [
      {
        name: 'init',
        summary: 'make a repository ready',
        load: lazily('init'),
      },
      { name: 'check', summary: 'validate tasks and configuration', load: lazily('check') },
      {
        name: 'doctor',
        summary: 'what would keep gza from working on GitHub',
        load: lazily('doctor'),
      },
      { name: 'config', summary: 'settings in force, and where from', load: lazily('config') },
      { name: 'sync', summary: 'share state with a remote', load: lazily('sync') },
      { name: 'linear', summary: 'show tasks in Linear, take issues from it', load: lazily('linear') },
      { name: 'github', summary: 'show tasks as issues on GitHub', load: lazily('github') },
      { name: 'fsck', summary: 'replay the history, compare, repair', load: lazily('fsck') },
      { name: 'completion', summary: 'shell completion', load: lazily('completion') },
    ],
  },
];

export const verbs: readonly Verb[] = verbGroups.flatMap((group) => group.verbs);

/** Called by gza itself. */
const hiddenVerbs: readonly Verb[] = [
  { name: 'demo-agent', summary: 'the scripted agent of the demo', load: lazily('demo-agent') },
];

export function findVerb(name: string): Verb | undefined {
  return [...verbs, ...hiddenVerbs].find((verb) => verb.name === name || verb.aliases?.includes(name));
}

/** Accepted by every verb. */
export const globalOptions: readonly OptionSpec[] = [
  { name: 'json', type: 'flag', help: 'print JSON for scripts' },
  { name: 'help', short: 'h', type: 'flag', help: 'show this help' },
  { name: 'color', type: 'flag', help: 'colour even in a pipe; --no-color for none' },
];
