/** Recognises from a project's files which commands install and test it. Runs nothing. */

export interface Recognised {
  /** Runs in a fresh checkout, before the checks. */
  readonly setup?: string;
  /** Must succeed after every task. */
  readonly verify?: string;
  /** Installs a tool that GitHub's runners do not have. */
  readonly tool?: string;
}

/** The text of a file at the top of the repository; null where there is none. */
export type ReadTop = (name: string) => string | null;

export function recogniseProject(read: ReadTop): Recognised {
  const found = kinds.map((kind) => kind(read)).filter((one) => one !== null);
  return found.find(({ verify }) => verify !== undefined) ?? found[0] ?? {};
}

type Kind = (read: ReadTop) => Recognised | null;

interface PackageManager {
  readonly name: string;
  readonly locks: readonly string[];
  readonly setup: (lock: string) => string;
  readonly test: string;
  readonly tool?: (lock: string) => string | undefined;
}

const isBerry = (lock: string) => /^__metadata:/m.test(lock);

const packageManagers: readonly PackageManager[] = [
  {
    name: 'pnpm',
    locks: ['pnpm-lock.yaml'],
    setup: () => 'pnpm install --frozen-lockfile',
    test: 'pnpm test',
    tool: () => 'corepack enable',
  },
  {
    name: 'yarn',
    locks: ['yarn.lock'],
    setup: (lock) => (isBerry(lock) ? 'yarn install --immutable' : 'yarn install --frozen-lockfile'),
    test: 'yarn test',
    tool: (lock) => (isBerry(lock) ? 'corepack enable' : undefined),
  },
  {
    name: 'bun',
    locks: ['bun.lock', 'bun.lockb'],
    setup: () => 'bun install --frozen-lockfile',
    test: 'bun run test',
    tool: () => 'npm install --global bun@1.4.4',
  },
  {
    name: 'npm',
    locks: ['package-lock.json', 'npm-shrinkwrap.json'],
    setup: () => 'npm ci',
    test: 'npm test',
  },
];

interface PackageJson {
  readonly packageManager?: unknown;
  readonly scripts?: { readonly test?: unknown } | null;
  readonly dependencies?: object | null;
  readonly devDependencies?: object | null;
}

function node(read: ReadTop): Recognised | null {
  const own = packageJson(read('package.json'));
  if (own === null) return null;
  const script = own.scripts?.test;
  const hasTest = typeof script === 'string' && script.trim() !== '' && !script.includes('no test specified');
  const locked = packageManagers.flatMap((manager) =>
    manager.locks.flatMap((name) => {
      const lock = read(name);
      return lock === null ? [] : [{ manager, lock }];
    }),
  );
  const named = typeof own.packageManager === 'string' ? own.packageManager.split('@')[0] : undefined;
  const used = locked.find(({ manager }) => manager.name === named) ?? locked[0];
  if (!used) {
    const needs = Object.keys({ ...own.dependencies, ...own.devDependencies }).length > 0;
    return defined({
      setup: needs ? 'npm install --no-package-lock' : undefined,
      verify: hasTest ? 'npm test' : undefined,
    });
  }
  const { manager, lock } = used;
  return defined({
    setup: manager.setup(lock),
    verify: hasTest ? manager.test : undefined,
    tool: manager.tool?.(lock),
  });
}

function packageJson(text: string | null): PackageJson | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function python(read: ReadTop): Recognised | null {
  const project = read('pyproject.toml');
  const uv = read('uv.lock');
  if (uv !== null) return withTool('uv sync', 'uv run pytest', 'pipx install uv==0.13.8', uv);
  const poetry = read('poetry.lock');
  if (poetry !== null)
    return withTool('poetry install', 'poetry run pytest', 'pipx install poetry==2.5.1', poetry);
  const wanted = ['requirements.txt', 'requirements-dev.txt', 'dev-requirements.txt'].filter(
    (name) => read(name) !== null,
  );
  const isPackage = project !== null && /^\[(?:project|build-system)\]/m.test(project);
  const texts = [...wanted.map(read), project].join('\n');
  const tests = read('pytest.ini') !== null || read('conftest.py') !== null || /\bpytest\b/.test(texts);
  const listed = wanted.map((name) => `-r ${name}`);
  if (listed.length === 0 && !isPackage && !tests) return null;
  const own = listed.length === 0 && isPackage ? ['-e .'] : [];
  const hasPytest = wanted.some((name) => /^pytest\b/m.test(read(name) ?? ''));
  // A system Python refuses to install packages, hence the virtual environment.
  const install = [...listed, ...own, ...(tests && !hasPytest ? ['pytest'] : [])].join(' ');
  return defined({
    setup: `python3 -m venv .venv && .venv/bin/pip install ${install}`,
    verify: tests ? '.venv/bin/python -m pytest' : undefined,
  });
}

function withTool(setup: string, verify: string, tool: string, lock: string): Recognised {
  return defined({ setup, verify: /^name = "pytest"/m.test(lock) ? verify : undefined, tool });
}

function go(read: ReadTop): Recognised | null {
  return read('go.mod') === null ? null : { setup: 'go mod download', verify: 'go test ./...' };
}

function rust(read: ReadTop): Recognised | null {
  if (read('Cargo.toml') === null) return null;
  const setup = read('Cargo.lock') === null ? 'cargo fetch' : 'cargo fetch --locked';
  return { setup, verify: 'cargo test' };
}

/** No set-up command: Maven and Gradle download dependencies when they run the tests. */
function java(read: ReadTop): Recognised | null {
  if (read('pom.xml') !== null)
    return { verify: `${read('mvnw') === null ? 'mvn' : './mvnw'} --batch-mode --quiet verify` };
  const files = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'];
  if (files.every((name) => read(name) === null)) return null;
  return { verify: `${read('gradlew') === null ? 'gradle' : './gradlew'} test` };
}

function ruby(read: ReadTop): Recognised | null {
  const lock = read('Gemfile.lock');
  if (lock === null) return null;
  const has = (gem: string) => new RegExp(`^ {4}${gem} \\(`, 'm').test(lock);
  const rspec = has('rspec') && read('.rspec') !== null ? 'bundle exec rspec' : undefined;
  const rake = has('rake') && read('Rakefile') !== null ? 'bundle exec rake' : undefined;
  return defined({
    // Installs into the checkout, because changing the system's gems may need root.
    setup: 'bundle config set --local path vendor/bundle && bundle install',
    verify: rspec ?? rake,
  });
}

const kinds: readonly Kind[] = [node, python, go, rust, java, ruby];

function defined(given: { readonly [K in keyof Recognised]: Recognised[K] | undefined }): Recognised {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
