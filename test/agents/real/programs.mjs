/** The programs under test: what to install, and how a model asks each of them for its tools. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Exact versions: a new one may print something else, and npm may pick an old one that fits an old node. */
export const programs = {
  claude: {
    package: '@anthropic-ai/claude-code',
    version: '2.1.326',
    place: ['install.cjs'],
    keys: { ANTHROPIC_API_KEY: 'sk-ant-scripted-000000000000' },
    address: (url) => ({ ANTHROPIC_BASE_URL: url }),
    model: 'claude-sonnet-4-5',
    write: (path, content) => ({ name: 'Write', input: { file_path: path, content } }),
    read: (path) => ({ name: 'Read', input: { file_path: path } }),
    shell: (command) => ({ name: 'Bash', input: { command, description: 'run', timeout: 600_000 } }),
    helper: (prompt) => ({
      name: 'Task',
      input: { prompt, description: 'help', subagent_type: 'general-purpose' },
    }),
  },
  codex: {
    package: '@openai/codex',
    version: '0.169.0',
    keys: { CODEX_API_KEY: 'sk-scripted-000000000000000000' },
    address: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    // Newer models get one tool that takes a program; this one gets a plain shell.
    model: 'gpt-5.5',
    write: (path, content) => ({
      name: 'exec_command',
      input: { cmd: `printf '%s' '${content}' > '${path}'` },
    }),
    read: (path) => ({ name: 'exec_command', input: { cmd: `cat '${path}'` } }),
    shell: (command) => ({ name: 'exec_command', input: { cmd: command, yield_time_ms: 30_000 } }),
  },
  opencode: {
    package: 'opencode-ai',
    version: '1.18.33',
    place: ['postinstall.mjs'],
    keys: { OPENAI_API_KEY: 'sk-scripted-000000000000000000' },
    address: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    model: 'openai/gpt-4.1',
    write: (path, content) => ({ name: 'write', input: { filePath: path, content } }),
    read: (path) => ({ name: 'read', input: { filePath: path } }),
    shell: (command) => ({ name: 'bash', input: { command, description: 'run', timeout: 600_000 } }),
  },
  gemini: {
    package: '@google/gemini-cli',
    version: '0.61.0',
    keys: { GEMINI_API_KEY: 'scripted-0000000000000000' },
    address: (url) => ({ GOOGLE_GEMINI_BASE_URL: url }),
    model: 'gemini-2.5-pro',
    write: (path, content) => ({ name: 'write_file', input: { file_path: path, content } }),
    read: (path) => ({ name: 'read_file', input: { file_path: path } }),
    shell: (command) => ({ name: 'run_shell_command', input: { command, description: 'run' } }),
  },
  copilot: {
    package: '@github/copilot',
    version: '1.0.102',
    keys: { COPILOT_PROVIDER_API_KEY: 'sk-scripted-000000000000000000' },
    address: (url) => ({ COPILOT_PROVIDER_BASE_URL: `${url}/v1` }),
    model: 'scripted',
    write: (path, content) => ({ name: 'create', input: { path, file_text: content } }),
    read: (path) => ({ name: 'view', input: { path } }),
    shell: (command) => ({
      name: 'bash',
      input: { command, description: 'run', mode: 'sync', initial_wait: 600 },
    }),
  },
};

/** Puts a program into its own folder; its path, or why it could not be installed. */
export function install(name, root) {
  const { package: packageName, version, place = [] } = programs[name];
  const folder = join(root, name);
  const home = join(folder, 'node_modules', packageName);
  const bin = join(folder, 'node_modules', '.bin', name);
  try {
    if (
      !existsSync(bin) ||
      JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).version !== version
    ) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        join(folder, 'package.json'),
        JSON.stringify({ name: `agent-${name}`, private: true, version: '0.0.0' }),
      );
      npmInstall(folder, `${packageName}@${version}`);
      for (const script of place) runPlacing(home, script);
    }
    return { bin };
  } catch (error) {
    return {
      problem: String(error.stderr || error.message)
        .trim()
        .split('\n')
        .slice(-3)
        .join(' '),
    };
  }
}

function npmInstall(folder, what) {
  const args = ['install', '--ignore-scripts', '--save-exact', '--no-audit', '--no-fund', what];
  execFileSync('npm', args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: 600_000,
  });
}

/** Some come with a script that puts the native program in place; it gets a HOME that is thrown away. */
function runPlacing(cwd, script) {
  const home = mkdtempSync(join(tmpdir(), 'gza-place-'));
  try {
    const env = { PATH: process.env.PATH, HOME: home };
    execFileSync(process.execPath, [script], {
      cwd,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      timeout: 120_000,
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
