/**
 * GitHub's own parser of workflow and action files. It imports JSON without an attribute, which node refuses, so
 * it is bundled once into node_modules/.cache, under a name made of the versions.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { inlinePaths } from '../../src/core/text/doctor/inline-workflows.ts';

interface Diagnostic {
  readonly message: string;
  readonly severity?: number;
  readonly range: { readonly start: { readonly line: number } };
}

/** Of what a workflow calls. */
type Read = (called: {
  readonly path: string;
}) => Promise<{ readonly name: string; readonly content: string }>;

interface Bundle {
  readonly diagnose: (uri: string, text: string, read?: Read) => Promise<readonly Diagnostic[]>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

const entry = `
import { validate } from '@actions/languageservice';
import { TextDocument } from 'vscode-languageserver-textdocument';
export const diagnose = (uri, text, getFileContent) =>
  validate(TextDocument.create(uri, 'yaml', 1, text), getFileContent ? { fileProvider: { getFileContent } } : {});
`;

const options = [
  '--bundle',
  '--platform=node',
  '--format=esm',
  '--log-level=error',
  "--banner:js=import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
];

let loaded: Promise<Bundle> | undefined;

async function load(): Promise<Bundle> {
  const versions = ['languageservice', 'workflow-parser', 'expressions'].map(
    (name) =>
      (
        JSON.parse(readFileSync(join(root, 'node_modules', '@actions', name, 'package.json'), 'utf8')) as {
          version: string;
        }
      ).version,
  );
  const key = createHash('sha256')
    .update(entry)
    .update([...options, ...versions].join())
    .digest('hex')
    .slice(0, 12);
  const cache = join(root, 'node_modules', '.cache', 'official-parser');
  const file = join(cache, `${key}.mjs`);
  if (!existsSync(file)) {
    mkdirSync(cache, { recursive: true });
    const [input, output] = [join(cache, `entry-${process.pid}.mjs`), join(cache, `out-${process.pid}.mjs`)];
    writeFileSync(input, entry);
    const esbuild = join(root, 'node_modules', '.bin', 'esbuild');
    await promisify(execFile)(esbuild, [input, ...options, `--outfile=${output}`]);
    // Two test files may do this at once: the last to finish wins, with the same bytes.
    renameSync(output, file);
    rmSync(input, { force: true });
  }
  return (await import(pathToFileURL(file).href)) as Bundle;
}

const known = new Map<string, Promise<string[]>>();

/** What GitHub's parser holds against a file, one line each; its name says whether it is an action. */
export function diagnose(path: string, text: string): Promise<readonly string[]> {
  const key = createHash('sha256').update(path).update('\0').update(text).digest('hex');
  const found = known.get(key) ?? diagnoseOnce(path, text, key);
  known.set(key, found);
  return found;
}

/** Once in a run of the tests: most suites use the same few files, and the parser alone takes long to load. */
async function diagnoseOnce(path: string, text: string, key: string): Promise<string[]> {
  const kept = join(process.env['GZA_TEST_RUN'] ?? '', `diagnosed-${key}.json`);
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8')) as string[];
  const found = await diagnoseAnew(path, text, key);
  writeFileSync(`${kept}.${process.pid}`, JSON.stringify(found));
  renameSync(`${kept}.${process.pid}`, kept);
  return found;
}

async function diagnoseAnew(path: string, text: string, key: string): Promise<string[]> {
  loaded ??= load();
  const { diagnose } = await loaded;
  // The parser remembers by address, so each text has its own.
  const isAction = /(^|\/)action\.ya?ml$/.test(path);
  const uri = isAction
    ? `file:///${key}/action.yml`
    : `file:///${key}/.github/workflows/${path.split('/').at(-1)}`;
  // What is called tells which outputs there are; written into a repository it is called otherwise.
  const shipped = (at: string) => {
    const [name] = Object.entries(inlinePaths).find(([, inline]) => inline === at) ?? [];
    return name === undefined ? at : `.github/workflows/${name}`;
  };
  const read: Read = async ({ path: at }) => ({
    name: at,
    content: readFileSync(join(root, shipped(at)), 'utf8'),
  });
  const calls = /uses: (?:\$|\.)\/\.github\/workflows\/gza[.-]\w+\.yml/.test(text);
  const found = await diagnose(uri, text, calls ? read : undefined);
  return found
    .filter((one) => (one.severity ?? 1) <= 2)
    .map((one) => `${path}:${one.range.start.line + 1}: ${one.message}`);
}
