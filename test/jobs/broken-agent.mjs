// An agent that works, and then does what its task is named after to the place where it works.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const { GZA_TASK: task, GZA_SPOOL: spool } = process.env;
const tree = process.cwd();
const beside = (name) => join(dirname(tree), name);
const pipe = (path) => execFileSync('mkfifo', [path]);

mkdirSync('src', { recursive: true });
writeFileSync(`src/${task}.js`, 'export const answer = 42;\n');
switch (task) {
  case 'tree':
    rmSync(tree, { recursive: true });
    break;
  case 'link':
    renameSync(tree, beside('aside'));
    symlinkSync('aside', tree);
    break;
  case 'git':
    rmSync(beside('git'), { recursive: true });
    break;
  case 'rules':
    pipe('.gitignore');
    break;
  case 'spool':
    rmSync(spool, { force: true });
    pipe(spool);
    break;
  case 'names':
    cpSync('src', 'a\n✓ b', { recursive: true });
    break;
}
console.log('Done.');
