/**
 * What a step may not change unless a person said so, as data. Compared without regard to case, since some
 * machines have none. `ask`: everything waits for a person; `drop`: left out of the commit, and named; `refuse`:
 * nothing is committed.
 */
export type GuardAction = 'refuse' | 'drop' | 'ask';

export interface ProtectedPaths {
  readonly rule: ProtectedRule;
  readonly action: GuardAction;
  readonly why: string;
  readonly globs: readonly string[];
}

export type ProtectedRule =
  | 'workflow'
  | 'tasks'
  | 'config'
  | 'owners'
  | 'instructions'
  | 'hooks'
  | 'attributes'
  | 'autorun'
  /** What gza.yaml names under `protected.paths`. */
  | 'configured';

/** What coding agents read as orders or run by themselves; also what the work tree takes from the base branch. */
export const instructionGlobs: readonly string[] = [
  '**/{CLAUDE,CLAUDE.local,AGENTS,AGENTS.override,AGENT,GEMINI,QWEN,CODEX,CONVENTIONS}.md',
  // Also the name itself: a link in place of the folder.
  '**/.{claude,codex,gemini,qwen,opencode,pi,cursor,windsurf,agents,kiro,roo,continue,cline,amp}{,/**}',
  '**/.{cursorrules,windsurfrules,roorules,mcp.json,aider.conf.yml,goosehints}',
  '**/.clinerules{,/**}',
  '**/{opencode.json,opencode.jsonc}',
  '.github',
  '.github/copilot-instructions.md',
  '.github/{instructions,prompts,chatmodes,agents,skills,copilot}{,/**}',
];

export const protectedPaths: readonly ProtectedPaths[] = [
  {
    rule: 'workflow',
    action: 'refuse',
    why: 'CI definitions run with secrets and are changed by people only',
    globs: [
      '.{github,gitea,forgejo}/{workflows,actions}/**',
      '.github/dependabot.{yml,yaml}',
      '.gitlab-ci.yml',
      '.gitlab/ci/**',
      '.{circleci,buildkite,woodpecker}/**',
      '.{travis,drone,woodpecker,appveyor}.yml',
      'appveyor.yml',
      'bitbucket-pipelines.yml',
      'azure-pipelines.{yml,yaml}',
      '**/Jenkinsfile',
    ],
  },
  {
    rule: 'tasks',
    action: 'refuse',
    why: 'task files are what people decided; a step files new work with `git tasks add`',
    globs: ['tasks/**', 'tasks.{yml,yaml}'],
  },
  {
    rule: 'config',
    action: 'refuse',
    why: 'the configuration of gza bounds what a step may do',
    globs: ['gza.{yml,yaml}', '.gza/**'],
  },
  {
    rule: 'owners',
    action: 'refuse',
    why: 'it decides who must approve',
    globs: ['{.github/,.gitlab/,docs/,}CODEOWNERS'],
  },
  {
    rule: 'instructions',
    action: 'refuse',
    why: 'agents obey these files; learnings go into notes',
    globs: instructionGlobs,
  },
  {
    rule: 'hooks',
    action: 'refuse',
    why: 'git hooks run on the machines of everyone who checks this out',
    globs: [
      '**/.{husky,githooks,git-hooks}/**',
      '**/.pre-commit-config.{yml,yaml}',
      '**/.lefthook.{yml,yaml}',
      '**/lefthook.{yml,yaml}',
    ],
  },
  {
    rule: 'attributes',
    action: 'ask',
    why: 'it changes how git reads, shows and merges other files',
    globs: ['**/.gitattributes', '**/.lfsconfig', '**/.mailmap'],
  },
  {
    rule: 'autorun',
    action: 'ask',
    why: 'editors and shells run it when the folder is opened',
    globs: [
      '**/.vscode/{tasks,settings,launch}.json',
      '**/.devcontainer/**',
      '**/.devcontainer.json',
      '**/.envrc',
      '**/.idea/**',
    ],
  },
];
