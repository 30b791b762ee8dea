#!/usr/bin/env node
"use strict";
function lateBuiltin(load) { return new Proxy({}, { get: (_, name) => load()[name] }); }
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
  mod
));

// src/backlog/work-tree-backlog.ts
var import_node_fs2 = require("node:fs");
var import_node_path2 = require("node:path");

// src/cache.ts
var import_node_fs = require("node:fs");
var import_node_path = require("node:path");

// src/checksum.ts
var import_node_crypto = lateBuiltin(() => require("node:crypto"));
var smallBytesMax = 8192;
function checksum(bytes) {
  return bytes.length <= smallBytesMax ? sumOfWords(bytes) : (0, import_node_crypto.createHash)("sha1").update(bytes).digest("hex");
}
function sumOfWords(bytes) {
  const whole = bytes.length & ~3;
  const words = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + whole));
  let a = 2166136261;
  let b = bytes.length;
  for (let n = 0; n < words.length; n++) {
    a = Math.imul(a ^ words[n], 16777619);
    b = Math.imul(b, 31) + (a >>> 15) + words[n] | 0;
  }
  for (let n = whole; n < bytes.length; n++) a = Math.imul(a ^ bytes[n], 16777619);
  return `${(a >>> 0).toString(16)}-${(b >>> 0).toString(16)}-${bytes.length}`;
}

// src/cache.ts
function openCache(gitDir) {
  const dir = (0, import_node_path.join)(gitDir, "gza", "cache");
  return {
    get(name, key) {
      try {
        return readEntry((0, import_node_fs.readFileSync)((0, import_node_path.join)(dir, name)), key);
      } catch {
        return null;
      }
    },
    put(name, key, text) {
      const scratch = (0, import_node_path.join)(dir, `${name}.${process.pid}.${Math.random().toString(36).slice(2)}`);
      try {
        (0, import_node_fs.mkdirSync)(dir, { recursive: true });
        const bytes = Buffer.from(text);
        (0, import_node_fs.writeFileSync)(scratch, Buffer.concat([Buffer.from(`${checksum(bytes)} ${key}
`), bytes]));
        (0, import_node_fs.renameSync)(scratch, (0, import_node_path.join)(dir, name));
      } catch {
        (0, import_node_fs.rmSync)(scratch, { force: true });
      }
    }
  };
}
function readEntry(bytes, key) {
  const end = bytes.indexOf(10);
  const header = bytes.toString("utf8", 0, Math.max(end, 0));
  const text = bytes.subarray(end + 1);
  return header === `${checksum(text)} ${key}` ? text.toString("utf8") : null;
}

// src/backlog/backlog.ts
var tasksFolder = "tasks";
var backlogFilesMax = 1e5;
var fileBytesMax = 10 * 1024 * 1024;
var backlogBytesMax = 100 * 1024 * 1024;
function isTaskFile(path) {
  return /\.ya?ml$/.test(path) && !isIgnored(path);
}
function isIgnored(path) {
  return path.split("/").some((part) => part.startsWith(".") || part === "node_modules");
}
function linkProblem(path) {
  const mayHoldTasks = (/\.ya?ml$/.test(path) || !/\.[^/]*$/.test(path)) && !isIgnored(path);
  if (!mayHoldTasks && path !== ".project-config.json") return null;
  return fileProblem(
    path,
    "is a symbolic link and was not followed",
    "the file itself, inside the repository"
  );
}
function fileProblem(file, what, expected) {
  return {
    file,
    line: 1,
    column: 1,
    message: `${file} ${what}`,
    expected,
    severity: "error",
    wholeFile: true
  };
}
function misnamedConfig() {
  return fileProblem("gza.yml", "is not read", "gza.yaml: rename the file");
}

// src/core/task.ts
var taskTypes = ["task", "explore", "plan", "implement", "review", "improve"];

// src/backlog/snapshot.ts
function bytesOf(text) {
  const bytes = Buffer.from(text, "base64");
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
}
function integers(text) {
  return new Int32Array(bytesOf(text));
}
function parseSnapshot(text) {
  const end = text.indexOf("\n");
  const stored = JSON.parse(text.slice(0, end));
  const { at, identity, path, hashes, config, problems, milestones } = stored;
  const files = {
    path,
    hashes,
    stamps: new Float64Array(bytesOf(stored.stamps)),
    count: integers(stored.count)
  };
  if (files.count.length !== path.length || files.stamps.length !== path.length * 4)
    throw new Error("not a snapshot");
  let tasks;
  return {
    at,
    identity,
    files,
    get tasks() {
      return tasks ??= tasksOf(JSON.parse(text.slice(end + 1)), files);
    },
    config,
    problems,
    milestones
  };
}
function tasksOf(stored, { path, count }) {
  const { id, title, defaults, defaultsOf } = stored;
  const [line, column, type] = [integers(stored.line), integers(stored.column), integers(stored.type)];
  const result = [];
  for (let index = 0; index < path.length; index++) {
    const shared = defaults[defaultsOf[index] ?? 0];
    const file = path[index];
    for (let left = count[index]; left > 0; left--) {
      const order = result.length;
      const task = {
        id: id[order],
        type: taskTypes[type[order]],
        title: title[order],
        content: ""
      };
      result.push({ task, defaults: shared, file, line: line[order], column: column[order], order });
    }
  }
  for (const [name, column2] of Object.entries(stored.fields)) setField(result, name, column2);
  return result;
}
function setField(tasks, name, { rows, values }) {
  const at = rows === void 0 ? null : integers(rows);
  for (let i = 0; i < values.length; i++) {
    tasks[at ? at[i] : i].task[name] = values[i];
  }
}

// src/backlog/known-snapshot.ts
function knownSnapshot(cache, name, key) {
  const text = cache.get(name, key);
  if (text === null) return null;
  try {
    return parseSnapshot(text);
  } catch {
    return null;
  }
}

// src/core/natural-order.ts
function naturalOrder(a, b) {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const endA = digitsEnd(a, i);
    const endB = digitsEnd(b, j);
    if (endA > i && endB > j) {
      const order = compareDigits(a.slice(i, endA), b.slice(j, endB));
      if (order !== 0) return order;
      [i, j] = [endA, endB];
    } else {
      const order = a.charCodeAt(i) - b.charCodeAt(j);
      if (order !== 0) return order;
      i++;
      j++;
    }
  }
  const rest = a.length - i - (b.length - j);
  if (rest !== 0) return rest;
  return a === b ? 0 : a < b ? -1 : 1;
}
function digitsEnd(text, from) {
  let end = from;
  while (end < text.length && text.charCodeAt(end) >= 48 && text.charCodeAt(end) <= 57) end++;
  return end;
}
function compareDigits(a, b) {
  const x = a.replace(/^0+/, "");
  const y = b.replace(/^0+/, "");
  if (x.length !== y.length) return x.length - y.length;
  return x === y ? 0 : x < y ? -1 : 1;
}

// src/backlog/decode-text.ts
var import_node_util = require("node:util");
var utf8 = new import_node_util.TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

// src/backlog/read-backlog.ts
function backlogRead(snapshot, listing) {
  return {
    config: snapshot.config,
    get tasks() {
      return snapshot.tasks;
    },
    get milestones() {
      return milestonesOf(snapshot);
    },
    problems: [...listing.problems, ...snapshot.problems],
    get identity() {
      return identityOf(snapshot, listing);
    }
  };
}
function identityOf({ identity }, { problems }) {
  return problems.length === 0 ? identity : JSON.stringify([identity, problems]);
}
function milestonesOf({ config, tasks, milestones }) {
  const described = /* @__PURE__ */ new Map();
  for (const one of Object.values(milestones).flat())
    described.set(one.id, { ...described.get(one.id), ...one });
  const ids = new Set(described.keys());
  for (const { task } of tasks) if (task.milestone !== void 0) ids.add(task.milestone);
  const ordered = config.milestones.map((one) => ({ ...described.get(one.id), ...one }));
  for (const { id } of ordered) ids.delete(id);
  return [...ordered, ...[...ids].sort(naturalOrder).map((id) => described.get(id) ?? { id })];
}

// src/version.ts
var version = false ? "source" : "0.1.0";

// src/backlog/snapshot-key.ts
var snapshotFormat = 3;
function snapshotKey(place) {
  return JSON.stringify([snapshotFormat, version, place]);
}

// src/backlog/work-tree-backlog.ts
var racyMs = 2e3;
var depthMax = 32;
var filesCacheName = "backlog-files";
function keyOf(root) {
  return snapshotKey(`work tree ${root}`);
}
function isUnchanged(known, { files }) {
  return files.length === known.files.path.length && files.every((file) => file.known !== void 0);
}
function unchangedBacklog(root, cache) {
  const known = knownSnapshot(cache, filesCacheName, keyOf(root));
  const listing = known && listWorkTree(root, known);
  return listing && isUnchanged(known, listing) ? backlogRead(known, listing) : null;
}
function listWorkTree(root, known) {
  const fromHere = (0, import_node_path2.relative)(process.cwd(), root);
  const prefix = fromHere === "" ? "" : fromHere.startsWith("..") ? `${root}/` : `${fromHere}/`;
  const walk = new Walk(prefix, known);
  for (const name of ["gza.yaml", ".project-config.json"]) walk.file(name);
  walk.folder(tasksFolder, 0);
  if ((0, import_node_fs2.lstatSync)(`${prefix}gza.yml`, { throwIfNoEntry: false })) walk.problems.push(misnamedConfig());
  return walk;
}
var Walk = class {
  files = [];
  problems = [];
  #prefix;
  #known;
  #index;
  #bytes = 0;
  constructor(prefix, known) {
    this.#prefix = prefix;
    this.#known = known;
    this.#index = /* @__PURE__ */ new Map();
    const paths = known?.files.path ?? [];
    for (let index = 0; index < paths.length; index++) this.#index.set(paths[index], index);
  }
  folder(path, depth) {
    const stats = (0, import_node_fs2.lstatSync)(this.#prefix + path, { throwIfNoEntry: false });
    if (stats) this.#entry(path, stats, depth);
  }
  file(path) {
    const stats = (0, import_node_fs2.lstatSync)(this.#prefix + path, { throwIfNoEntry: false });
    if (!stats) return;
    if (stats.isFile()) this.#add(path, stats);
    else this.#refuse(path, stats);
  }
  #entry(path, stats, depth) {
    if (stats.isDirectory()) this.#names(path, depth);
    else if (stats.isFile()) {
      if (this.#index.has(path) || isTaskFile(path)) this.#add(path, stats);
    } else this.#refuse(path, stats);
  }
  #names(path, depth) {
    if (depth > depthMax) {
      this.problems.push(fileProblem(path, "is nested too deeply", `at most ${depthMax} folders`));
      return;
    }
    const names = (0, import_node_fs2.readdirSync)(this.#prefix + path);
    if (depth > 0 && names.includes(".git")) {
      this.problems.push(
        fileProblem(path, "is a repository of its own and was not read", "task files of this one")
      );
      return;
    }
    for (const name of names) {
      const inner = `${path}/${name}`;
      if (!this.#index.has(inner) && isIgnored(name)) continue;
      const stats = (0, import_node_fs2.lstatSync)(this.#prefix + inner, { throwIfNoEntry: false });
      if (stats) this.#entry(inner, stats, depth + 1);
    }
  }
  #add(path, stats) {
    this.#bytes += stats.size;
    if (this.files.length >= backlogFilesMax || this.#bytes > backlogBytesMax) {
      const expected = `at most ${backlogFilesMax} files and ${backlogBytesMax >> 20} MB`;
      if (this.problems.at(-1)?.file !== tasksFolder) {
        this.problems.push(fileProblem(tasksFolder, "holds too much; the rest was not read", expected));
      }
      return;
    }
    const { size, mtimeMs: mtime, ctimeMs: ctime, ino } = stats;
    const index = this.#index.get(path);
    const stamp = { size, mtime, ctime, ino };
    if (index !== void 0 && this.#isSame(index, stats)) this.files.push({ path, stamp, known: index });
    else this.files.push({ path, stamp });
  }
  #isSame(index, { size, mtimeMs, ctimeMs, ino }) {
    const { files, at } = this.#known;
    const first = index * 4;
    const { stamps } = files;
    if (stamps[first] !== size || stamps[first + 1] !== mtimeMs) return false;
    if (stamps[first + 2] !== ctimeMs || stamps[first + 3] !== ino) return false;
    return Math.max(mtimeMs, ctimeMs) < at - racyMs;
  }
  #refuse(path, stats) {
    const problem = stats.isSymbolicLink() ? linkProblem(path) : isTaskFile(path) ? fileProblem(path, "is not a regular file", "a file") : null;
    if (problem) this.problems.push(problem);
  }
};

// src/ledger/namespace-of.ts
function namespaceOf(stateRef = "refs/tasks") {
  return stateRef.replace(/\/+$/, "");
}

// src/core/errors.ts
var GzaError = class extends Error {
  code;
  hint;
  data;
  constructor(code, message, details = {}) {
    super(message, details.cause === void 0 ? void 0 : { cause: details.cause });
    this.name = "GzaError";
    this.code = code;
    this.hint = details.hint;
    this.data = details.data ?? {};
  }
};

// src/git.ts
var import_node_child_process = lateBuiltin(() => require("node:child_process"));
var safeGitArguments = [
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.quotePath=false",
  "-c",
  "gc.auto=0",
  "-c",
  "maintenance.auto=false"
];
function openGit(cwd, { isolated = false } = {}) {
  const env = safeGitEnvironment(isolated);
  const run2 = (args, options = {}) => runGit(cwd, env, args, options);
  return {
    cwd,
    run: run2,
    async text(args, options) {
      const result = await run2(args, options);
      if (result.code !== 0) throw gitFailure(args, result);
      return result.stdout.toString("utf8").replace(/\r?\n$/, "");
    }
  };
}
function gitFailure(args, result) {
  const said = result.stderr.trim().split("\n").slice(-8).join("\n");
  const verb = args.find((arg) => !arg.startsWith("-")) ?? args.join(" ");
  return new GzaError("world", `git ${verb} failed (exit ${result.code}): ${said || "it said nothing"}`, {
    data: { args, exitCode: result.code }
  });
}
function safeGitEnvironment(isolated = false) {
  const env = { ...process.env };
  if (isolated) {
    for (const name of Object.keys(env)) if (name.startsWith("GIT_")) delete env[name];
    env["GIT_CONFIG_GLOBAL"] = "/dev/null";
    env["GIT_CONFIG_NOSYSTEM"] = "1";
  }
  env["LC_ALL"] = "C";
  env["GIT_TERMINAL_PROMPT"] = "0";
  env["GIT_OPTIONAL_LOCKS"] = "0";
  return env;
}
var ownGroup = false;
function runGit(cwd, env, args, { stdin, env: extra, timeoutMs = 12e4, outputBytesMax = 256 << 20, signal }) {
  return new Promise((resolve2, reject) => {
    const child = (0, import_node_child_process.spawn)("git", [...safeGitArguments, ...args], {
      cwd,
      env: extra ? { ...env, ...extra } : env,
      stdio: [stdin === void 0 ? "ignore" : "pipe", "pipe", "pipe"],
      detached: ownGroup,
      ...signal ? { signal } : {}
    });
    const out = [];
    const err = [];
    let bytes = 0;
    let limit = "";
    const stop = (why) => {
      limit ||= why;
      child.kill("SIGKILL");
    };
    const timer = setTimeout(() => stop(`took longer than ${timeoutMs / 1e3} s and was ended`), timeoutMs);
    child.stdout?.on("data", (chunk) => {
      bytes += chunk.length;
      if (bytes > outputBytesMax) stop(`printed more than ${outputBytesMax} bytes and was ended`);
      else out.push(chunk);
    });
    child.stderr?.on("data", (chunk) => {
      if (err.length < 1e3) err.push(chunk);
    });
    child.on("error", (cause) => {
      clearTimeout(timer);
      reject(notStarted(cwd, cause));
    });
    child.on("close", (code, killedBy) => {
      clearTimeout(timer);
      const said = Buffer.concat(err).toString("utf8");
      const why = limit || (killedBy ? `ended by ${killedBy}` : "");
      resolve2({
        code: code ?? -1,
        stdout: Buffer.concat(out),
        stderr: why ? `${said}
${why}`.trim() : said
      });
    });
    if (stdin !== void 0) {
      child.stdin?.on("error", () => {
      });
      child.stdin?.end(stdin);
    }
  });
}
function notStarted(cwd, cause) {
  if (cause.code === "ENOENT") {
    return new GzaError("world", `git could not be started in ${cwd}: not found`, {
      hint: "Install git 2.34 or newer, and check that the folder exists.",
      cause
    });
  }
  return new GzaError("world", `git could not be started in ${cwd}: ${cause.message}`, { cause });
}

// src/ledger/ref-files.ts
var import_node_fs3 = require("node:fs");
var import_node_path3 = require("node:path");
var looseMax = 2e4;
var packedBytesMax = 8 << 20;
function readRefFiles(commonDir, folders, names) {
  const rows = /* @__PURE__ */ new Map();
  try {
    for (const folder of folders) readFolder(commonDir, folder, rows);
    for (const name of names) readLoose(commonDir, name, rows);
    readPacked(commonDir, folders, names, rows);
  } catch (error) {
    if (error instanceof Unusual || error.code) return null;
    throw error;
  }
  return [...rows.values()].sort((a, b) => a.ref < b.ref ? -1 : 1);
}
var Unusual = class extends Error {
};
function readFolder(commonDir, folder, rows, depth = 0) {
  if (depth > 30) throw new Unusual();
  for (const entry of entriesOf((0, import_node_path3.join)(commonDir, folder))) {
    const ref = `${folder}/${entry.name}`;
    if (isStrange(entry.name)) throw new Unusual();
    if (entry.isDirectory()) readFolder(commonDir, ref, rows, depth + 1);
    else if (!entry.isFile()) throw new Unusual();
    else if (!entry.name.endsWith(".lock")) readLoose(commonDir, ref, rows);
    if (rows.get(ref)?.target) throw new Unusual();
    if (rows.size > looseMax) throw new Unusual();
  }
}
function isStrange(name) {
  return name.includes("\uFFFD") || process.platform === "darwin" && /[^ -~]/.test(name);
}
function entriesOf(dir) {
  try {
    return (0, import_node_fs3.readdirSync)(dir, { withFileTypes: true });
  } catch (cause) {
    if (isMissing(cause)) return [];
    throw cause;
  }
}
function readLoose(commonDir, ref, rows) {
  let text;
  try {
    text = (0, import_node_fs3.readFileSync)((0, import_node_path3.join)(commonDir, ref), "latin1").trim();
  } catch (cause) {
    if (isMissing(cause)) return;
    throw cause;
  }
  const target = /^ref: (\S+)$/.exec(text)?.[1] ?? "";
  if (target === "" && !isHash(text)) throw new Unusual();
  rows.set(ref, { ref, oid: target ? "" : text, target });
}
function readPacked(commonDir, folders, names, rows) {
  let bytes;
  try {
    bytes = (0, import_node_fs3.readFileSync)((0, import_node_path3.join)(commonDir, "packed-refs"));
  } catch (cause) {
    if (isMissing(cause)) return;
    throw cause;
  }
  if (bytes.length > packedBytesMax) throw new Unusual();
  const exact = new Set(names);
  for (const line of bytes.toString("utf8").split("\n")) {
    const space = line.indexOf(" ");
    const ref = line.slice(space + 1);
    if (rows.has(ref) || !(exact.has(ref) || folders.some((folder) => ref.startsWith(`${folder}/`))))
      continue;
    const oid = line.slice(0, space);
    if (isHash(oid)) rows.set(ref, { ref, oid, target: "" });
  }
}
function isHash(text) {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
function isMissing(cause) {
  const { code } = cause;
  return code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR";
}

// src/ledger/read-refs.ts
var localMirror = "refs/gza/local/";
var refsMax = 2e5;
async function readRefs(repository, namespace, base) {
  const folders = [namespace, localMirror.slice(0, -1)];
  const names = ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"];
  const fromFiles = repository.unusualRefs ? null : readRefFiles(repository.commonDir, folders, names);
  const rows = fromFiles ?? await listRefs(repository.git, [...folders, ...names]);
  const tips = /* @__PURE__ */ new Map();
  const mirrors = /* @__PURE__ */ new Map();
  let originHead;
  const heads = /* @__PURE__ */ new Set();
  for (const { ref, oid, target } of rows) {
    if (ref.startsWith(`${namespace}/`)) tips.set(ref.slice(namespace.length + 1), oid);
    else if (ref.startsWith(localMirror)) mirrors.set(ref.slice(localMirror.length), oid);
    else if (ref === "refs/remotes/origin/HEAD") originHead = target.replace(/^refs\/remotes\/origin\//, "");
    else heads.add(ref.replace("refs/heads/", ""));
  }
  const custom = heads.has("main") ? "main" : heads.has("master") ? "master" : void 0;
  const known = base ?? (originHead || void 0) ?? custom;
  return { tips, mirrors, base: known ?? repository.head.branch ?? "main", guessed: known === void 0 };
}
async function listRefs(git, patterns) {
  const args = [
    "for-each-ref",
    "--format=%(objectname) %(refname) %(symref)",
    `--count=${refsMax}`,
    ...patterns
  ];
  const result = await git.run(args);
  if (result.code !== 0) throw unreadableRepository(result.stderr) ?? gitFailure(args, result);
  const rows = [];
  for (const line of result.stdout.toString("utf8").split("\n")) {
    const [oid = "", ref = "", target = ""] = line.split(" ");
    if (ref) rows.push({ ref, oid, target });
  }
  return rows;
}
function unreadableRepository(said) {
  if (!/dubious ownership/.test(said)) return null;
  return new GzaError("world", "git refuses to read this repository: it belongs to another user", {
    hint: said.match(/git config --global .*/)?.[0] ?? "See safe.directory in `git help config`."
  });
}

// src/ledger/repository.ts
var import_node_fs4 = require("node:fs");
var import_node_path4 = require("node:path");
async function openRepository(cwd) {
  const found = locate((0, import_node_path4.resolve)(cwd));
  const commonDir = commonDirOf(found.gitDir);
  const config = readText((0, import_node_path4.join)(commonDir, "config")) ?? "";
  const git = openGit(cwd);
  const bare = found.workTree === null;
  return {
    git,
    gitDir: found.gitDir,
    commonDir,
    workTree: found.workTree,
    bare,
    head: await headOf(found.gitDir, git),
    objectFormat: /^\s*objectformat\s*=\s*sha256\s*$/im.test(config) ? "sha256" : "sha1",
    objectsDir: (0, import_node_path4.resolve)(cwd, process.env["GIT_OBJECT_DIRECTORY"] ?? (0, import_node_path4.join)(commonDir, "objects")),
    unusualRefs: /^\s*refstorage\s*=\s*(?!files\s*$)/im.test(config)
  };
}
function locate(cwd) {
  const fromEnvironment = process.env["GIT_DIR"];
  if (fromEnvironment) {
    const gitDir = (0, import_node_path4.resolve)(cwd, fromEnvironment);
    if (!isGitDir(gitDir)) throw notARepository(cwd, `GIT_DIR names ${gitDir}, which is no repository`);
    const tree = process.env["GIT_WORK_TREE"];
    return { gitDir: real(gitDir), workTree: tree ? (0, import_node_path4.resolve)(cwd, tree) : isBare(gitDir) ? null : cwd };
  }
  if (!(0, import_node_fs4.existsSync)(cwd)) throw notARepository(cwd, `${cwd} does not exist`);
  for (let dir = real(cwd), steps = 0; steps < 500; dir = (0, import_node_path4.dirname)(dir), steps++) {
    const found = locateIn(dir);
    if (found) return found;
    if ((0, import_node_path4.dirname)(dir) === dir) break;
  }
  throw notARepository(cwd, `neither ${cwd} nor a folder above it is a git repository`);
}
function locateIn(dir) {
  const dotGit = (0, import_node_path4.join)(dir, ".git");
  const kind = (0, import_node_fs4.statSync)(dotGit, { throwIfNoEntry: false });
  if (kind?.isDirectory() && isGitDir(dotGit)) return { gitDir: dotGit, workTree: dir };
  if (kind?.isFile()) {
    const target = /^gitdir: (.+?)\s*$/.exec(readText(dotGit) ?? "")?.[1];
    if (target && isGitDir((0, import_node_path4.resolve)(dir, target))) return { gitDir: (0, import_node_path4.resolve)(dir, target), workTree: dir };
    throw notARepository(dir, `${dotGit} points to a repository that is not there`);
  }
  if (!isGitDir(dir)) return null;
  return (0, import_node_path4.basename)(dir) === ".git" && !isBare(dir) ? { gitDir: dir, workTree: (0, import_node_path4.dirname)(dir) } : { gitDir: dir, workTree: null };
}
function isGitDir(dir) {
  if (!(0, import_node_fs4.existsSync)((0, import_node_path4.join)(dir, "HEAD"))) return false;
  return (0, import_node_fs4.existsSync)((0, import_node_path4.join)(dir, "commondir")) || (0, import_node_fs4.existsSync)((0, import_node_path4.join)(dir, "objects")) && (0, import_node_fs4.existsSync)((0, import_node_path4.join)(dir, "refs"));
}
function isBare(gitDir) {
  return /^\s*bare\s*=\s*true\s*$/im.test(readText((0, import_node_path4.join)(gitDir, "config")) ?? "");
}
function commonDirOf(gitDir) {
  const override = process.env["GIT_COMMON_DIR"];
  if (override) return (0, import_node_path4.resolve)(override);
  const other = readText((0, import_node_path4.join)(gitDir, "commondir"))?.trim();
  if (!other) return gitDir;
  return (0, import_node_path4.isAbsolute)(other) ? other : (0, import_node_path4.resolve)(gitDir, other);
}
async function headOf(gitDir, git) {
  const head = readText((0, import_node_path4.join)(gitDir, "HEAD"))?.trim() ?? "";
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  if (branch !== void 0 && branch !== ".invalid") return { branch, detached: false };
  if (/^[0-9a-f]{40,64}$/.test(head)) return { branch: null, detached: true };
  const asked = await git.run(["symbolic-ref", "-q", "--short", "HEAD"]);
  const name = asked.stdout.toString("utf8").trim();
  return asked.code === 0 && name ? { branch: name, detached: false } : { branch: null, detached: true };
}
function readText(path) {
  try {
    return (0, import_node_fs4.readFileSync)(path, "utf8");
  } catch {
    return null;
  }
}
function real(path) {
  try {
    return (0, import_node_fs4.realpathSync)(path);
  } catch {
    return path;
  }
}
function notARepository(cwd, what) {
  return new GzaError("input", `gza works in a git repository: ${what}`, {
    hint: "Run it inside your project, or run `git init` there first.",
    data: { cwd }
  });
}

// src/kept-answer.ts
var format = 1;
var verbs = ["ready", "next"];
function stateOf({ workTree, head }, { config, identity }, refs) {
  const { tips, mirrors, base, guessed } = refs;
  const ledgers = [config.state_ref, guessed ? [head.branch] : base, [...tips], [...mirrors]];
  return JSON.stringify([format, version, workTree, identity, ledgers]);
}
async function keptAnswer(words, { cwd, now }) {
  const [verb = ""] = words;
  if (!verbs.includes(verb)) return null;
  try {
    const repository = await openRepository(cwd);
    if (repository.workTree === null) return null;
    const cache = openCache(repository.commonDir);
    const read = unchangedBacklog(repository.workTree, cache);
    if (!read) return null;
    const { state_ref, base } = read.config;
    const refs = await readRefs(repository, namespaceOf(state_ref), base);
    const text = cache.get(nameOf(verb), keyOf2(words, stateOf(repository, read, refs)));
    const kept = text === null ? null : JSON.parse(text);
    const isOver = kept?.until != null && kept.until <= now;
    return kept === null || isOver ? null : kept.text;
  } catch {
    return null;
  }
}
function nameOf(verb) {
  return `answer-${verb}`;
}
function keyOf2(words, state) {
  return JSON.stringify([words, state]);
}

// src/print.ts
var import_node_fs5 = require("node:fs");
async function print(descriptor, text) {
  const bytes = Buffer.from(text);
  let at = 0;
  while (at < bytes.length) {
    try {
      at += (0, import_node_fs5.writeSync)(descriptor, bytes, at);
    } catch (error) {
      const { code } = error;
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw unwritten(error);
      return throughStream(descriptor === 1 ? process.stdout : process.stderr, bytes.subarray(at));
    }
  }
}
function throughStream(stream, bytes) {
  return new Promise((resolve2, reject) => {
    stream.on(
      "error",
      (error) => error.code === "EPIPE" ? resolve2() : reject(unwritten(error))
    );
    stream.write(bytes, () => resolve2());
  });
}
function unwritten(cause) {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new GzaError("world", `the output could not be written: ${why}`, { cause });
}

// src/cli.ts
async function run(words) {
  const isVersion = words[0] === "--version" && words.length === 1;
  const answer = isVersion ? `gza ${version}
` : await answerHere(words);
  if (answer === null) return (await Promise.resolve().then(() => __toESM(require("./main.js"), 1))).main(words);
  await print(1, answer);
  return 0;
}
function answerHere(words) {
  try {
    return keptAnswer(words, { cwd: process.cwd(), now: (/* @__PURE__ */ new Date()).toISOString() });
  } catch {
    return Promise.resolve(null);
  }
}
async function start() {
  process.exitCode = await run(process.argv.slice(2));
}
void start();
