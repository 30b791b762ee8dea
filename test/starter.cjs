// Starting a process takes ever longer as its starter grows: 1 ms at first, 30 in a worker that has loaded what a suite
// needs, as all its memory is marked for the child. So git is started by a small process beside each worker. Its pipes
// are connections that the worker made, so that what git says goes straight there; all else is as node does it.
// Loaded before anything else in a worker (`run-folder.mjs`).
const { ChildProcess, spawn } = require('node:child_process');
const { mkdtempSync, rmSync } = require('node:fs');
const { createServer } = require('node:net');
const { constants, tmpdir } = require('node:os');
const { basename, join } = require('node:path');
const { createInterface } = require('node:readline');

if (require.main === module) beStarter(process.argv[2]);
else useStarter();

function useStarter() {
  const Process = new ChildProcess()._handle.constructor;
  const { PipeConnectWrap } = process.binding('pipe_wrap');
  const native = Process.prototype.spawn;
  const running = new Map();
  /** Of those that run, what the program waits for before it ends. */
  const held = new Set();
  const hold = (id, isHeld) => {
    if (isHeld) held.add(id);
    else held.delete(id);
    starter.stdout[held.size > 0 ? 'ref' : 'unref']();
  };
  const folder = mkdtempSync(join(tmpdir(), 'gza-starter-'));
  const path = join(folder, 'socket');
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const starter = spawn(process.execPath, [__filename, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  let isReady = false;
  let last = 0;
  const end = () => {
    isReady = false;
    for (const handle of running.values()) handle.onexit(-constants.errno.EPIPE, '');
    running.clear();
  };
  starter.on('error', end).on('exit', end);
  starter.stdin.on('error', () => {});
  for (const part of [starter, starter.stdin, starter.stdout]) part.unref();
  const tell = (message) => starter.stdin.write(`${JSON.stringify(message)}\n`);
  createInterface({ input: starter.stdout }).on('line', (line) => {
    const { id, code, signal } = JSON.parse(line);
    isReady = true;
    const handle = running.get(id);
    running.delete(id);
    hold(id, false);
    handle?.onexit(code, signal);
  });

  Process.prototype.spawn = function (options) {
    const { file, args, envPairs, detached, stdio } = options;
    const isUsual =
      /^git(-http-backend)?$/.test(basename(file)) &&
      options.uid === undefined &&
      options.gid === undefined &&
      stdio.length === 3 &&
      stdio.every(({ type }) => type === 'pipe' || type === 'ignore');
    if (!isReady || !isUsual) return native.call(this, options);
    for (const { type, handle } of stdio) {
      if (type !== 'pipe') continue;
      const request = new PipeConnectWrap();
      request.oncomplete = () => {};
      const failed = handle.connect(request, path);
      if (failed) throw new Error(`the starter of git does not answer (${failed})`);
    }
    const id = ++last;
    running.set(id, this);
    hold(id, true);
    this.ref = () => hold(id, running.has(id));
    this.unref = () => hold(id, false);
    this.kill = (signal) => {
      if (running.has(id)) tell({ id, signal });
      return running.has(id) ? 0 : -constants.errno.ESRCH;
    };
    const kinds = stdio.map(({ type }) => type);
    tell({ id, file, args, cwd: options.cwd ?? process.cwd(), env: envPairs, detached, kinds });
    return 0;
  };
}

function beStarter(path) {
  const connections = [];
  const asked = [];
  const children = new Map();
  const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
  const server = createServer({ pauseOnConnect: true }, (connection) => {
    connections.push(connection);
    startNext();
  });
  server.listen(path, () => say({}));
  process.stdout.on('error', () => process.exit());
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const message = JSON.parse(line);
      if (message.file === undefined) return void children.get(message.id)?.kill(message.signal);
      asked.push(message);
      startNext();
    })
    .on('close', () => process.exit());

  /** Connections come in the order in which they were asked for. */
  function startNext() {
    for (;;) {
      const next = asked[0];
      if (!next || connections.length < next.kinds.filter((kind) => kind === 'pipe').length) return;
      asked.shift();
      start(next);
    }
  }

  function start({ id, file, args, cwd, env, detached, kinds }) {
    const stdio = kinds.map((kind) => (kind === 'pipe' ? connections.shift() : 'ignore'));
    const child = spawn(file, args.slice(1), {
      argv0: args[0],
      cwd,
      detached,
      stdio,
      env: Object.fromEntries(
        env.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
      ),
    });
    children.set(id, child);
    for (const stream of stdio) if (stream !== 'ignore') stream.destroy();
    const end = (code, signal) => {
      if (children.delete(id)) say({ id, code, signal });
    };
    child.on('error', ({ errno }) => end(errno, ''));
    child.on('exit', (code, signal) => end(code ?? 0, signal ?? ''));
  }
}
