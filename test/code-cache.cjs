// Loaded before a program that tests start again and again (`node --require`): V8 keeps what it made of the large
// files, so that the next process need not compile them anew, which is half of a short call. What is kept lies beside
// this file, which `run-folder.mjs` copies for each run of jest.
const { readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { basename, dirname, join } = require('node:path');
const { Script } = require('node:vm');

const compile = Module.prototype._compile;
/** Each command compiles other functions. */
const command = String(process.env.INPUT_COMMAND ?? process.argv[2]).replaceAll(/\W/g, '');

Module.prototype._compile = function (text, path) {
  if (text.length < 100_000) return compile.call(this, text, path);
  const name = `${basename(path)}-${text.length}-${statSync(path).mtimeMs}-${process.version}-${command.slice(0, 20)}`;
  const kept = join(__dirname, name);
  const cachedData = read(kept);
  const script = new Script(Module.wrap(text), { filename: path, cachedData });
  if (!cachedData) process.on('exit', () => keep(kept, script));
  const require = Module.createRequire(path);
  script.runInThisContext().call(this.exports, this.exports, require, this, path, dirname(path));
};

function read(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function keep(path, script) {
  try {
    writeFileSync(`${path}.${process.pid}`, script.createCachedData());
    renameSync(`${path}.${process.pid}`, path);
  } catch {
    // The run may be over, and its folder gone.
  }
}
