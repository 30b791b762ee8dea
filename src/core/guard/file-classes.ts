/**
 * Classifies paths: may a step change such a file, must a person look first, or is it only mentioned. The
 * first matching row counts. Matching ignores case and look-alike letters, because some file systems ignore
 * case and people overlook such letters.
 */

/**
 * `refuse`: nothing is committed. `wait`: committed, but a person must let it pass. `name`: committed and
 * mentioned. `drop`: left out and mentioned.
 */
export type GuardAction = 'refuse' | 'wait' | 'name' | 'drop' | 'pass';

/** Why each kind of file matters to somebody who reads the patch. */
export const fileKinds = {
  workflow: 'CI definitions run with secrets and are changed by people only',
  tasks: 'task files are what people decided; a step files new work with `git tasks add`',
  config: 'the configuration of gza bounds what a step may do',
  owners: 'it decides who must approve, or what merges by itself',
  instructions: 'agents obey these files; learnings go into notes',
  hooks: 'git hooks run on the machines of everyone who checks this out',
  attributes: 'it changes how git reads, shows and merges other files',
  autorun: 'editors, shells and interpreters run it when the folder is opened',
  bot: 'a bot with rights of its own obeys it',
  deploy: 'it decides what is published, and where',
  registry: 'it decides where packages come from',
  toolchain: 'it decides which programs build this, and what they run',
  'dot-folder': 'nobody said what reads it; files with a dot are settings of some program',
  checks: 'what judges the work was changed with the work',
  dependencies: 'it brings in code of others',
  build: 'it runs when this is built',
  settings: 'a setting of a tool',
  configured: 'gza.yaml names it',
} as const;
export type FileKind = keyof typeof fileKinds;

export interface FileRow {
  readonly action: Exclude<GuardAction, 'drop'>;
  readonly kind: FileKind;
  /** The documentation of the programs that read these files. */
  readonly source: string;
  readonly globs: readonly string[];
}

const row = (action: FileRow['action'], kind: FileKind, source: string, globs: string): FileRow => ({
  action,
  kind,
  source,
  globs: globs.trim().split(/\s+/),
});

/** Files that coding agents obey or run by themselves. A step's work tree takes them from the base branch. */
export const instructionGlobs: readonly string[] = `
**/{CLAUDE,CLAUDE.local,AGENTS,AGENTS.override,AGENT,GEMINI,QWEN,CODEX,CONVENTIONS,WARP,CRUSH,JULES}.md
**/.{claude,codex,gemini,qwen,opencode,pi,cursor,windsurf,agents,agent,kiro,roo,continue,cline,amp}{,/**}
**/.{aider,junie,trae,augment,goose,crush,factory,kilocode,copilot,zencoder,tabnine,warp,qodo,rovodev,openhands,codebuddy}{,/**}
**/.{cursorrules,windsurfrules,roorules,kilocoderules,rules,mcp.json,goosehints,cursorignore,aiignore,continuerc.json}
**/.aider*
**/.{clinerules,openhands_instructions}{,/**}
**/{opencode,mcp,crush}.{json,jsonc}
.github
.github/copilot-instructions.md
.github/{instructions,prompts,chatmodes,agents,skills,copilot,hooks}{,/**}`
  .trim()
  .split(/\s+/);

const instructions: FileRow = {
  action: 'refuse',
  kind: 'instructions',
  source: 'https://agents.md, and the documentation of each agent',
  globs: instructionGlobs,
};

export const fileRows: readonly FileRow[] = [
  row(
    'refuse',
    'workflow',
    'https://docs.github.com/actions/reference/workflow-syntax-for-github-actions, and that of each CI system',
    `.{github,gitea,forgejo}/{workflows,actions}{,/**}
    .github/dependabot.{yml,yaml}
    .gitlab-ci*.{yml,yaml} .gitlab/**/*.{yml,yaml}
    .{circleci,buildkite,woodpecker,teamcity,semaphore,azure-pipelines,tekton,harness,builds,concourse,screwdriver,cirrus}{,/**}
    .{travis,drone,woodpecker,appveyor,cirrus,build,vela,codeship-steps,bitrise,scrutinizer,shippable}.{yml,yaml}
    .drone.{star,jsonnet} .cirrus.star
    {appveyor,bitbucket-pipelines,wercker,bitrise,codemagic,codefresh,buildspec,cloudbuild,shippable,screwdriver}.{yml,yaml}
    cloudbuild.json azure-pipelines*.{yml,yaml} {ci,build,.azure}/**/azure-pipelines*.{yml,yaml}
    **/Jenkinsfile* .jenkins/** .xcode/** ci_scripts/ci_*.sh`,
  ),
  row('refuse', 'tasks', 'docs/tasks.md', 'tasks/** tasks.{yml,yaml}'),
  row('refuse', 'config', 'docs/configuration.md', 'gza.{yml,yaml} .gza{,/**}'),
  row(
    'refuse',
    'owners',
    'https://docs.github.com/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners, https://docs.mergify.com, https://github.com/repository-settings/app',
    `{.github/,.gitlab/,.gitea/,.forgejo/,.bitbucket/,docs/,}CODEOWNERS **/OWNERS
    {.github/,.mergify/,}{.,}mergify.{yml,yaml} .kodiak.toml .github/.kodiak.toml bors.toml .github/bors.toml
    .github/{settings,repository-settings,safe-settings,auto-merge,auto_assign,policy-bot}.{yml,yaml} .policy.yml .aviator/** .bulldozer.yml`,
  ),
  instructions,
  row(
    'refuse',
    'hooks',
    'https://git-scm.com/docs/githooks, and the documentation of each hook manager',
    `**/.{husky,githooks,git-hooks,hooks,cargo-husky,lefthook,lefthook-local}{,/**}
    **/.pre-commit-{config,hooks}.{yml,yaml} **/{,.}{lefthook,lefthook-local,overcommit}.{yml,yaml,toml,json}
    **/{,.}simple-git-hooks.* **/.huskyrc* **/husky.config.* **/captainhook.json **/grumphp.{yml,yaml}{,.dist}
    **/{prek,.rusty-hook,.ghooks}.toml **/hk.pkl **/.git-hooks-list`,
  ),
  row(
    'wait',
    'hooks',
    'https://github.com/lint-staged/lint-staged#configuration',
    '**/{.lintstagedrc*,lint-staged.config.*}',
  ),
  row(
    'wait',
    'attributes',
    'https://git-scm.com/docs/gitattributes, gitmailmap, git-lfs-config',
    // A folder with such files can be a git repository, and git obeys its settings.
    '**/{.gitattributes,.lfsconfig,.mailmap,.gitconfig,HEAD,packed-refs} **/*.git/**',
  ),
  row(
    'wait',
    'autorun',
    'https://code.visualstudio.com/docs/editing/workspaces/workspace-trust, https://direnv.net, https://containers.dev, https://docs.python.org/3/library/site.html, and the documentation of each editor',
    `**/.{vscode,idea,zed,fleet,vs,nova,settings,metadata,run,devcontainer,codesandbox,idx,theia,sublime,direnv,vim,nvim}{,/**}
    **/*.{code-workspace,sublime-project,sublime-workspace,iml,ipr,iws,lnk,url,desktop,scf,pth,command,library-ms,inetloc,terminal,webloc}
    **/{.devcontainer.json,.envrc,.exrc,.nvimrc,.nvim.lua,.vimrc,.lvimrc,.gvimrc,.dir-locals.el,.gitpod.yml,.gitpod.Dockerfile,.replit,replit.nix,.stackblitzrc}
    **/{sitecustomize,usercustomize}.py **/{.Rprofile,.irbrc,.pryrc,.pythonrc,.pdbrc,.gdbinit,.lldbinit,.bashrc,.profile,.zshrc}
    **/{desktop.ini,autorun.inf}`,
  ),
  row(
    'wait',
    'bot',
    'https://docs.renovatebot.com/configuration-options, https://docs.coderabbit.ai, https://docs.codecov.com, and the documentation of each bot',
    `**/{renovate.json,renovate.json5,.renovaterc,.renovaterc.json,.renovaterc.json5,renovate-config.js}
    {.github/,.gitlab/}{renovate.json,renovate.json5} .dependabot/** .pyup.yml .scala-steward.conf {.,}updatecli{,.d}/**
    **/{.coderabbit,.sourcery,.codeclimate,codecov,.codecov,.deepsource,.hound,.pullapprove,.lgtm,.sonarcloud,.fossa,.snyk,.whitesource}.{yml,yaml,toml}
    **/{.pr_agent.toml,.snyk,.whitesource,greptile.json,ellipsis.yaml,.gitleaks.toml,.gitleaksignore,.trivyignore,.trufflehog.yml,.semgrepignore,sonar-project.properties,.zizmor.yml}
    **/{.allcontributorsrc,.imgbotconfig,.all-contributorsrc,.probot.yml,.stale.yml,.lgtm,.gitguardian.yaml,.cursor-bugbot.json}`,
  ),
  row(
    'wait',
    'workflow',
    'https://docs.github.com/actions/sharing-automations/creating-actions/metadata-syntax-for-github-actions',
    '**/action.{yml,yaml}',
  ),
  row(
    'wait',
    'deploy',
    'https://docs.netlify.com/configure-builds/file-based-configuration, and the documentation of each host',
    `{netlify.toml,vercel.json,render.yaml,fly.toml,railway.json,railway.toml,app.yaml,Procfile,amplify.yml,heroku.yml,captain-definition,nixpacks.toml,skaffold.yaml,.clasp.json,wrangler.toml,wrangler.json,wrangler.jsonc,firebase.json,.firebaserc,now.json}
    **/{.releaserc*,release.config.*,.goreleaser.yml,.goreleaser.yaml,release-please-config.json,.release-it.*}
    .{ebextensions,platform,elasticbeanstalk,do}/** .openshift/** **/.npmrc.publish`,
  ),
  row(
    'wait',
    'registry',
    'https://docs.npmjs.com/cli/configuring-npm/npmrc, https://pip.pypa.io/en/stable/topics/configuration, https://doc.rust-lang.org/cargo/reference/config.html, and the documentation of each package manager',
    `**/{.npmrc,.yarnrc,.yarnrc.yml,.pnpmfile.cjs,.pnpmfile.mjs,pnpmfile.js,pnpmfile.cjs,pnpm-workspace.yaml,.bowerrc,bunfig.toml,.bunfig.toml,.jspmrc}
    **/.yarn/{releases,plugins,sdks,patches,unplugged}/** **/.pnp.{cjs,js,loader.mjs} **/package.{json5,yaml}
    **/{pip.conf,pip.ini,.pypirc,uv.toml,.condarc,pdm.toml,.pdm.toml,poetry.toml,auth.toml}
    **/.cargo/** **/{credentials.toml,.gemrc,.curlrc,.wgetrc,.netrc,_netrc} **/.bundle/** **/{nuget,.nuget/nuget}.config
    **/.m2/** **/.mvn/** **/{settings-security,maven-settings}.xml **/{auth.json,.terraformrc,terraform.rc,.conan/**,conan.conf}
    **/{go.work,go.env,init.gradle,init.gradle.kts,.pub-cache/**,.swiftpm/configuration/**}`,
  ),
  row(
    'wait',
    'toolchain',
    'https://mise.jdx.dev/configuration.html, https://rust-lang.github.io/rustup/overrides.html, https://docs.gradle.org/current/userguide/gradle_wrapper.html, https://bazel.build/run/bazelrc, and the documentation of each tool',
    `**/{mise,.mise,mise.local,.mise.local,.rtx}.toml **/{mise,.mise}/** .config/** **/{.tool-versions,.asdfrc,.prototools,.envrc.local,.env,.env.local,.flooignore}
    **/{rust-toolchain,rust-toolchain.toml,global.json,.sdkmanrc,.jvmopts,.jvm.config} **/gradle/wrapper/** **/{gradlew,gradlew.bat,mvnw,mvnw.cmd}
    **/{.bazelrc,.bazeliskrc,.bazelversion,.buckconfig,.buckroot,.pantsrc,pants.toml,.watchmanconfig} tools/bazel
    **/{binding.gyp,devbox.json,.devenv/**,devenv.nix,.flox/**,.volta/**,volta.json,aqua.yaml,.hermit/**,bin/hermit.hcl,.node_repl_history}
    **/{.yarn,.pnpm-store,node_modules,.venv,venv,vendor/bundle,.terraform}/** **/node_modules`,
  ),
  row(
    'name',
    'dependencies',
    'https://docs.npmjs.com/cli/configuring-npm/package-lock-json, and that of each package manager',
    `**/{package-lock.json,npm-shrinkwrap.json,yarn.lock,pnpm-lock.yaml,bun.lock,bun.lockb,deno.lock,Cargo.lock,poetry.lock,uv.lock,pdm.lock,Pipfile.lock,pylock.toml,Gemfile.lock,gems.locked,composer.lock,go.sum,mix.lock,pubspec.lock,Podfile.lock,Package.resolved,packages.lock.json,paket.lock,gradle.lockfile,flake.lock,conan.lock,.terraform.lock.hcl,verification-metadata.xml,MODULE.bazel.lock,shard.lock,cabal.project.freeze,stack.yaml.lock,Manifest.toml,renv.lock}`,
  ),
  row(
    'name',
    'checks',
    'https://jestjs.io/docs/configuration, https://docs.pytest.org/en/stable/reference/customize.html, and the documentation of each tool',
    `**/{jest,vitest,vite,playwright,cypress,karma,ava,wdio,nightwatch,stryker,mocha,babel,eslint,prettier,stylelint,commitlint,web-test-runner,nyc,c8,tap,knip}{.conf*.*,.setup*.*,.workspace.*}
    **/.{mocharc,nycrc,c8rc,taprc,eslintrc,eslintignore,prettierrc,prettierignore,stylelintrc,babelrc,swcrc,jshintrc,commitlintrc,oxlintrc,dprint,remarkrc,textlintrc,markdownlint,markdownlint-cli2,markdownlintignore,stylelintignore,yamllint,xo-config,depcheckrc,knip,cspell,size-limit}*
    **/{biome.json,biome.jsonc,oxlintrc.json,tslint.json,deno.json,deno.jsonc,turbo.json,nx.json,lerna.json,angular.json,project.json,cspell.json,dprint.json,knip.json}
    **/{tsconfig,jsconfig}*.json **/{pytest.ini,tox.ini,noxfile.py,conftest.py,setup.cfg,mypy.ini,ruff.toml,pyrightconfig.json,tasks.py,phpunit.xml,phpunit.xml.dist,phpstan.neon,phpstan.neon.dist,psalm.xml,checkstyle.xml,detekt.yml,testng.xml,nextest.toml,clippy.toml,deny.toml}
    **/.{coveragerc,flake8,pylintrc,isort.cfg,bandit,ruff.toml,rspec,rubocop.yml,rubocop_todo.yml,simplecov,golangci.yml,golangci.yaml,golangci.toml,swiftlint.yml,credo.exs,clang-tidy,ansible-lint,hadolint.yaml,tflint.hcl,php-cs-fixer.php,php-cs-fixer.dist.php,cppcheck}
    **/{Makefile,GNUmakefile,makefile,justfile,Justfile,.justfile,Taskfile.yml,Taskfile.yaml,Rakefile,magefile.go,Earthfile,build.zig,CTestTestfile.cmake,gulpfile.*,Gruntfile.*,wireit.json}`,
  ),
  row(
    'name',
    'build',
    'the documentation of each build tool',
    `**/{Dockerfile*,*.Dockerfile,Containerfile,docker-compose*.yml,docker-compose*.yaml,compose.yml,compose.yaml,CMakeLists.txt,meson.build,configure.ac,build.rs,setup.py,build.gradle*,settings.gradle*,gradle.properties,pom.xml,build.sbt,Package.swift,WORKSPACE,WORKSPACE.bazel,MODULE.bazel,BUILD,BUILD.bazel,Vagrantfile,flake.nix,shell.nix,default.nix,Fastfile}
    **/{webpack,rollup,esbuild,tsup,next,nuxt,astro,svelte,remix,metro,postcss,tailwind,craco,rspack,rsbuild,electron-builder,forge}.config.* **/*.{csproj,fsproj,vbproj,targets,props,sln,cmake,xcconfig,pbxproj,proj} **/.storybook/** **/.{vitepress,vuepress,docusaurus}/**`,
  ),
  row(
    'name',
    'settings',
    'https://editorconfig.org, and the documentation of each tool',
    `**/{.editorconfig,.nvmrc,.node-version,.python-version,.ruby-version,.java-version,.go-version,.terraform-version,.browserslistrc,.clang-format,.rustfmt.toml,rustfmt.toml,.scalafmt.conf,.swiftformat,.swift-version,.dockerignore,.npmignore,.vercelignore,.gcloudignore,.helmignore,.slugignore,.nowignore,.htaccess,.git-blame-ignore-revs,.env.example,.env.sample,.env.template,.env.test,.readthedocs.yml,.readthedocs.yaml,.yamllint.yml,.ignore,.rgignore,.streamlit/config.toml}
    .github/{FUNDING,labels,labeler,release}.{yml,yaml}`,
  ),
  row(
    'pass',
    'settings',
    'https://docs.github.com/communities/using-templates-to-encourage-useful-issues-and-pull-requests',
    `.github/{ISSUE_TEMPLATE,PULL_REQUEST_TEMPLATE,DISCUSSION_TEMPLATE}/** .github/*.md .changeset/*.md **/.well-known/** **/.{gitignore,gitkeep,keep,nojekyll}`,
  ),
  row('wait', 'dot-folder', 'unknown', '**/.* **/.*/**'),
];
