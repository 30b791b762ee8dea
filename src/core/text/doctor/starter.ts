/** The files that `gza init` writes. */
import { schemaUrl } from './home.ts';

export interface StarterOptions {
  /** Command that prepares a fresh checkout for `verify`, when one was recognised. */
  readonly setup?: string;
  /** Command that must succeed after every task, when one was recognised. */
  readonly verify?: string;
  /** Agent to name in gza.yaml. */
  readonly agent?: string;
}

/** Path → text. */
export function starterFiles(options: StarterOptions = {}): ReadonlyMap<string, string> {
  return new Map([
    ['gza.yaml', starterConfig(options)],
    ['tasks/example.yml', exampleTask()],
  ]);
}

/** The first line of a task file, for editors. */
export const taskFileHeader = () => `# yaml-language-server: $schema=${schemaUrl('task')}
`;

function starterConfig({ setup, verify, agent = 'claude' }: StarterOptions = {}): string {
  return `# yaml-language-server: $schema=${schemaUrl('config')}
# How gza works on the tasks in tasks/. Everything here may be left out.

# Programs that do the work, in order of preference: claude, codex, opencode, or a name under agents:.
agent: ${JSON.stringify(agent)}

# Tasks that may be worked on at once. Tasks that name the same files never are.
parallel_workers: 3

# Makes a fresh checkout ready for the command below: installs what it needs. Runs before it, without any key.
${setup === undefined ? '# setup: npm ci' : `setup: ${JSON.stringify(setup)}`}

# A command that must succeed after every task.
${verify === undefined ? '# verify: npm test' : `verify: ${JSON.stringify(verify)}`}

defaults:
  max_review_cycles: 3

task_types:
  implement:
    # Review the work and improve it until it is approved.
    auto_review: true

# Dollars. Nothing starts that could go over.
# budget:
#   task: 5
#   day: 50
`;
}

const exampleTask =
  () => `${taskFileHeader()}# One task a file; its id is the name of the file. Several tasks go under \`tasks:\`.
# This one only looks and writes a report. Try: gza work example
type: explore
title: Describe how this repository is built and tested
prompt: |
  Find out how this repository is built, tested and released, and what a newcomer
  should read first. Name the files. Do not change anything.
budget: 1
`;

/** Added to AGENTS.md. The markers let a second `gza init` find and replace it. */
export const agentsSection = `<!-- gza -->
## Tasks

Work in this repository is tracked by gza: tasks are files in \`tasks/\`, progress is kept in git refs.

- \`git tasks ready\` shows what can be started, \`git tasks show <id>\` all about a task.
- Found more work? \`git tasks add "what to do" --after <id>\` files it; do not do it on the side.
- Learned something that the next one must know? \`git tasks note <id> "..."\`.
- Cannot go on? \`git tasks note <id> "blocked: why"\`, and stop.
- Finished? \`git tasks done <id>\`. Never push.
<!-- /gza -->
`;
