"use strict";
function lateBuiltin(load) { return new Proxy({}, { get: (_, name) => load()[name] }); }
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __esm = (fn, res, err) => function __init() {
  if (err) throw err[0];
  try {
    return fn && (res = (0, fn[__getOwnPropNames(fn)[0]])(fn = 0)), res;
  } catch (e) {
    throw err = [e], e;
  }
};
var __export = (target, all) => {
  for (var name2 in all)
    __defProp(target, name2, { get: all[name2], enumerable: true });
};
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
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// src/core/errors.ts
function isGzaError(error) {
  return error instanceof Error && error.name === "GzaError";
}
function exitCode(error) {
  if (!isGzaError(error)) return 1;
  switch (error.code) {
    case "usage":
    case "input":
    case "refused":
      return 2;
    case "blocked":
    case "lost":
      return 3;
    case "world":
      return 1;
  }
}
var GzaError;
var init_errors = __esm({
  "src/core/errors.ts"() {
    "use strict";
    GzaError = class extends Error {
      code;
      hint;
      data;
      constructor(code2, message, details = {}) {
        super(message, details.cause === void 0 ? void 0 : { cause: details.cause });
        this.name = "GzaError";
        this.code = code2;
        this.hint = details.hint;
        this.data = details.data ?? {};
      }
    };
  }
});

// src/core/one-line.ts
function oneLine(text3, columnsMax) {
  const line3 = text3.slice(0, columnsMax * 8).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim();
  if (line3.length < columnsMax || displayWidth(line3) <= columnsMax) return line3;
  let [cut, width] = ["", 0];
  for (const character of line3) {
    width += displayWidth(character);
    if (width >= columnsMax) break;
    cut += character;
  }
  return `${cut.trimEnd()}\u2026`;
}
function displayWidth(text3) {
  if (/^[\u0020-\u007e]*$/.test(text3)) return text3.length;
  let width = 0;
  for (const character of text3) {
    if (new RegExp("\\p{Mn}|\\p{Me}|\\p{Cf}", "u").test(character)) continue;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}
var wide;
var init_one_line = __esm({
  "src/core/one-line.ts"() {
    "use strict";
    wide = new RegExp("[\\u1100-\\u115f\\u2e80-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f\\uff00-\\uff60\\uffe0-\\uffe6]|[\\u{20000}-\\u{3fffd}]|\\p{Emoji_Presentation}", "u");
  }
});

// src/core/text/task-line.ts
function mark(view, style) {
  switch (view.status) {
    case "completed":
      return style.green("\u2713");
    case "skipped":
      return style.dim("\u2013");
    case "failed":
      return style.red("\u2717");
    case "in_progress":
      return style.blue("\u2192");
    case "blocked":
    case "pending":
      return "\u25CB";
  }
}
function taskLines(views, options) {
  const heads = views.map(
    (view) => `${view.id}. ${options.showType ? `${view.task.type} ` : ""}${shorten(view.task.title)}`
  );
  const width = Math.min(Math.max(0, ...heads.map(displayWidth)), idWidthMax + titleWidthMax);
  return views.map((view, at) => {
    const head2 = heads[at];
    const gap = " ".repeat(Math.max(0, width - displayWidth(head2)));
    return `${mark(view, options.style)} ${head2}${gap}  ${stateText(view, options)}`.trimEnd();
  });
}
function stateText(view, { style, cyclesMax: cyclesMax2 }) {
  switch (view.status) {
    case "completed":
      return `completed  ${verdictText(view) || dayText(view.record?.closed_at)}`.trimEnd();
    case "failed":
      return style.red("failed") + reason(view.record?.error ?? view.record?.closed_reason);
    case "skipped":
      return `skipped${view.record?.closed_as === "dropped" ? ` (dropped${inner(view.record.closed_reason)})` : reason(view.record?.closed_reason)}`;
    case "in_progress":
      return `${style.blue("in_progress")}${cycleText(view, cyclesMax2)}`;
    case "pending":
      return `pending${view.task.assigned_agent ? style.dim(` @${view.task.assigned_agent}`) : ""}`;
    case "blocked":
      return `pending ${style.yellow(`(${blockedText(view)})`)}`;
  }
}
function blockedText(view) {
  const texts2 = view.blockers.map((blocker) => blocker.text);
  if (texts2.length === 0) return "blocked by its children";
  const more = texts2.length > blockersShownMax ? ` and ${texts2.length - blockersShownMax} more` : "";
  return `blocked by ${texts2.slice(0, blockersShownMax).join(", ")}${more}`;
}
function verdictText(view) {
  const { record } = view;
  if (!record?.final_verdict) return "";
  const cycles = record.review_cycle ?? 0;
  const reviewed = view.task.type === "review" || cycles === 0;
  return record.final_verdict + (reviewed ? "" : ` (${cycles} ${cycles === 1 ? "cycle" : "cycles"})`);
}
function cycleText(view, cyclesMax2) {
  const cycle = view.record?.review_cycle ?? 0;
  return cycle > 0 ? ` (cycle ${cycle}/${Math.max(cycle, cyclesMax2(view))})` : "";
}
function dayText(iso) {
  return iso ? `${iso.slice(5, 7)}/${iso.slice(8, 10)}` : "";
}
function reason(text3) {
  const line3 = text3?.split("\n")[0]?.trim();
  return line3 ? ` (${shorten(line3)})` : "";
}
function inner(text3) {
  return text3 ? `: ${shorten(text3)}` : "";
}
function shorten(text3, columnsMax = titleWidthMax) {
  return oneLine(text3, columnsMax);
}
var idWidthMax, titleWidthMax, blockersShownMax;
var init_task_line = __esm({
  "src/core/text/task-line.ts"() {
    "use strict";
    init_one_line();
    idWidthMax = 24;
    titleWidthMax = 60;
    blockersShownMax = 3;
  }
});

// src/core/title.ts
function titleOf(content) {
  const lines = content.split(lineBreak).map((line4) => line4.replace(/^\s*#+\s+/, "").trim());
  const line3 = lines.find((one) => one !== "") ?? "";
  const characters = [...line3];
  if (characters.length <= titleCharactersMax) return line3;
  const cut = characters.slice(0, titleCharactersMax - 1).join("");
  return `${cut.trimEnd()}\u2026`;
}
var titleCharactersMax, lineBreak;
var init_title = __esm({
  "src/core/title.ts"() {
    "use strict";
    titleCharactersMax = 80;
    lineBreak = /[\n\r\v\f\u0085\u2028\u2029]/;
  }
});

// src/core/record.ts
function isDefined(record) {
  return record.file === void 0 || record.started_at !== void 0 || record.closed_at !== void 0;
}
var stepNames, stepOutcomes, stepsKeptMax, closings;
var init_record = __esm({
  "src/core/record.ts"() {
    "use strict";
    stepNames = ["plan", "explore", "implement", "review", "improve"];
    stepOutcomes = [
      "ok",
      "failed",
      "slice",
      "limit",
      "blocked",
      "no-verdict",
      "cancelled",
      "lost"
    ];
    stepsKeptMax = 40;
    closings = ["done", "skipped", "dropped", "failed", "split"];
  }
});

// src/core/task-json.ts
function taskRow(view) {
  const { task, record, claim: claim2 } = view;
  return {
    id: view.id,
    type: task.type,
    title: task.title,
    status: view.status,
    group: task.group ?? null,
    milestone: task.milestone ?? null,
    priority: task.priority ?? null,
    depends_on: task.depends_on ?? [],
    blocked_by: view.blockers.flatMap((blocker) => blocker.id === void 0 ? [] : [blocker.id]),
    blocked_reasons: view.blockers.map((blocker) => blocker.text),
    parent: task.parent ?? null,
    branch: branchOf(view),
    assigned_agent: task.assigned_agent ?? null,
    claimed_by: claim2?.holder ?? null,
    claimed_until: claim2?.until ?? null,
    review_cycle: record?.review_cycle ?? 0,
    final_verdict: record?.final_verdict ?? null,
    created_at: record?.created_at ?? null,
    closed_at: record?.closed_at ?? null,
    closed_commit: record?.closed_commit ?? null,
    tags: task.tags ?? []
  };
}
function branchOf(view) {
  return view.record?.lane?.branch ?? view.task.branch ?? null;
}
function taskJson(view, settings2) {
  const { task, record } = view;
  return {
    ...taskRow(view),
    content: task.content,
    user_story: task.user_story ?? null,
    acceptance_criteria: task.acceptance_criteria ?? [],
    files_to_create: task.files_to_create ?? [],
    files_to_modify: task.files_to_modify ?? [],
    test_files: task.test_files ?? [],
    dependencies: task.depends_on ?? [],
    after: task.depends_on?.[0] ?? null,
    milestone_id: task.milestone ?? null,
    estimated_complexity: task.estimated_complexity ?? null,
    same_branch: task.same_branch ?? false,
    plan_file: task.plan_file ?? null,
    project: task.project ?? null,
    linear_issue_id: task.linear_issue_id ?? null,
    file: view.file ?? null,
    file_changed: view.changed ?? false,
    created_by: record?.created_by ?? null,
    started_at: record?.started_at ?? null,
    closed_as: record?.closed_as ?? null,
    closed_reason: record?.closed_reason ?? null,
    notes: record?.notes ?? [],
    implementation_notes: record?.implementation_notes ?? null,
    attempts: record?.attempts ?? 0,
    error: record?.error ?? null,
    stop: record?.stop ?? null,
    approved_at: record?.approved_at ?? null,
    approved_by: record?.approved_by ?? null,
    lane: record?.lane ?? null,
    pull_request: record?.pull_request ?? null,
    steps: record?.steps ?? [],
    cost_usd: record?.cost_usd ?? 0,
    input_tokens: record?.input_tokens ?? 0,
    output_tokens: record?.output_tokens ?? 0,
    seconds: record?.seconds ?? 0,
    children: view.children,
    ...settings2
  };
}
var init_task_json = __esm({
  "src/core/task-json.ts"() {
    "use strict";
  }
});

// src/commands/actor.ts
function agentName(ports) {
  return ports.env["GZA_AGENT"] || ports.env["ZAGI_AGENT"] || void 0;
}
var init_actor = __esm({
  "src/commands/actor.ts"() {
    "use strict";
  }
});

// src/checksum.ts
function checksum(bytes) {
  return bytes.length <= smallBytesMax ? sumOfWords(bytes) : (0, import_node_crypto.createHash)("sha1").update(bytes).digest("hex");
}
function sumOfWords(bytes) {
  const whole = bytes.length & ~3;
  const words4 = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + whole));
  let a = 2166136261;
  let b = bytes.length;
  for (let n = 0; n < words4.length; n++) {
    a = Math.imul(a ^ words4[n], 16777619);
    b = Math.imul(b, 31) + (a >>> 15) + words4[n] | 0;
  }
  for (let n = whole; n < bytes.length; n++) a = Math.imul(a ^ bytes[n], 16777619);
  return `${(a >>> 0).toString(16)}-${(b >>> 0).toString(16)}-${bytes.length}`;
}
var import_node_crypto, smallBytesMax;
var init_checksum = __esm({
  "src/checksum.ts"() {
    "use strict";
    import_node_crypto = lateBuiltin(() => require("node:crypto"));
    smallBytesMax = 8192;
  }
});

// src/cache.ts
function openCache(gitDir) {
  const dir = (0, import_node_path.join)(gitDir, "gza", "cache");
  return {
    get(name2, key) {
      try {
        return readEntry((0, import_node_fs.readFileSync)((0, import_node_path.join)(dir, name2)), key);
      } catch {
        return null;
      }
    },
    put(name2, key, text3) {
      const scratch = (0, import_node_path.join)(dir, `${name2}.${process.pid}.${Math.random().toString(36).slice(2)}`);
      try {
        (0, import_node_fs.mkdirSync)(dir, { recursive: true });
        const bytes = Buffer.from(text3);
        (0, import_node_fs.writeFileSync)(scratch, Buffer.concat([Buffer.from(`${checksum(bytes)} ${key}
`), bytes]));
        (0, import_node_fs.renameSync)(scratch, (0, import_node_path.join)(dir, name2));
      } catch {
        (0, import_node_fs.rmSync)(scratch, { force: true });
      }
    }
  };
}
function readEntry(bytes, key) {
  const end = bytes.indexOf(10);
  const header = bytes.toString("utf8", 0, Math.max(end, 0));
  const text3 = bytes.subarray(end + 1);
  return header === `${checksum(text3)} ${key}` ? text3.toString("utf8") : null;
}
var import_node_fs, import_node_path, noCache;
var init_cache = __esm({
  "src/cache.ts"() {
    "use strict";
    import_node_fs = require("node:fs");
    import_node_path = require("node:path");
    init_checksum();
    noCache = { get: () => null, put: () => {
    } };
  }
});

// src/git.ts
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
  const said2 = result.stderr.trim().split("\n").slice(-8).join("\n");
  const verb = args.find((arg) => !arg.startsWith("-")) ?? args.join(" ");
  return new GzaError("world", `git ${verb} failed (exit ${result.code}): ${said2 || "it said nothing"}`, {
    data: { args, exitCode: result.code }
  });
}
function safeGitEnvironment(isolated = false) {
  const env = { ...process.env };
  if (isolated) {
    for (const name2 of Object.keys(env)) if (name2.startsWith("GIT_")) delete env[name2];
    env["GIT_CONFIG_GLOBAL"] = "/dev/null";
    env["GIT_CONFIG_NOSYSTEM"] = "1";
  }
  env["LC_ALL"] = "C";
  env["GIT_TERMINAL_PROMPT"] = "0";
  env["GIT_OPTIONAL_LOCKS"] = "0";
  return env;
}
function isKeptFromInterrupts() {
  return ownGroup;
}
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
    child.on("close", (code2, killedBy) => {
      clearTimeout(timer);
      const said2 = Buffer.concat(err).toString("utf8");
      const why = limit || (killedBy ? `ended by ${killedBy}` : "");
      resolve2({
        code: code2 ?? -1,
        stdout: Buffer.concat(out),
        stderr: why ? `${said2}
${why}`.trim() : said2
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
var import_node_child_process, safeGitArguments, ownGroup;
var init_git = __esm({
  "src/git.ts"() {
    "use strict";
    import_node_child_process = lateBuiltin(() => require("node:child_process"));
    init_errors();
    safeGitArguments = [
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
    ownGroup = false;
  }
});

// src/backlog/backlog.ts
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
function fileProblem(file, what, expected2) {
  return {
    file,
    line: 1,
    column: 1,
    message: `${file} ${what}`,
    expected: expected2,
    severity: "error",
    wholeFile: true
  };
}
function misnamedConfig() {
  return fileProblem("gza.yml", "is not read", "gza.yaml: rename the file");
}
var tasksFolder, backlogFilesMax, fileBytesMax, backlogBytesMax;
var init_backlog = __esm({
  "src/backlog/backlog.ts"() {
    "use strict";
    tasksFolder = "tasks";
    backlogFilesMax = 1e5;
    fileBytesMax = 10 * 1024 * 1024;
    backlogBytesMax = 100 * 1024 * 1024;
  }
});

// src/core/task.ts
var taskTypes, priorities, complexities;
var init_task = __esm({
  "src/core/task.ts"() {
    "use strict";
    taskTypes = ["task", "explore", "plan", "implement", "review", "improve"];
    priorities = ["critical", "high", "medium", "low"];
    complexities = ["low", "medium", "high"];
  }
});

// src/backlog/snapshot.ts
function hashAt({ hashes }, index) {
  return hashes.slice(index * hashLength, (index + 1) * hashLength);
}
function stampsOf(stamps) {
  return Float64Array.from(stamps.flatMap(({ size, mtime, ctime, ino }) => [size, mtime, ctime, ino]));
}
function printSnapshot(snapshot) {
  const { at, identity, files, tasks, config, problems, milestones } = snapshot;
  const storedFiles = {
    at,
    identity,
    path: files.path,
    hashes: files.hashes,
    stamps: base64(files.stamps),
    count: base64(Int32Array.from(files.count)),
    config,
    problems,
    milestones
  };
  const stored = {
    line: base64(Int32Array.from(tasks, ({ line: line3 }) => line3)),
    column: base64(Int32Array.from(tasks, ({ column }) => column)),
    type: base64(Int32Array.from(tasks, ({ task }) => taskTypes.indexOf(task.type))),
    id: tasks.map(({ task }) => task.id),
    title: tasks.map(({ task }) => task.title),
    fields: {},
    ...defaultsOf(snapshot)
  };
  for (const name2 of fieldNames(tasks)) {
    stored.fields[name2] = columnOf(tasks.map(({ task }) => task[name2]));
  }
  return `${JSON.stringify(storedFiles)}
${JSON.stringify(stored)}`;
}
function filesOfSnapshot(text3) {
  return text3.slice(0, text3.indexOf("\n") + 1);
}
function base64({ buffer, byteOffset, byteLength }) {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}
function bytesOf(text3) {
  const bytes = Buffer.from(text3, "base64");
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
}
function integers(text3) {
  return new Int32Array(bytesOf(text3));
}
function fieldNames(tasks) {
  const names = /* @__PURE__ */ new Set();
  for (const { task } of tasks) for (const name2 in task) names.add(name2);
  for (const name2 of ["id", "title", "type", "content"]) names.delete(name2);
  return [...names].sort();
}
function columnOf(all) {
  const rows = [];
  for (const [row, value] of all.entries()) if (value !== void 0) rows.push(row);
  if (rows.length === all.length) return { values: [...all] };
  return { rows: base64(Int32Array.from(rows)), values: rows.map((row) => all[row]) };
}
function defaultsOf({ files, tasks }) {
  const defaults = [{}];
  const byFile2 = {};
  let first = 0;
  for (let file = 0; file < files.count.length; file++) {
    const count3 = files.count[file];
    const settings2 = tasks[first]?.defaults ?? {};
    if (count3 > 0 && Object.keys(settings2).length > 0) byFile2[file] = defaults.push(settings2) - 1;
    first += count3;
  }
  return { defaults, defaultsOf: byFile2 };
}
function parseSnapshot(text3) {
  const end = text3.indexOf("\n");
  const stored = JSON.parse(text3.slice(0, end));
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
      return tasks ??= tasksOf(JSON.parse(text3.slice(end + 1)), files);
    },
    config,
    problems,
    milestones
  };
}
function tasksOf(stored, { path, count: count3 }) {
  const { id, title, defaults, defaultsOf: defaultsOf2 } = stored;
  const [line3, column, type] = [integers(stored.line), integers(stored.column), integers(stored.type)];
  const result = [];
  for (let index = 0; index < path.length; index++) {
    const shared = defaults[defaultsOf2[index] ?? 0];
    const file = path[index];
    for (let left = count3[index]; left > 0; left--) {
      const order2 = result.length;
      const task = {
        id: id[order2],
        type: taskTypes[type[order2]],
        title: title[order2],
        content: ""
      };
      result.push({ task, defaults: shared, file, line: line3[order2], column: column[order2], order: order2 });
    }
  }
  for (const [name2, column2] of Object.entries(stored.fields)) setField(result, name2, column2);
  return result;
}
function setField(tasks, name2, { rows, values }) {
  const at = rows === void 0 ? null : integers(rows);
  for (let i = 0; i < values.length; i++) {
    tasks[at ? at[i] : i].task[name2] = values[i];
  }
}
var hashLength;
var init_snapshot = __esm({
  "src/backlog/snapshot.ts"() {
    "use strict";
    init_task();
    hashLength = 40;
  }
});

// src/backlog/known-snapshot.ts
function knownSnapshot(cache, name2, key) {
  const text3 = cache.get(name2, key);
  if (text3 === null) return null;
  try {
    return parseSnapshot(text3);
  } catch {
    return null;
  }
}
var init_known_snapshot = __esm({
  "src/backlog/known-snapshot.ts"() {
    "use strict";
    init_snapshot();
  }
});

// src/core/config.ts
var builtInConfig, builtInSettings;
var init_config = __esm({
  "src/core/config.ts"() {
    "use strict";
    builtInConfig = {
      branch_prefix: "gza/",
      state_ref: "refs/tasks",
      defaults: {},
      task_types: {},
      agents: {},
      parallel_workers: 1,
      budget: {},
      prices: {},
      task_size_limits: {
        max_files_to_create: 5,
        max_files_to_modify: 8,
        max_acceptance_criteria: 7,
        max_input_tokens: 6e3,
        max_time_minutes: 5,
        complexity_threshold: 5
      },
      complexity_layers: {},
      milestones: [],
      reviewers: [],
      protected: { paths: [], except: [] },
      agent_tasks: "wait",
      commands: {},
      integrations: { linear: { enabled: false } },
      push: false,
      env: []
    };
    builtInSettings = {
      requires: "completed",
      approval: "none",
      create_review: false,
      auto_review: false,
      max_review_cycles: 3,
      agents: ["claude"],
      timeout_minutes: 60,
      review_timeout_minutes: 10,
      improve_timeout_minutes: 30,
      max_attempts: 3,
      max_slices: 2,
      loop: "none"
    };
  }
});

// src/core/file-task.ts
function withoutLongFields({ task, lines: _lines, ...rest }) {
  const { user_story: _story, acceptance_criteria: _criteria, ...slim } = task;
  return { ...rest, task: { ...slim, content: "" } };
}
var init_file_task = __esm({
  "src/core/file-task.ts"() {
    "use strict";
  }
});

// src/core/natural-order.ts
function naturalOrder(a, b) {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const endA = digitsEnd(a, i);
    const endB = digitsEnd(b, j);
    if (endA > i && endB > j) {
      const order2 = compareDigits(a.slice(i, endA), b.slice(j, endB));
      if (order2 !== 0) return order2;
      [i, j] = [endA, endB];
    } else {
      const order2 = a.charCodeAt(i) - b.charCodeAt(j);
      if (order2 !== 0) return order2;
      i++;
      j++;
    }
  }
  const rest = a.length - i - (b.length - j);
  if (rest !== 0) return rest;
  return a === b ? 0 : a < b ? -1 : 1;
}
function digitsEnd(text3, from) {
  let end = from;
  while (end < text3.length && text3.charCodeAt(end) >= 48 && text3.charCodeAt(end) <= 57) end++;
  return end;
}
function compareDigits(a, b) {
  const x = a.replace(/^0+/, "");
  const y = b.replace(/^0+/, "");
  if (x.length !== y.length) return x.length - y.length;
  return x === y ? 0 : x < y ? -1 : 1;
}
var init_natural_order = __esm({
  "src/core/natural-order.ts"() {
    "use strict";
  }
});

// src/backlog/decode-text.ts
function decodeText(file, bytes) {
  if (bytes[0] === 255 && bytes[1] === 254 || bytes[0] === 254 && bytes[1] === 255) {
    return fileProblem(file, "is UTF-16", "UTF-8: save it with that encoding");
  }
  try {
    return utf8.decode(bytes);
  } catch {
    const good = firstBadByte(bytes);
    const before = bytes.subarray(0, good).toString("latin1").split("\n");
    const found = `the byte 0x${(bytes[good] ?? 0).toString(16).padStart(2, "0")}`;
    const column = (before.at(-1)?.length ?? 0) + 1;
    return {
      ...fileProblem(file, "is not UTF-8", "UTF-8: save it with that encoding"),
      line: before.length,
      column,
      found
    };
  }
}
function firstBadByte(bytes) {
  const again = Buffer.from(bytes.toString("utf8"), "utf8");
  let at = 0;
  while (at < bytes.length && bytes[at] === again[at]) at++;
  return at;
}
var import_node_util, utf8;
var init_decode_text = __esm({
  "src/backlog/decode-text.ts"() {
    "use strict";
    import_node_util = require("node:util");
    init_backlog();
    utf8 = new import_node_util.TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  }
});

// src/backlog/read-backlog.ts
async function readBacklog(listing, known, load2, { at, whole }) {
  const before = new KnownFiles(whole ? null : known);
  const files = [];
  const toLoad = [];
  for (const file of listing.files) {
    const same2 = file.known === void 0 ? null : before.at(file.known, file.stamp);
    if (same2) files.push(same2);
    else toLoad.push(file);
  }
  const stamps = new Map(toLoad.map(({ path, stamp }) => [path, stamp]));
  let parsers;
  for await (const loaded of load2(toLoad)) {
    const stamp = stamps.get(loaded.path);
    const same2 = before.withHash(loaded.path, loaded.hash, stamp);
    if (same2) files.push(same2);
    else {
      parsers ??= await loadParsers();
      files.push(readFile(loaded, stamp, whole, parsers));
    }
  }
  files.sort((a, b) => naturalOrder(a.path, b.path));
  const config = await readConfig(files, before, known, load2, listing);
  return snapshotOf(files, config, at);
}
async function loadParsers() {
  const { parseTaskFile, parseConfig } = await Promise.resolve().then(() => __toESM(require("./lazy.js"), 1));
  return { parseTaskFile, parseConfig };
}
function readFile({ path, hash: hash2, content }, stamp, whole, parsers) {
  const none5 = { path, hash: hash2, stamp, tasks: [], milestones: [] };
  if (configFiles.includes(path)) return { ...none5, problems: [] };
  const bytes = content();
  const text3 = Buffer.isBuffer(bytes) ? decodeText(path, bytes) : bytes;
  if (typeof text3 !== "string") return { ...none5, problems: [text3] };
  const { tasks, milestones, problems } = parsers.parseTaskFile(path, text3);
  return { ...none5, tasks: whole ? tasks : tasks.map(withoutLongFields), milestones, problems };
}
async function readConfig(files, before, known, load2, listing) {
  const here = files.filter(({ path }) => configFiles.includes(path));
  if (known && before.sameHashes(here)) {
    return {
      config: known.config,
      problems: known.problems.filter(({ file }) => configFiles.includes(file))
    };
  }
  if (here.length === 0) return { config: builtInConfig, problems: [] };
  const texts2 = {};
  const problems = [];
  for await (const { path, content } of load2(
    listing.files.filter(({ path: path2 }) => configFiles.includes(path2))
  )) {
    const bytes = content();
    const text3 = Buffer.isBuffer(bytes) ? decodeText(path, bytes) : bytes;
    if (typeof text3 !== "string") problems.push(text3);
    else if (path === "gza.yaml") texts2.gza = text3;
    else texts2.project = text3;
  }
  const { parseConfig } = await loadParsers();
  const read = parseConfig(texts2);
  return { config: read.config, problems: [...problems, ...read.problems] };
}
function firsts(counts) {
  let next2 = 0;
  return Array.from(counts, (count3) => {
    const first = next2;
    next2 += count3;
    return first;
  });
}
function byFile(problems) {
  const groups = /* @__PURE__ */ new Map();
  for (const problem of problems) groups.set(problem.file, [...groups.get(problem.file) ?? [], problem]);
  return groups;
}
function snapshotOf(files, { config, problems }, at) {
  const tasks = files.flatMap(({ tasks: tasks2 }) => tasks2);
  const path = files.map((file) => file.path);
  const hashes = files.map(({ hash: hash2 }) => hash2).join("");
  return {
    at,
    identity: checksum(Buffer.from(JSON.stringify([path, hashes]))),
    files: {
      path,
      stamps: stampsOf(files.map(({ stamp }) => stamp)),
      hashes,
      count: files.map(({ tasks: tasks2 }) => tasks2.length)
    },
    tasks: tasks.map((task, order2) => task.order === order2 ? task : { ...task, order: order2 }),
    config,
    problems: [...problems, ...files.flatMap(({ problems: problems2 }) => problems2)],
    milestones: Object.fromEntries(
      files.filter(({ milestones }) => milestones.length > 0).map(({ path: path2, milestones }) => [path2, milestones])
    )
  };
}
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
var configFiles, KnownFiles;
var init_read_backlog = __esm({
  "src/backlog/read-backlog.ts"() {
    "use strict";
    init_checksum();
    init_config();
    init_file_task();
    init_natural_order();
    init_decode_text();
    init_snapshot();
    configFiles = ["gza.yaml", ".project-config.json"];
    KnownFiles = class {
      #snapshot;
      #index;
      #first;
      #problems;
      constructor(snapshot) {
        this.#snapshot = snapshot;
      }
      at(index, stamp) {
        const snapshot = this.#snapshot;
        if (!snapshot) return null;
        const path = snapshot.files.path[index];
        this.#first ??= firsts(snapshot.files.count);
        this.#problems ??= byFile(snapshot.problems);
        const first = this.#first[index];
        return {
          path,
          stamp,
          hash: hashAt(snapshot.files, index),
          tasks: snapshot.tasks.slice(first, first + snapshot.files.count[index]),
          milestones: snapshot.milestones[path] ?? [],
          problems: configFiles.includes(path) ? [] : this.#problems.get(path) ?? []
        };
      }
      withHash(path, hash2, stamp) {
        if (!this.#snapshot) return null;
        this.#index ??= new Map(this.#snapshot.files.path.map((path2, index2) => [path2, index2]));
        const index = this.#index.get(path);
        return index !== void 0 && hashAt(this.#snapshot.files, index) === hash2 ? this.at(index, stamp) : null;
      }
      /** Whether the configuration was made from exactly these files. */
      sameHashes(here) {
        const files = this.#snapshot?.files;
        if (!files) return false;
        const then = files.path.filter((path) => configFiles.includes(path));
        return then.length === here.length && here.every(({ path, hash: hash2, stamp }) => this.withHash(path, hash2, stamp));
      }
    };
  }
});

// src/version.ts
var version;
var init_version = __esm({
  "src/version.ts"() {
    "use strict";
    version = false ? "source" : "0.1.0";
  }
});

// src/backlog/snapshot-key.ts
function snapshotKey(place) {
  return JSON.stringify([snapshotFormat, version, place]);
}
var snapshotFormat;
var init_snapshot_key = __esm({
  "src/backlog/snapshot-key.ts"() {
    "use strict";
    init_version();
    snapshotFormat = 3;
  }
});

// src/backlog/commit-backlog.ts
function commitBacklog({ git, commit, cache = noCache }) {
  let last;
  const read = async (whole) => {
    const key = snapshotKey("commit");
    const known = whole ? null : knownSnapshot(cache, cacheName, key);
    const tree = await listCommit(git, commit, known);
    const isSame = known !== null && tree.files.length === known.files.path.length;
    if (known && isSame && tree.files.every((file) => file.known !== void 0))
      return backlogRead(known, tree);
    const load2 = (files) => loadBlobs(git, files, tree.blobs);
    const snapshot = await readBacklog(tree, known, load2, { at: 0, whole });
    if (!whole) cache.put(cacheName, key, printSnapshot(snapshot));
    return backlogRead(snapshot, tree);
  };
  return {
    async read({ whole = false } = {}) {
      const result = await read(whole);
      if (!whole) last = result;
      return result;
    },
    async definition(id) {
      last ??= await read(false);
      const known = last.tasks.find(({ task }) => task.id === id);
      if (!known) return null;
      const { blobs } = await listCommit(git, commit, null, known.file);
      for await (const { content } of loadBlobs(git, [{ path: known.file, stamp: noStamp }], blobs)) {
        const bytes = content();
        const { definitionOf } = await Promise.resolve().then(() => __toESM(require("./lazy.js"), 1));
        return Buffer.isBuffer(bytes) ? definitionOf(known, bytes) : null;
      }
      return null;
    }
  };
}
async function listCommit(git, commit, known, only) {
  const paths2 = only ? [only] : [...configFiles2, "gza.yml", tasksFolder];
  const args = ["--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", commit, "--", ...paths2];
  const result = await git.run(args);
  if (result.code !== 0) {
    const failure = gitFailure(args, result);
    throw new GzaError("input", `The tasks of ${commit} cannot be read: ${failure.message}`, {
      cause: failure
    });
  }
  const files = [];
  const problems = [];
  const blobs = /* @__PURE__ */ new Map();
  const index = new Map((known?.files.path ?? []).map((path, at) => [path, at]));
  for (const line3 of result.stdout.toString("utf8").split("\0")) {
    const tab = line3.indexOf("	");
    if (tab < 0) continue;
    const [mode, , id] = line3.slice(0, tab).split(" ");
    const path = line3.slice(tab + 1);
    if (path === "gza.yml") problems.push(misnamedConfig());
    const problem = mode === "120000" ? linkProblem(path) : mode === "160000" ? submodule(path) : null;
    if (problem) problems.push(problem);
    if (!mode.startsWith("100") || !(configFiles2.includes(path) || isTaskFile(path))) continue;
    if (files.length >= backlogFilesMax) break;
    const at = index.get(path);
    blobs.set(path, id);
    const isKnown = known !== null && at !== void 0 && hashAt(known.files, at) === hashOf(id);
    files.push(isKnown ? { path, stamp: noStamp, known: at } : { path, stamp: noStamp });
  }
  if (files.length >= backlogFilesMax) {
    problems.push(
      fileProblem(tasksFolder, "holds too much; the rest was not read", `at most ${backlogFilesMax} files`)
    );
  }
  return { files, problems, blobs };
}
function submodule(path) {
  return path.startsWith(`${tasksFolder}/`) ? fileProblem(path, "is a repository of its own and was not read", "task files of this one") : null;
}
function hashOf(id) {
  return id.slice(0, 40);
}
async function* loadBlobs(git, files, blobs) {
  const wanted = files.flatMap(({ path }) => blobs.has(path) ? [{ path, id: blobs.get(path) }] : []);
  if (wanted.length === 0) return;
  const ids = `${wanted.map(({ id }) => id).join("\n")}
`;
  const sizes = (await git.text(["cat-file", "--batch-check=%(objectsize)"], { stdin: ids })).split("\n").map(Number);
  let batch = [];
  let bytes = 0;
  let total2 = 0;
  for (const [at, one] of wanted.entries()) {
    const size = sizes[at] ?? 0;
    total2 += size;
    const refusal2 = refusalOf(one.path, size, total2);
    if (refusal2) {
      yield { path: one.path, hash: hashOf(one.id), content: () => refusal2 };
      continue;
    }
    batch.push(one);
    bytes += size;
    if (bytes < 32 << 20) continue;
    yield* loadBatch(git, batch);
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield* loadBatch(git, batch);
}
function refusalOf(path, size, total2) {
  if (size > fileBytesMax)
    return fileProblem(path, "is larger than 10 MB", "at most 10 MB; split it into several files");
  if (total2 <= backlogBytesMax) return null;
  return fileProblem(
    path,
    "was not read: the tasks together are too large",
    `at most ${backlogBytesMax >> 20} MB`
  );
}
async function* loadBatch(git, batch) {
  const args = ["cat-file", "--batch"];
  const result = await git.run(args, { stdin: `${batch.map(({ id }) => id).join("\n")}
` });
  if (result.code !== 0) throw gitFailure(args, result);
  let at = 0;
  for (const { path, id } of batch) {
    const end = result.stdout.indexOf(10, at);
    const size = Number(result.stdout.toString("latin1", at, end).split(" ")[2]);
    if (end < 0 || !Number.isInteger(size)) {
      throw new GzaError("world", `git cannot give the content of ${path} (${id})`, {
        hint: "The repository may be a partial clone or damaged: run git fsck."
      });
    }
    const bytes = result.stdout.subarray(end + 1, end + 1 + size);
    yield { path, hash: hashOf(id), content: () => bytes };
    at = end + 1 + size + 1;
  }
}
var cacheName, configFiles2, noStamp;
var init_commit_backlog = __esm({
  "src/backlog/commit-backlog.ts"() {
    "use strict";
    init_cache();
    init_errors();
    init_git();
    init_backlog();
    init_known_snapshot();
    init_read_backlog();
    init_snapshot();
    init_snapshot_key();
    cacheName = "backlog-commit";
    configFiles2 = ["gza.yaml", ".project-config.json"];
    noStamp = { size: 0, mtime: 0, ctime: 0, ino: 0 };
  }
});

// src/backlog/work-tree-backlog.ts
function workTreeBacklog({ root, cache = noCache, now = Date.now }) {
  let last;
  const read = async (whole) => {
    const at = now();
    const key = keyOf(root);
    const known = whole ? null : knownSnapshot(cache, cacheName2, key);
    const listing = listWorkTree(root, known);
    if (known && isUnchanged(known, listing)) return backlogRead(known, listing);
    const load2 = (files) => loadFiles(root, files);
    const snapshot = await readBacklog(listing, known, load2, { at, whole });
    if (!whole) {
      const text3 = printSnapshot(snapshot);
      cache.put(cacheName2, key, text3);
      cache.put(filesCacheName, key, filesOfSnapshot(text3));
    }
    return backlogRead(snapshot, listing);
  };
  return {
    async read({ whole = false } = {}) {
      const result = await read(whole);
      if (!whole) last = result;
      return result;
    },
    async definition(id) {
      const found = last ? await definitionIn(root, last, id) : null;
      if (found) return found;
      last = await read(false);
      return definitionIn(root, last, id);
    }
  };
}
function keyOf(root) {
  return snapshotKey(`work tree ${root}`);
}
function isUnchanged(known, { files }) {
  return files.length === known.files.path.length && files.every((file) => file.known !== void 0);
}
async function definitionIn(root, { tasks }, id) {
  const known = tasks.find(({ task }) => task.id === id);
  if (!known) return null;
  const [loaded] = loadFiles(root, [{ path: known.file, stamp: noStamp2 }]);
  const bytes = loaded?.content();
  if (!Buffer.isBuffer(bytes)) return null;
  const { definitionOf } = await Promise.resolve().then(() => __toESM(require("./lazy.js"), 1));
  return definitionOf(known, bytes);
}
function listWorkTree(root, known) {
  const fromHere = (0, import_node_path2.relative)(process.cwd(), root);
  const prefix = fromHere === "" ? "" : fromHere.startsWith("..") ? `${root}/` : `${fromHere}/`;
  const walk2 = new Walk(prefix, known);
  for (const name2 of ["gza.yaml", ".project-config.json"]) walk2.file(name2);
  walk2.folder(tasksFolder, 0);
  if ((0, import_node_fs2.lstatSync)(`${prefix}gza.yml`, { throwIfNoEntry: false })) walk2.problems.push(misnamedConfig());
  return walk2;
}
function* loadFiles(root, files) {
  for (const { path } of files) {
    const bytes = readRegular(root, path);
    if (bytes === null) continue;
    const hash2 = (0, import_node_crypto2.createHash)("sha1").update(Buffer.isBuffer(bytes) ? bytes : bytes.message).digest("hex");
    yield { path, hash: hash2, content: () => bytes };
  }
}
function readRegular(root, path) {
  let file;
  try {
    file = (0, import_node_fs2.openSync)(`${root}/${path}`, import_node_fs2.constants.O_RDONLY | import_node_fs2.constants.O_NOFOLLOW | import_node_fs2.constants.O_NONBLOCK);
  } catch (error) {
    const { code: code2 } = error;
    return code2 === "ENOENT" ? null : fileProblem(path, `cannot be read (${code2})`, "a file that you may read");
  }
  try {
    const stats = (0, import_node_fs2.fstatSync)(file);
    if (!stats.isFile()) return fileProblem(path, "is not a regular file", "a file");
    if (stats.size > fileBytesMax) {
      return fileProblem(path, "is larger than 10 MB", "at most 10 MB; split it into several files");
    }
    return (0, import_node_fs2.readFileSync)(file);
  } finally {
    (0, import_node_fs2.closeSync)(file);
  }
}
var import_node_crypto2, import_node_fs2, import_node_path2, racyMs, depthMax, cacheName2, filesCacheName, noStamp2, Walk;
var init_work_tree_backlog = __esm({
  "src/backlog/work-tree-backlog.ts"() {
    "use strict";
    import_node_crypto2 = lateBuiltin(() => require("node:crypto"));
    import_node_fs2 = require("node:fs");
    import_node_path2 = require("node:path");
    init_cache();
    init_backlog();
    init_known_snapshot();
    init_read_backlog();
    init_snapshot();
    init_snapshot_key();
    racyMs = 2e3;
    depthMax = 32;
    cacheName2 = "backlog";
    filesCacheName = "backlog-files";
    noStamp2 = { size: 0, mtime: 0, ctime: 0, ino: 0 };
    Walk = class {
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
        const paths2 = known?.files.path ?? [];
        for (let index = 0; index < paths2.length; index++) this.#index.set(paths2[index], index);
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
        for (const name2 of names) {
          const inner2 = `${path}/${name2}`;
          if (!this.#index.has(inner2) && isIgnored(name2)) continue;
          const stats = (0, import_node_fs2.lstatSync)(this.#prefix + inner2, { throwIfNoEntry: false });
          if (stats) this.#entry(inner2, stats, depth + 1);
        }
      }
      #add(path, stats) {
        this.#bytes += stats.size;
        if (this.files.length >= backlogFilesMax || this.#bytes > backlogBytesMax) {
          const expected2 = `at most ${backlogFilesMax} files and ${backlogBytesMax >> 20} MB`;
          if (this.problems.at(-1)?.file !== tasksFolder) {
            this.problems.push(fileProblem(tasksFolder, "holds too much; the rest was not read", expected2));
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
  }
});

// src/core/assemble-board.ts
function assembleItems({ files, rows, base, invalid: invalid2 }) {
  if (files.length === 0 && rows.every(({ branch }) => branch === rows[0]?.branch))
    return filedItems(rows, 0);
  const records2 = latestRecords(rows, base);
  const items = [];
  for (const file of files) {
    const found = records2.get(file.task.id);
    records2.delete(file.task.id);
    const wrong = invalid2?.get(file.task.id);
    items.push({
      task: found && isDefined(found.record) ? found.record : file.task,
      record: found?.record ?? null,
      branch: found?.branch ?? null,
      file: file.file,
      position: items.length,
      ...wrong !== void 0 && !(found && isDefined(found.record)) ? { invalid: wrong } : {}
    });
  }
  return items.concat(filedItems([...records2.values()], items.length));
}
function filedItems(rows, first) {
  const sorted2 = rows.toSorted((a, b) => byTime(a.record, b.record));
  return sorted2.map(({ record, branch }, at) => {
    const position = first + at;
    return record.file === void 0 ? { task: record, record, branch, position } : { task: record, record, branch, file: record.file, position };
  });
}
function byTime(a, b) {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
function latestRecords(rows, base) {
  const records2 = /* @__PURE__ */ new Map();
  for (const row of rows) {
    const other = records2.get(row.record.id);
    if (!other || other.branch === base) records2.set(row.record.id, row);
  }
  return records2;
}
var init_assemble_board = __esm({
  "src/core/assemble-board.ts"() {
    "use strict";
    init_record();
  }
});

// src/core/adjacency.ts
function adjacency(ids, edges) {
  const outgoing = endsOf(ids.length, edges, "from");
  const incoming = endsOf(ids.length, edges, "to");
  return {
    dependencies: (at) => listAt(at, outgoing, edges, ({ to }) => ids[to]),
    dependents: (at) => listAt(at, incoming, edges, ({ from }) => ids[from]),
    eachDependent(at, visit) {
      for (let n = incoming.starts[at]; n < incoming.starts[at + 1]; n++)
        visit(edges[incoming.edges[n]].from);
    }
  };
}
function endsOf(count3, edges, end) {
  const starts = new Int32Array(count3 + 1);
  for (let n = 0; n < edges.length; n++) starts[edges[n][end] + 1] += 1;
  for (let at = 0; at < count3; at++) starts[at + 1] += starts[at];
  const next2 = starts.slice();
  const numbers = new Int32Array(edges.length);
  for (let n = 0; n < edges.length; n++) numbers[next2[edges[n][end]]++] = n;
  return { starts, edges: numbers };
}
function listAt(at, { starts, edges: numbers }, edges, other) {
  if (!(starts[at] < starts[at + 1])) return none;
  const list2 = [];
  let seen;
  for (let n = starts[at]; n < starts[at + 1]; n++) {
    const edge = edges[numbers[n]];
    const id = other(edge);
    if (edge.file === void 0) list2.push({ id, why: edge.why });
    else {
      seen ??= new Set(list2.map((one) => one.id));
      if (!seen.has(id)) list2.push({ id, why: edge.why, file: edge.file });
      seen.add(id);
    }
  }
  return list2;
}
var none;
var init_adjacency = __esm({
  "src/core/adjacency.ts"() {
    "use strict";
    none = [];
  }
});

// src/core/declared-files.ts
function normalisePath(path) {
  const parts = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return parts.join("/").normalize("NFC");
}
function normalisePaths(paths2) {
  if (paths2 === void 0 || paths2.length === 0) return [];
  return [...new Set(paths2.map(normalisePath))].filter((path) => path !== "");
}
function declaredFiles(task) {
  return normalisePaths([...task.files_to_create ?? [], ...task.files_to_modify ?? []]);
}
var init_declared_files = __esm({
  "src/core/declared-files.ts"() {
    "use strict";
  }
});

// src/core/natural-compare.ts
function naturalCompare(a, b) {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (isDigit(a, i) && isDigit(b, j)) {
      const endA = digitsEnd2(a, i);
      const endB = digitsEnd2(b, j);
      const byNumber = compareDigits2(a.slice(i, endA), b.slice(j, endB));
      if (byNumber !== 0) return byNumber;
      i = endA;
      j = endB;
    } else {
      const byChar = a.charCodeAt(i) - b.charCodeAt(j);
      if (byChar !== 0) return byChar;
      i++;
      j++;
    }
  }
  const byLength = a.length - i - (b.length - j);
  return byLength !== 0 ? byLength : compareText(a, b);
}
function compareText(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
function compareDigits2(a, b) {
  const x = a.replace(/^0+/, "");
  const y = b.replace(/^0+/, "");
  return x.length !== y.length ? x.length - y.length : compareText(x, y);
}
function digitsEnd2(text3, from) {
  let end = from;
  while (end < text3.length && isDigit(text3, end)) end++;
  return end;
}
function isDigit(text3, at) {
  const code2 = text3.charCodeAt(at);
  return code2 >= 48 && code2 <= 57;
}
var init_natural_compare = __esm({
  "src/core/natural-compare.ts"() {
    "use strict";
  }
});

// src/core/strong-components.ts
function strongComponents(count3, edges, visit) {
  const successors = flatten(count3, edges);
  const search = newSearch(count3, successors.starts);
  for (let i = 0; i < count3; i++) {
    const root = visit?.[i] ?? i;
    if (search.found[root] === 0) searchFrom(root, successors, search);
  }
  return { of: search.of, order: search.order, sizes: search.sizes };
}
function flatten(count3, edges) {
  const starts = new Int32Array(count3 + 1);
  for (const { from } of edges) starts[from + 1] += 1;
  for (let i = 0; i < count3; i++) starts[i + 1] += starts[i];
  const next2 = starts.slice();
  const targets = new Int32Array(edges.length);
  for (const { from, to } of edges) targets[next2[from]++] = to;
  return { starts, targets };
}
function newSearch(count3, starts) {
  return {
    found: new Int32Array(count3),
    low: new Int32Array(count3),
    of: new Int32Array(count3).fill(-1),
    cursor: starts.slice(0, count3),
    open: [],
    order: [],
    sizes: [],
    clock: 0
  };
}
function searchFrom(root, { starts, targets }, search) {
  const { found, low, of, cursor } = search;
  const path = [root];
  enter(root, search);
  while (path.length > 0) {
    const node = path.at(-1);
    if (cursor[node] < starts[node + 1]) {
      const to = targets[cursor[node]++];
      if (found[to] === 0) {
        enter(to, search);
        path.push(to);
      } else if (of[to] === -1) low[node] = Math.min(low[node], found[to]);
      continue;
    }
    path.pop();
    const parent = path.at(-1);
    if (parent !== void 0) low[parent] = Math.min(low[parent], low[node]);
    if (low[node] === found[node]) closeComponent(node, search);
  }
}
function enter(node, search) {
  search.clock += 1;
  search.found[node] = search.clock;
  search.low[node] = search.clock;
  search.open.push(node);
}
function closeComponent(first, search) {
  const at = search.sizes.length;
  let size = 0;
  let node;
  do {
    node = search.open.pop();
    search.of[node] = at;
    search.order.push(node);
    size++;
  } while (node !== first);
  search.sizes.push(size);
}
var init_strong_components = __esm({
  "src/core/strong-components.ts"() {
    "use strict";
  }
});

// src/core/file-dependencies.ts
function fileEdges(nodes, tree) {
  const creators = creatorsByFile(nodes);
  const warnings = boundCreators(creators, nodes);
  const edges = [];
  if (creators.size === 0) return { edges, warnings };
  for (const [from, node] of nodes.entries()) {
    if (node.closed) continue;
    for (const file of normalisePaths(node.files_to_modify)) {
      const found = creators.get(file);
      if (found === void 0 || found.includes(from)) continue;
      for (const to of found) {
        if (!areFamily(tree, node.id, nodes[to].id)) edges.push({ from, to, file });
      }
    }
  }
  return { edges, warnings };
}
function creatorsByFile(nodes) {
  const creators = /* @__PURE__ */ new Map();
  for (const [index, node] of nodes.entries()) {
    if (node.closed || node.files_to_create === void 0) continue;
    for (const file of normalisePaths(node.files_to_create)) {
      if (!creators.get(file)?.push(index)) creators.set(file, [index]);
    }
  }
  return creators;
}
function boundCreators(creators, nodes) {
  const warnings = [];
  for (const [file, indexes] of creators) {
    if (indexes.length <= creatorsMax) continue;
    const message = `${indexes.length} tasks create ${file}; only the first ${creatorsMax} by id are waited for by tasks that modify it`;
    warnings.push({ kind: "too-many-creators", file, message });
    indexes.sort((a, b) => naturalCompare(nodes[a].id, nodes[b].id));
    indexes.length = creatorsMax;
  }
  return warnings;
}
function areFamily(tree, a, b) {
  return tree.isAbove(a, b) || tree.isAbove(b, a);
}
function keepAcyclic(ids, written, files) {
  if (files.length === 0) return { kept: files, dropped: [] };
  const all = strongComponents(ids.length, [...written, ...files]).of;
  if (files.every(({ from, to }) => all[from] !== all[to])) return { kept: files, dropped: [] };
  const byId = ids.map((_, index) => index).sort((a, b) => naturalCompare(ids[a], ids[b]));
  const rank2 = new Int32Array(ids.length);
  for (const [position, index] of byId.entries()) rank2[index] = position;
  const sorted2 = written.toSorted((a, b) => rank2[a.to] - rank2[b.to]);
  const fixed = strongComponents(ids.length, sorted2, byId).of;
  const agrees = ({ from, to }) => all[from] !== all[to] || fixed[to] < fixed[from];
  return { kept: files.filter(agrees), dropped: files.filter((edge) => !agrees(edge)) };
}
function droppedWarning(ids, { from, to, file }) {
  const id = ids[from];
  const on = ids[to];
  const message = `#${id} modifies ${file}, which #${on} creates, but waiting for it would close a cycle: it does not wait`;
  return { kind: "file-dependency-dropped", id, on, file, message };
}
var creatorsMax;
var init_file_dependencies = __esm({
  "src/core/file-dependencies.ts"() {
    "use strict";
    init_declared_files();
    init_natural_compare();
    init_strong_components();
    creatorsMax = 50;
  }
});

// src/core/find-cycles.ts
function findCycles(ids, componentOf, edges, knotted) {
  const byId = (a, b) => naturalCompare(ids[a], ids[b]);
  const starts = /* @__PURE__ */ new Map();
  for (const at of knotted.toSorted(byId)) {
    if (!starts.has(componentOf[at])) starts.set(componentOf[at], at);
  }
  const successors = new Map(knotted.map((at) => [at, []]));
  for (const { from, to } of edges) {
    if (componentOf[from] === componentOf[to]) successors.get(from)?.push(to);
  }
  for (const list2 of successors.values()) list2.sort(byId);
  return [...starts.values()].map((start) => shortestCycle(start, successors).map((at) => ids[at]));
}
function shortestCycle(start, successors) {
  const cameFrom = /* @__PURE__ */ new Map();
  const queue = [start];
  for (const at of queue) {
    for (const to of successors.get(at) ?? []) {
      if (to === start) return pathBack(start, at, cameFrom);
      if (cameFrom.has(to)) continue;
      cameFrom.set(to, at);
      queue.push(to);
    }
  }
  return [start];
}
function pathBack(start, last, cameFrom) {
  const path = [start];
  for (let at = last; at !== start; at = cameFrom.get(at)) path.push(at);
  path.push(start);
  return path.reverse();
}
var init_find_cycles = __esm({
  "src/core/find-cycles.ts"() {
    "use strict";
    init_natural_compare();
  }
});

// src/core/group-by.ts
function groupBy(items, keyOf3) {
  const groups = /* @__PURE__ */ new Map();
  for (const item2 of items) {
    const key = keyOf3(item2);
    if (!groups.get(key)?.push(item2)) groups.set(key, [item2]);
  }
  return groups;
}
var init_group_by = __esm({
  "src/core/group-by.ts"() {
    "use strict";
  }
});

// src/core/tree.ts
function buildTree(nodes) {
  if (nodes.every(({ parent }) => parent === void 0)) return flatTree(nodes);
  const { parents, loops } = parentsWithoutLoops(nodes);
  const children = /* @__PURE__ */ new Map();
  const roots = [];
  for (const [id, parent] of parents) {
    if (parent === void 0) roots.push(id);
    else if (!children.get(parent)?.push(id)) children.set(parent, [id]);
  }
  const { preOrder, places } = walk(roots, children);
  return {
    isFlat: false,
    roots,
    preOrder,
    loops,
    children: (id) => children.get(id) ?? none2,
    parent: (id) => parents.get(id),
    depth: (id) => places.get(id)?.depth ?? 0,
    isAbove: (above, id) => {
      const outer = places.get(above);
      const inner2 = places.get(id);
      return outer !== void 0 && inner2 !== void 0 && outer.at < inner2.at && inner2.at < outer.end;
    }
  };
}
function flatTree(nodes) {
  let ids;
  const roots = () => ids ??= [...new Set(nodes.map(({ id }) => id))];
  return {
    isFlat: true,
    get roots() {
      return roots();
    },
    get preOrder() {
      return roots();
    },
    loops: [],
    children: () => none2,
    parent: () => void 0,
    depth: () => 0,
    isAbove: () => false
  };
}
function parentsWithoutLoops(nodes) {
  const ids = new Set(nodes.map((node) => node.id));
  const parents = /* @__PURE__ */ new Map();
  for (const { id, parent } of nodes) {
    if (!parents.has(id)) parents.set(id, parent !== void 0 && ids.has(parent) ? parent : void 0);
  }
  const loops = findLoops(parents);
  for (const loop of loops) parents.set(loop[0], void 0);
  return { parents, loops: loops.sort((a, b) => naturalCompare(a[0], b[0])) };
}
function findLoops(parents) {
  const settled = /* @__PURE__ */ new Set();
  const loops = [];
  for (const [start, above] of parents) {
    if (above === void 0) continue;
    const path = /* @__PURE__ */ new Set();
    let id = start;
    while (id !== void 0 && !settled.has(id) && !path.has(id)) {
      path.add(id);
      id = parents.get(id);
    }
    if (id !== void 0 && path.has(id)) {
      const way = [...path];
      loops.push(fromSmallest(way.slice(way.indexOf(id))));
    }
    for (const seen of path) settled.add(seen);
  }
  return loops;
}
function fromSmallest(loop) {
  const first = loop.reduce((a, b) => naturalCompare(b, a) < 0 ? b : a);
  const at = loop.indexOf(first);
  return [...loop.slice(at), ...loop.slice(0, at), first];
}
function walk(roots, children) {
  const preOrder = [];
  const places = /* @__PURE__ */ new Map();
  const stack = roots.toReversed().map((id) => ({ id, depth: 0, left: false }));
  while (stack.length > 0) {
    const visit = stack.pop();
    if (visit.left) {
      places.get(visit.id).end = preOrder.length;
      continue;
    }
    places.set(visit.id, { depth: visit.depth, at: preOrder.length, end: 0 });
    preOrder.push(visit.id);
    stack.push({ ...visit, left: true });
    for (const id of (children.get(visit.id) ?? []).toReversed()) {
      stack.push({ id, depth: visit.depth + 1, left: false });
    }
  }
  return { preOrder, places };
}
var none2;
var init_tree = __esm({
  "src/core/tree.ts"() {
    "use strict";
    init_natural_compare();
    none2 = [];
  }
});

// src/core/graph.ts
function buildGraph(given) {
  const { nodes, index } = withoutRepeats(given);
  const ids = nodes.map((node) => node.id);
  const tree = buildTree(nodes);
  const { edges: explicit, missing } = explicitEdges(nodes, index);
  const binds = ({ from, to }) => !nodes[from].closed || nodes[to].closed;
  const binding = joined(explicit, childEdges(tree, index)).filter(binds);
  const found = fileEdges(nodes, tree);
  const { kept: kept2, dropped } = keepAcyclic(ids, binding, found.edges);
  const waits = joined(binding, kept2);
  const components2 = strongComponents(ids.length, waits);
  const knotted = knots(components2, binding);
  const open3 = (at2) => !nodes[at2].closed;
  const order2 = knotsLast(components2.order, waits, knotted);
  const fromFiles = kept2.map((edge) => ({ ...edge, why: "file" }));
  const at = (id) => index.get(id);
  const numbered = { ids, order: order2, at, ...adjacency(ids, joined(explicit, fromFiles)) };
  return {
    tree,
    numbered,
    dependencies: (id) => numbered.dependencies(index.get(id) ?? -1),
    dependents: (id) => numbered.dependents(index.get(id) ?? -1),
    missing: (id) => missing.get(id) ?? none3,
    inCycle: (id) => {
      const at2 = knotted.size === 0 ? void 0 : index.get(id);
      return at2 !== void 0 && knotted.has(at2) && open3(at2);
    },
    cycles: findCycles(ids, components2.of, binding, [...knotted].filter(open3)),
    warnings: [...found.warnings, ...dropped.map((edge) => droppedWarning(ids, edge))],
    order: order2.map((at2) => ids[at2])
  };
}
function withoutRepeats(given) {
  const index = /* @__PURE__ */ new Map();
  const nodes = [];
  for (const node of given) {
    if (index.has(node.id)) continue;
    index.set(node.id, nodes.length);
    nodes.push(node);
  }
  return { nodes, index };
}
function explicitEdges(nodes, index) {
  const edges = [];
  const missing = /* @__PURE__ */ new Map();
  for (let from = 0; from < nodes.length; from++) {
    const { id: own, depends_on } = nodes[from];
    if (depends_on === void 0 || depends_on.length === 0) continue;
    for (const id of depends_on.length === 1 ? depends_on : new Set(depends_on)) {
      const to = index.get(id);
      if (to !== void 0) edges.push({ from, to, why: "explicit" });
      else if (!missing.get(own)?.push(id)) missing.set(own, [id]);
    }
  }
  return { edges, missing };
}
function childEdges(tree, index) {
  const edges = [];
  if (tree.isFlat) return edges;
  for (const id of tree.preOrder) {
    const from = index.get(id);
    for (const child of tree.children(id)) edges.push({ from, to: index.get(child) });
  }
  return edges;
}
function joined(some, more) {
  return more.length === 0 ? some : [...some, ...more];
}
function knots({ of, order: order2, sizes }, written) {
  const knotted = /* @__PURE__ */ new Set();
  if (sizes.length < order2.length) {
    for (const at of order2) if (sizes[of[at]] > 1) knotted.add(at);
  }
  for (const { from, to } of written) if (from === to) knotted.add(from);
  return knotted;
}
function knotsLast(order2, waits, knotted) {
  if (knotted.size === 0) return order2;
  const behind = new Set(knotted);
  const waitsFor = groupBy(waits, ({ from }) => from);
  for (const at of order2) if (waitsFor.get(at)?.some(({ to }) => behind.has(to))) behind.add(at);
  return [...order2.filter((at) => !behind.has(at)), ...order2.filter((at) => behind.has(at))];
}
var none3;
var init_graph = __esm({
  "src/core/graph.ts"() {
    "use strict";
    init_adjacency();
    init_file_dependencies();
    init_find_cycles();
    init_group_by();
    init_strong_components();
    init_tree();
    none3 = [];
  }
});

// src/core/is-approved.ts
function isApproved(record) {
  const at = record?.approved_at;
  if (at === void 0) return false;
  const start = record?.started_at;
  return start === void 0 || record?.closed_at === void 0 || at >= start;
}
var init_is_approved = __esm({
  "src/core/is-approved.ts"() {
    "use strict";
  }
});

// src/core/next-step.ts
function mayLoop(type) {
  return type === "task" || type === "implement";
}
function isOver(view) {
  return view === void 0 || view.status === "completed" || view.status === "skipped";
}
var init_next_step = __esm({
  "src/core/next-step.ts"() {
    "use strict";
    init_record();
  }
});

// src/core/board.ts
function buildBoard(input) {
  const sorted2 = input.items.toSorted(byPosition);
  const graph = buildGraph(sorted2.map(nodeOf));
  const items = graph.numbered.ids.length === sorted2.length ? sorted2 : withoutRepeats2(sorted2);
  const views = /* @__PURE__ */ new Map();
  const { now, alive = (claim2) => claim2.until > now } = input;
  const making = {
    gates: input.gates,
    graph,
    tree: graph.tree,
    claims: claimsByTask(input.claims, alive),
    cyclic: cyclesById(graph),
    views,
    complex: input.complex ?? /* @__PURE__ */ new Map(),
    dropped: /* @__PURE__ */ new Map()
  };
  const { ids, order: order2 } = graph.numbered;
  for (const at of order2) views.set(ids[at], viewOf(items[at], at, making));
  return {
    views,
    graph,
    tree: graph.tree,
    now: input.now,
    claims: input.claims,
    milestones: input.milestones ?? []
  };
}
function withoutRepeats2(sorted2) {
  const items = /* @__PURE__ */ new Map();
  for (const item2 of sorted2) if (!items.has(item2.task.id)) items.set(item2.task.id, item2);
  return [...items.values()];
}
function byPosition(a, b) {
  return a.position - b.position || naturalCompare(a.task.id, b.task.id);
}
function nodeOf({ task, record }) {
  const { id, depends_on, files_to_create, files_to_modify, parent } = task;
  if (record?.closed_as === "split") return { id, depends_on, parent, closed: false };
  return { id, depends_on, files_to_create, files_to_modify, parent, closed: isClosed(record) };
}
function claimsByTask(claims, alive) {
  const byTask = /* @__PURE__ */ new Map();
  for (const claim2 of claims) {
    const other = byTask.get(claim2.task);
    const live = alive(claim2);
    if (!other || live && !other.live || live === other.live && claim2.until > other.claim.until) {
      byTask.set(claim2.task, { claim: claim2, live });
    }
  }
  return byTask;
}
function isClosed(record) {
  return record?.closed_at !== void 0 && record.closed_as !== "failed";
}
function viewOf(item2, at, making) {
  const { task, record } = item2;
  const id = task.id;
  const held = making.claims.size === 0 ? void 0 : making.claims.get(id);
  const children = making.tree.children(id);
  const settled = settledStatus(item2, children, held?.live ?? false, making);
  const blockers = settled ? none4 : blockersOf(item2, at, making);
  const status = settled ?? (blockers.length > 0 ? "blocked" : hasBegun(record) ? "in_progress" : "pending");
  const view = {
    task,
    record,
    branch: item2.branch,
    position: item2.position,
    id,
    status,
    blockers,
    claim: held?.live ? held.claim : null,
    deadClaim: held && !held.live ? held.claim : null,
    children
  };
  if (item2.file !== void 0) view.file = item2.file;
  if (item2.invalid !== void 0) view.invalid = item2.invalid;
  if (item2.changed !== void 0) view.changed = item2.changed;
  return view;
}
function hasBegun(record) {
  return record?.steps?.some(({ outcome: outcome2 }) => outcome2 === "ok" || outcome2 === "slice") ?? false;
}
function settledStatus({ record }, children, isClaimed, making) {
  switch (record?.closed_as) {
    case "done":
      return "completed";
    case "skipped":
    case "dropped":
      return "skipped";
    case "failed":
      return "failed";
    case "split":
    case void 0:
      if (isClaimed) return "in_progress";
      if (children.length > 0) return ofChildren(children, making, record);
      return record?.closed_at ? "completed" : null;
  }
}
function ofChildren(children, making, record) {
  const status = statusOfChildren(children, making);
  if (record?.closed_at || !record?.steps?.length) return status;
  if (status === "completed") return null;
  return status === "pending" ? "in_progress" : status;
}
function statusOfChildren(children, making) {
  const all = new Set(children.map((id) => making.views.get(id)?.status ?? "pending"));
  if (all.has("failed")) return "failed";
  if (all.has("in_progress")) return "in_progress";
  const isOpen = all.has("pending") || all.has("blocked");
  if (!isOpen) return "completed";
  if (all.has("completed")) return "in_progress";
  return all.has("pending") ? "pending" : "blocked";
}
function blockersOf(item2, at, making) {
  const { record, task } = item2;
  const blockers = [];
  if (item2.invalid) {
    blockers.push({ kind: "invalid", text: `its definition: ${oneLine(item2.invalid, 200)}` });
  }
  if (record?.stop) {
    const text3 = `a stop that a person must answer: ${oneLine(record.stop.detail, 200)}`;
    blockers.push({ kind: "person", text: text3 });
  }
  if (record?.paused_at) blockers.push({ kind: "paused", text: "a pause that a person asked for" });
  if (record?.steps?.some(({ outcome: outcome2 }) => outcome2 === "ok")) return blockers;
  const complex = making.complex.get(task.id);
  if (complex !== void 0 && making.tree.children(task.id).length === 0)
    blockers.push({ kind: "complex", text: complex });
  const cycle = making.graph.inCycle(task.id) ? making.cyclic.get(task.id) ?? "itself, through others" : null;
  if (cycle) blockers.push({ kind: "cycle", text: `a dependency cycle: ${cycle}` });
  for (const id of making.graph.missing(task.id)) {
    blockers.push({ kind: "missing", id, text: `#${oneLine(id, 80)}, which does not exist` });
  }
  for (const { id } of making.graph.numbered.dependencies(at)) {
    const blocker = cycle ? null : blockerOf(task, id, making);
    if (blocker) blockers.push(blocker);
  }
  return blockers;
}
function blockerOf(dependent, id, making) {
  const view = making.views.get(id);
  if (!view) return { kind: "dependency", id, text: `#${id}` };
  const { record } = view;
  if (record?.closed_as === "dropped") {
    return { kind: "dropped", id, text: `#${id}, which was dropped${because(record.closed_reason)}` };
  }
  if (view.status === "failed") {
    const child = view.children.find((one) => making.views.get(one)?.status === "failed");
    const why = record?.error ?? record?.closed_reason ?? (child && `its subtask #${child} failed`);
    return { kind: "failed", id, text: `#${id}, which failed${because(why)}` };
  }
  if (view.status === "skipped") return null;
  if (view.status !== "completed") return { kind: "dependency", id, text: `#${id}` };
  const dropped = droppedChild(view, making);
  if (dropped) return { kind: "dropped", id: dropped, text: `#${id}, whose subtask #${dropped} was dropped` };
  return gateOf(dependent, view, making);
}
function droppedChild(view, making) {
  if (view.children.length === 0 || view.record?.closed_as === "done") return null;
  const known = making.dropped.get(view.id);
  if (known !== void 0) return known;
  let found = null;
  for (const id of view.children) {
    const child = making.views.get(id);
    if (child?.record?.closed_as === "dropped") found = id;
    else if (child) found = droppedChild(child, making);
    if (found) break;
  }
  making.dropped.set(view.id, found);
  return found;
}
function because(reason2) {
  const line3 = oneLine(reason2?.trim().split("\n")[0] ?? "", 80);
  return line3 === "" ? "" : ` (${line3})`;
}
function gateOf(dependent, view, making) {
  const { id, record } = view;
  const gates = making.gates(view.task);
  if (gates.approval && !isApproved(record) && !record?.merged_at) {
    return { kind: "approval", id, text: `#${id}, which waits for approval` };
  }
  const verdict = record?.final_verdict;
  if (
    // A review or an improve of it is how it may yet be approved.
    dependent.type !== "review" && dependent.type !== "improve" && gates.auto_review && mayLoop(view.task.type) && verdict !== void 0 && verdict !== "APPROVED" && !record?.merged_at
  ) {
    return { kind: "verdict", id, text: `#${id}, which ended ${verdict}` };
  }
  const lane = record?.lane !== void 0 && record.merged_at === void 0;
  if (making.gates(dependent).requires_merge && lane) {
    return { kind: "merge", id, text: `#${id}, which is not merged` };
  }
  return null;
}
function cyclesById(graph) {
  const byId = /* @__PURE__ */ new Map();
  for (const cycle of graph.cycles) {
    const path = cycle.length > 12 ? [...cycle.slice(0, 10), "\u2026", cycle[0]] : cycle;
    for (const id of cycle) byId.set(id, path.join(" \u2192 "));
  }
  return byId;
}
function isReady(view) {
  return view.status === "pending" && view.children.length === 0;
}
var statuses, none4;
var init_board = __esm({
  "src/core/board.ts"() {
    "use strict";
    init_graph();
    init_is_approved();
    init_natural_compare();
    init_next_step();
    init_one_line();
    statuses = ["pending", "blocked", "in_progress", "completed", "failed", "skipped"];
    none4 = [];
  }
});

// src/core/cycles-in.ts
function cyclesIn(graph, linksOf2) {
  const left = peel(graph, linksOf2);
  const result = /* @__PURE__ */ new Map();
  for (const members of components(left)) {
    if (members.length < 2) continue;
    const cycle = cycleThrough(members, left);
    for (const id of members) result.set(id, cycle);
  }
  return result;
}
function peel(graph, linksOf2) {
  const index = /* @__PURE__ */ new Map();
  for (const id of graph.keys()) index.set(id, index.size);
  const from = [];
  const to = [];
  let at = 0;
  for (const node of graph.values()) {
    for (const id of linksOf2(node) ?? []) {
      const target = index.get(id);
      if (target === void 0 || target === at) continue;
      from.push(at);
      to.push(target);
    }
    at++;
  }
  const isOpen = openNodes(graph.size, from, to);
  const left = /* @__PURE__ */ new Map();
  if (!isOpen.includes(1)) return left;
  const ids = [...graph.keys()];
  for (let link = 0; link < from.length; link++) {
    if (!isOpen[from[link]] || !isOpen[to[link]]) continue;
    const id = ids[from[link]];
    const links = left.get(id);
    if (links) links.push(ids[to[link]]);
    else left.set(id, [ids[to[link]]]);
  }
  return left;
}
function openNodes(size, from, to) {
  const isOpen = new Uint8Array(size);
  if (from.length === 0) return isOpen;
  const links = new Int32Array(size);
  const ends = new Int32Array(size + 1);
  for (let link = 0; link < from.length; link++) {
    links[from[link]]++;
    ends[to[link] + 1]++;
  }
  for (let node = 0; node < size; node++) ends[node + 1] += ends[node];
  const fill = ends.slice();
  const sources = new Int32Array(from.length);
  for (let link = 0; link < from.length; link++) sources[fill[to[link]]++] = from[link];
  const free = [];
  for (let node = 0; node < size; node++) if (links[node] === 0) free.push(node);
  for (const node of free) {
    for (let at = ends[node]; at < ends[node + 1]; at++)
      if (--links[sources[at]] === 0) free.push(sources[at]);
  }
  for (let node = 0; node < size; node++) isOpen[node] = links[node] > 0 ? 1 : 0;
  return isOpen;
}
function components(links) {
  const found = /* @__PURE__ */ new Map();
  const low = /* @__PURE__ */ new Map();
  const stack = [];
  const onStack = /* @__PURE__ */ new Set();
  const result = [];
  const enter2 = (id) => {
    low.set(id, found.size);
    found.set(id, found.size);
    stack.push(id);
    onStack.add(id);
    return { id, next: 0 };
  };
  const lower = (id, to) => low.set(id, Math.min(low.get(id), to));
  for (const start of links.keys()) {
    if (found.has(start)) continue;
    const work = [enter2(start)];
    while (work.length > 0) {
      const top = work.at(-1);
      const to = links.get(top.id)[top.next++];
      if (to !== void 0) {
        if (!found.has(to)) work.push(enter2(to));
        else if (onStack.has(to)) lower(top.id, found.get(to));
        continue;
      }
      work.pop();
      const above = work.at(-1);
      if (above) lower(above.id, low.get(top.id));
      if (low.get(top.id) !== found.get(top.id)) continue;
      const members = stack.splice(stack.lastIndexOf(top.id));
      for (const id of members) onStack.delete(id);
      result.push(members);
    }
  }
  return result;
}
function cycleThrough(members, links) {
  const inside = new Set(members);
  let at = members.reduce((first, id) => id < first ? id : first);
  const index = /* @__PURE__ */ new Map();
  const path = [];
  while (!index.has(at)) {
    index.set(at, path.length);
    path.push(at);
    at = links.get(at).find((to) => inside.has(to));
  }
  return [...path.slice(index.get(at)), at];
}
var init_cycles_in = __esm({
  "src/core/cycles-in.ts"() {
    "use strict";
  }
});

// src/core/nearest-word.ts
function nearestWord(word2, known) {
  const written = plain(word2);
  if (written.length === 0 || written.length > 40) return null;
  let best = null;
  let least = Math.max(1, Math.floor(written.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(written, plain(candidate), least);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}
function plain(word2) {
  return word2.replaceAll(/[-_ ]/g, "").toLowerCase();
}
function editDistance(a, b, limit = Number.POSITIVE_INFINITY) {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same2 = a[i - 1] === b[j - 1];
      let cost = Math.min(row[j - 1] + 1, above[j] + 1, above[j - 1] + (same2 ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, before[j - 2] + 1);
      }
      row.push(cost);
    }
    before = above;
    above = row;
  }
  return Math.min(above[b.length], limit);
}
var init_nearest_word = __esm({
  "src/core/nearest-word.ts"() {
    "use strict";
  }
});

// src/core/problem.ts
function shown(value) {
  const text3 = typeof value === "string" ? value : JSON.stringify(value) ?? String(value);
  const line3 = text3.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line3.length > 60 ? `${line3.slice(0, 57)}...` : line3;
}
var init_problem = __esm({
  "src/core/problem.ts"() {
    "use strict";
  }
});

// src/core/task-problem.ts
function taskProblem(one, field, message, more = {}) {
  const { file, line: line3, column, lines, task } = one;
  return { file, line: lines?.[field] ?? line3, column, message, severity: "error", task: task.id, ...more };
}
var init_task_problem = __esm({
  "src/core/task-problem.ts"() {
    "use strict";
  }
});

// src/core/same-branch-problems.ts
function sameBranchProblems(one, graph, known) {
  const { id, branch, depends_on = [] } = one.task;
  if (branch !== void 0 || depends_on.length === 1) return [];
  if (depends_on.length === 0) {
    return [taskProblem(one, "same_branch", `${id} has same_branch, but depends on no task`, { expected })];
  }
  const lanes = new Set(depends_on.map((to) => laneOf(to, graph, known)));
  if (lanes.size === 1) return [];
  const found = `${lanes.size} branches, those of ${[...lanes].slice(0, 5).map(shown).join(", ")}`;
  return [
    taskProblem(one, "same_branch", `${id} has same_branch, but depends on several branches`, {
      expected,
      found
    })
  ];
}
function laneOf(id, graph, known) {
  const seen = /* @__PURE__ */ new Set();
  let at = id;
  let lane = known.get(at);
  while (lane === void 0) {
    seen.add(at);
    const { branch, same_branch, depends_on = [] } = graph.get(at) ?? {};
    const [first] = depends_on;
    if (branch !== void 0) lane = branch;
    else if (!same_branch || first === void 0 || seen.has(first)) lane = at;
    else {
      at = first;
      lane = known.get(at);
    }
  }
  for (const one of seen) known.set(one, lane);
  return lane;
}
var expected;
var init_same_branch_problems = __esm({
  "src/core/same-branch-problems.ts"() {
    "use strict";
    init_problem();
    init_task_problem();
    expected = "tasks of exactly one branch in depends_on, or a `branch`";
  }
});

// src/core/check-backlog.ts
function checkBacklog({ tasks, problems = [], filed = nobody, base }) {
  const all = [...problems];
  const graph = /* @__PURE__ */ new Map();
  for (const [id, task] of filed) graph.set(id, task);
  for (const { task } of tasks) graph.set(task.id, task);
  duplicateProblems(tasks, all);
  const known = (id) => graph.has(id);
  const resolved = tasks.map((one) => withFullIds(one, known));
  for (const one of resolved) if (graph.get(one.task.id) !== one.task) graph.set(one.task.id, one.task);
  const check = new LinkCheck(graph, base, all);
  for (const one of resolved) check.task(one);
  cycleProblems(graph, resolved, all);
  const lanes = /* @__PURE__ */ new Map();
  for (const one of resolved) if (one.task.same_branch) all.push(...sameBranchProblems(one, graph, lanes));
  const bad = badTasks(resolved, all);
  return { tasks: resolved, problems: all, bad, heldBack: dependentsOf(bad, graph) };
}
function duplicateProblems(tasks, problems) {
  const seen = /* @__PURE__ */ new Map();
  for (const one of tasks) {
    const key = one.task.id.toLowerCase();
    const first = seen.get(key);
    if (first) problems.push(duplicate(one, first), duplicate(first, one));
    else seen.set(key, one);
  }
}
function duplicate(one, other) {
  const { id } = one.task;
  const place = `${other.file}:${other.line}`;
  const message = other.task.id === id ? `the id ${id} is given twice; also in ${place}` : `the id ${id} differs only in case from ${other.task.id} in ${place}`;
  return taskProblem(one, "id", message, { expected: "another id for one of them" });
}
function withFullIds(one, known) {
  const { depends_on, parent } = one.task;
  const isShort = (id) => !known(id) && known(`task-${id}`);
  if (!depends_on?.some(isShort) && (parent === void 0 || !isShort(parent))) return one;
  const full = (id) => isShort(id) ? `task-${id}` : id;
  const task = { ...one.task };
  if (depends_on) task.depends_on = [...new Set(depends_on.map(full))];
  if (parent !== void 0) task.parent = full(parent);
  return { ...one, task };
}
function cycleProblems(graph, tasks, problems) {
  const dependencies = cyclesIn(graph, ({ depends_on }) => depends_on);
  const parents = cyclesIn(graph, ({ parent }) => parent === void 0 ? void 0 : [parent]);
  if (dependencies.size === 0 && parents.size === 0) return;
  for (const one of tasks) {
    const { id } = one.task;
    const circle = dependencies.get(id);
    if (circle)
      problems.push(taskProblem(one, "depends_on", `${id} depends on itself in a circle: ${print(circle)}`));
    const above = parents.get(id);
    if (above) problems.push(taskProblem(one, "parent", `${id} is a part of itself: ${print(above)}`));
  }
}
function print(path) {
  return (path.length > 12 ? [...path.slice(0, 6), "\u2026", ...path.slice(-5)] : path).join(" \u2192 ");
}
function badTasks(tasks, problems) {
  const bad = /* @__PURE__ */ new Map();
  const files = /* @__PURE__ */ new Map();
  for (const one of problems) {
    if (one.severity === "warning") continue;
    if (one.wholeFile && !files.has(one.file)) files.set(one.file, one);
    if (one.task !== void 0 && !bad.has(one.task)) bad.set(one.task, one);
  }
  if (files.size === 0) return bad;
  for (const { task, file } of tasks) {
    const why = files.get(file);
    if (why && !bad.has(task.id)) bad.set(task.id, why);
  }
  return bad;
}
function dependentsOf(bad, graph) {
  const held = /* @__PURE__ */ new Map();
  if (bad.size === 0) return held;
  const dependents = /* @__PURE__ */ new Map();
  for (const [id, { depends_on = [] }] of graph) {
    for (const to of depends_on) {
      const known = dependents.get(to);
      if (known) known.push(id);
      else dependents.set(to, [id]);
    }
  }
  const queue = [...bad.keys()].map((id) => ({ id, why: id }));
  for (const { id, why } of queue) {
    for (const dependent of dependents.get(id) ?? []) {
      if (bad.has(dependent) || held.has(dependent)) continue;
      held.set(dependent, why);
      queue.push({ id: dependent, why });
    }
  }
  return held;
}
var nobody, LinkCheck;
var init_check_backlog = __esm({
  "src/core/check-backlog.ts"() {
    "use strict";
    init_cycles_in();
    init_nearest_word();
    init_problem();
    init_same_branch_problems();
    init_task_problem();
    nobody = /* @__PURE__ */ new Map();
    LinkCheck = class {
      #graph;
      #base;
      #problems;
      #suggestions = 0;
      constructor(graph, base, problems) {
        this.#graph = graph;
        this.#base = base;
        this.#problems = problems;
      }
      task(one) {
        const { id, depends_on, parent, branch } = one.task;
        for (const to of depends_on ?? []) {
          if (to === id) this.#add(one, "depends_on", `${id} depends on itself`);
          else if (!this.#graph.has(to)) {
            this.#add(
              one,
              "depends_on",
              `${id} depends on ${shown(to)}, which no file and no ledger has`,
              this.#near(to)
            );
          }
        }
        if (parent !== void 0 && parent === id) this.#add(one, "parent", `${id} is its own parent`);
        else if (parent !== void 0 && !this.#graph.has(parent)) {
          const message = `the parent of ${id} is ${shown(parent)}, which no file and no ledger has`;
          this.#add(one, "parent", message, this.#near(parent));
        }
        if (branch !== void 0 && branch === this.#base) {
          this.#add(one, "branch", `the branch of ${id} is the base branch ${branch}`, {
            expected: "a branch of its own"
          });
        }
      }
      #add(one, field, message, more) {
        this.#problems.push(taskProblem(one, field, message, more));
      }
      /** Each suggestion asks all ids: a file full of wrong ones must not take the square of that. */
      #near(id) {
        if (++this.#suggestions > 50) return {};
        const near = nearestWord(id, this.#graph.keys());
        return near && near !== id ? { near } : {};
      }
    };
  }
});

// src/core/settings.ts
function settingsOf(task, fileDefaults, config, flags = {}) {
  const settings2 = {};
  const sources = [
    flags,
    task,
    config.task_types[task.type],
    fileDefaults,
    config.defaults,
    builtInSettings
  ];
  for (const field of settingNames) {
    const source = sources.find((one) => one?.[field] !== void 0);
    if (source) settings2[field] = source[field];
  }
  return settings2;
}
function settingOf(field, task, fileDefaults, config) {
  const value = task[field] ?? config.task_types[task.type]?.[field] ?? fileDefaults[field] ?? config.defaults[field] ?? builtInSettings[field];
  return value;
}
var order, settingNames;
var init_settings = __esm({
  "src/core/settings.ts"() {
    "use strict";
    init_config();
    order = {
      agents: true,
      model: true,
      review_model: true,
      auto_review: true,
      create_review: true,
      max_review_cycles: true,
      max_turns: true,
      timeout_minutes: true,
      review_timeout_minutes: true,
      improve_timeout_minutes: true,
      max_attempts: true,
      max_slices: true,
      budget: true,
      requires: true,
      approval: true,
      loop: true,
      allow: true,
      verify: true
    };
    settingNames = Object.keys(order);
  }
});

// src/ledger/fold.ts
var foldedMark;
var init_fold = __esm({
  "src/ledger/fold.ts"() {
    "use strict";
    init_errors();
    foldedMark = "folded:";
  }
});

// src/core/shape.ts
function text(max) {
  return (value) => typeof value === "string" && value.length <= max ? value : void 0;
}
function oneOf(words4) {
  const known = new Set(words4);
  return (value) => known.has(value) ? value : void 0;
}
function orNull(reader) {
  return (value, report) => value === null ? null : reader(value, report);
}
function list(item2, max) {
  return (value, report) => {
    if (!Array.isArray(value) || value.length > max) return void 0;
    const items = [];
    for (const each of value) {
      const read = item2(each, report);
      if (read === void 0) return void 0;
      items.push(read);
    }
    return items;
  };
}
function map(item2, max) {
  return (value, report) => {
    if (!isObject(value)) return void 0;
    const names = Object.keys(value).sort();
    if (names.length > max) return void 0;
    const out = {};
    for (const name2 of names) {
      const read = item2(value[name2], report);
      if (read === void 0 || name2 === "__proto__" || name2.length > 500) return void 0;
      out[name2] = read;
    }
    return out;
  };
}
function object(required, optional2 = {}) {
  const fields = Object.entries({ ...required, ...optional2 });
  const needed2 = Object.keys(required);
  return (value, report) => {
    if (!isObject(value)) return void 0;
    const out = {};
    let seen = 0;
    for (const [name2, reader] of fields) {
      if (!Object.hasOwn(value, name2)) continue;
      seen++;
      const given = value[name2];
      if (given === void 0) continue;
      const read = reader(given, report);
      if (read === void 0) {
        report(`${name2} is not valid`);
        return void 0;
      }
      out[name2] = read;
    }
    for (const name2 of needed2) {
      if (out[name2] !== void 0) continue;
      report(`${name2} is missing`);
      return void 0;
    }
    if (Object.keys(value).length > seen)
      report(`unknown fields were dropped: ${unknownNames(value, fields)}`);
    return out;
  };
}
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function unknownNames(value, fields) {
  const known = new Set(fields.map(([name2]) => name2));
  return Object.keys(value).filter((name2) => !known.has(name2)).slice(0, 5).map((name2) => JSON.stringify(name2.slice(0, 40))).join(", ");
}
var textMax, word, line, longText, time, hash, number, count, flag, json;
var init_shape = __esm({
  "src/core/shape.ts"() {
    "use strict";
    textMax = 262144;
    word = text(300);
    line = text(4e3);
    longText = text(textMax);
    time = (value) => typeof value === "string" && value.length <= 40 && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value) ? value : void 0;
    hash = (value) => typeof value === "string" && /^[0-9a-f]{4,64}$/.test(value) ? value : void 0;
    number = (value) => typeof value === "number" && Number.isFinite(value) ? value + 0 : void 0;
    count = (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value + 0 : void 0;
    flag = (value) => typeof value === "boolean" ? value : void 0;
    json = (value) => {
      const text3 = JSON.stringify(value);
      return text3 !== void 0 && text3.length <= textMax ? JSON.parse(text3) : void 0;
    };
  }
});

// src/core/verdict.ts
var verdicts;
var init_verdict = __esm({
  "src/core/verdict.ts"() {
    "use strict";
    verdicts = ["APPROVED", "CHANGES_REQUESTED", "NEEDS_DISCUSSION"];
  }
});

// src/core/record-shape.ts
var words, paths, finalVerdict, branchName, settings, needed, optional, taskShape, laneShape, stopShape, pullRequestShape, stepShape, recordShape, claimShape;
var init_record_shape = __esm({
  "src/core/record-shape.ts"() {
    "use strict";
    init_record();
    init_shape();
    init_task();
    init_verdict();
    words = list(word, 1e3);
    paths = list(line, 5e3);
    finalVerdict = oneOf([...verdicts, "MAX_CYCLES_REACHED"]);
    branchName = text(250);
    settings = {
      requires: oneOf(["completed", "merged"]),
      approval: oneOf(["required", "none"]),
      create_review: flag,
      auto_review: flag,
      max_review_cycles: count,
      review_model: word,
      model: word,
      agents: words,
      max_turns: count,
      timeout_minutes: number,
      review_timeout_minutes: number,
      improve_timeout_minutes: number,
      max_attempts: count,
      max_slices: count,
      budget: number,
      loop: oneOf(["until-verified", "none"]),
      allow: paths,
      verify: line
    };
    needed = { id: word, type: oneOf(taskTypes), title: text(500), content: longText };
    optional = {
      user_story: longText,
      acceptance_criteria: list(line, 200),
      group: word,
      milestone: word,
      priority: oneOf(priorities),
      estimated_complexity: oneOf(complexities),
      depends_on: words,
      same_branch: flag,
      branch: branchName,
      assigned_agent: word,
      files_to_create: paths,
      files_to_modify: paths,
      test_files: paths,
      parent: word,
      plan_file: line,
      project: word,
      linear_issue_id: word,
      tags: words,
      ...settings
    };
    taskShape = object(needed, optional);
    laneShape = object({ id: word, branch: branchName }, {
      fork_point: hash,
      stacked_on: branchName,
      folded_at: time
    });
    stopShape = object({ reason: word, detail: longText, at: time });
    pullRequestShape = object(
      { number: count, state: oneOf(["draft", "open", "merged", "closed"]) },
      { url: line }
    );
    stepShape = object(
      { step: oneOf(stepNames), outcome: oneOf(stepOutcomes), started_at: time, ended_at: time },
      {
        cycle: count,
        agent: word,
        agent_version: word,
        model: word,
        head: hash,
        diff: hash,
        verdict: oneOf(verdicts),
        findings: list(word, 1e3),
        verified: flag,
        error: longText,
        cost_usd: number,
        input_tokens: number,
        output_tokens: number,
        turns: number,
        session: word
      }
    );
    recordShape = object({ ...needed, created_at: time }, {
      ...optional,
      created_by: word,
      file: line,
      key: line,
      was: word,
      notes: list(longText, 1e4),
      lane: laneShape,
      started_at: time,
      closed_at: time,
      closed_as: oneOf(closings),
      closed_reason: longText,
      closed_by: word,
      closed_commit: hash,
      closed_patch: hash,
      link_next: hash,
      believed_done_at: time,
      steps: list(stepShape, stepsKeptMax * 2),
      attempts: count,
      slices: count,
      error: longText,
      implementation_notes: longText,
      review_cycle: count,
      extra_cycles: count,
      final_verdict: finalVerdict,
      verdict_by: word,
      approved_at: time,
      approved_by: word,
      stop: stopShape,
      paused_at: time,
      not_before: time,
      pull_request: pullRequestShape,
      merged_at: time,
      cost_usd: number,
      input_tokens: number,
      output_tokens: number,
      seconds: number
    });
    claimShape = object(
      { id: word, task: word, lane: branchName, holder: word, at: time, until: time },
      {
        run: word,
        step: oneOf(stepNames),
        head: hash,
        files: paths,
        reserved_usd: number,
        agent: word
      }
    );
  }
});

// src/core/event-shape.ts
function event(required, optional2 = {}) {
  return (kind) => object({ kind: oneOf([kind]), ...happened, ...required }, { ...optional2, ...by });
}
function onTask(required = {}, optional2 = {}) {
  return event({ id: word, ...required }, optional2);
}
function readEvent(value, report) {
  const kind = value?.kind;
  const reader = typeof kind === "string" ? readers.get(kind) : void 0;
  if (!reader) {
    report(`there is no event of kind ${JSON.stringify(kind)?.slice(0, 60)}`);
    return void 0;
  }
  return reader(value, report);
}
var happened, by, records, makers, readers, opensShape;
var init_event_shape = __esm({
  "src/core/event-shape.ts"() {
    "use strict";
    init_record();
    init_record_shape();
    init_shape();
    happened = { at: time };
    by = { by: word };
    records = list(recordShape, 5e3);
    makers = {
      add: event({ task: recordShape }),
      adopt: event({ task: recordShape }),
      edit: onTask({ set: json }),
      note: onTask({ text: longText }),
      assign: onTask({ agent: orNull(word) }),
      close: onTask(
        { as: oneOf(closings) },
        { reason: longText, commit: hash, patch: hash, link_next: hash, verdict: finalVerdict, notes: longText }
      ),
      link: onTask({ commit: hash }, { patch: hash }),
      "believed-done": onTask(),
      reopen: onTask({}, { reason: longText }),
      retry: onTask({}, { from_start: flag, redefined: taskShape }),
      reset: onTask(),
      unblock: onTask(),
      stop: onTask({ stop: stopShape }),
      pause: onTask({ paused: flag }),
      approve: onTask({}, { reason: longText }),
      verdict: onTask({ verdict: orNull(finalVerdict) }),
      "grant-cycle": onTask(),
      split: onTask({ children: list(recordShape, 1e3) }),
      step: onTask({ step: stepShape }, { not_before: time }),
      "pull-request": onTask({ pull_request: pullRequestShape }),
      "open-lane": event({ lane: laneShape, tasks: records }),
      "enter-lane": onTask({ lane: laneShape }),
      fold: event({ lane: laneShape, how: oneOf(["merged", "closed", "ended"]), tasks: records }),
      claim: event({ claim: claimShape }),
      renew: event({ claim: word, until: time }),
      release: event({ claim: word, why: line }, { spent_usd: number }),
      limit: event({ agent: word, until: orNull(time) }),
      artifact: event({ path: line, blob: hash }),
      mark: event({ name: word, value: orNull(longText) }),
      rename: event({ from: word, to: word })
    };
    readers = new Map(Object.entries(makers).map(([kind, make]) => [kind, make(kind)]));
    opensShape = object({ branch: branchName, lane: word }, { base: flag });
  }
});

// src/core/parse-entry.ts
function parseEntry(message) {
  const start = message.indexOf("\n\n");
  const body = start < 0 ? "" : message.slice(start + 2).trim();
  let value;
  try {
    value = JSON.parse(body);
  } catch {
    return { kind: "bad", why: "its message does not end in an event" };
  }
  const problems = [];
  const entry = entryShape(value, (problem) => problems.push(problem));
  if (entry === void 0) return { kind: "bad", why: problems.at(-1) ?? "its message holds no event" };
  return { kind: "entry", entry };
}
var entryEventsMax, entryShape;
var init_parse_entry = __esm({
  "src/core/parse-entry.ts"() {
    "use strict";
    init_event_shape();
    init_shape();
    entryEventsMax = 2e4;
    entryShape = object(
      { nonce: word, events: list(readEvent, entryEventsMax) },
      { opens: opensShape }
    );
  }
});

// src/ledger/history.ts
async function readHistory(git, { tip, since, max = historyMax }) {
  const args = [
    "log",
    "-z",
    "--first-parent",
    "--no-show-signature",
    "--encoding=UTF-8",
    "--format=%H%n%T%n%P%n%cI%n%an%n%B",
    `--max-count=${max}`,
    tip,
    ...since ? [`^${since}`] : [],
    "--"
  ];
  const result = await git.run(args, { outputBytesMax: 1 << 30, timeoutMs: 6e5 });
  if (result.code !== 0) throw gitFailure(args, result);
  const texts2 = result.stdout.toString("utf8").split("\0");
  return texts2.filter((text3) => text3 !== "").map(parseCommit).reverse();
}
function parseCommit(text3) {
  const [commit = "", tree = "", parents = "", at = "", author = "", ...rest] = text3.split("\n");
  const message = rest.join("\n");
  const parsed = parseEntry(message);
  return {
    commit,
    tree,
    parents: parents.split(" ").filter(Boolean),
    at,
    author,
    subject: rest[0] ?? "",
    ...parsed.kind === "entry" ? { entry: parsed.entry } : { entry: null, why: parsed.why }
  };
}
var historyMax;
var init_history = __esm({
  "src/ledger/history.ts"() {
    "use strict";
    init_parse_entry();
    init_git();
    historyMax = 1e6;
  }
});

// src/ledger/stale-locks.ts
function removeStaleLocks(repository, refs, ageMs = lockAgeMs) {
  const paths2 = [...refs, "packed-refs"].map((ref) => (0, import_node_path3.join)(repository.commonDir, `${ref}.lock`));
  return paths2.filter((path) => removeIfStale(repository, path, ageMs));
}
function removeIfStale(repository, path, ageMs) {
  const before = (0, import_node_fs3.lstatSync)(path, { throwIfNoEntry: false });
  if (!before?.isFile() || Date.now() - before.mtimeMs < ageMs) return false;
  const scratch = (0, import_node_path3.join)(repository.commonDir, "gza");
  const aside = (0, import_node_path3.join)(scratch, `stale-lock.${process.pid}.${Math.random().toString(36).slice(2)}`);
  try {
    (0, import_node_fs3.mkdirSync)(scratch, { recursive: true });
    (0, import_node_fs3.renameSync)(path, aside);
    const taken = (0, import_node_fs3.lstatSync)(aside);
    if (taken.ino !== before.ino || taken.mtimeMs !== before.mtimeMs) (0, import_node_fs3.linkSync)(aside, path);
    (0, import_node_fs3.rmSync)(aside, { force: true });
    return taken.ino === before.ino;
  } catch {
    return false;
  }
}
var import_node_fs3, import_node_path3, lockAgeMs;
var init_stale_locks = __esm({
  "src/ledger/stale-locks.ts"() {
    "use strict";
    import_node_fs3 = require("node:fs");
    import_node_path3 = require("node:path");
    lockAgeMs = 1e4;
  }
});

// src/ledger/move-refs.ts
async function moveRefs(repository, moves) {
  const zero = "0".repeat(repository.objectFormat === "sha1" ? 40 : 64);
  const lines = moves.map(({ ref, to, from }) => {
    if (/[\0\n]/.test(ref)) throw new GzaError("input", `${JSON.stringify(ref)} is no name for a ref`);
    return to === null ? `delete ${ref}\0${from ?? ""}\0` : `update ${ref}\0${to}\0${from ?? zero}\0`;
  });
  const stdin = `start\0${lines.join("")}prepare\0commit\0`;
  const args = ["update-ref", "--no-deref", "-m", "gza", "--stdin", "-z"];
  const result = await repository.git.run(args, { stdin, env: committer });
  if (result.code === 0) return "moved";
  return judge(repository, moves, args, result);
}
function judge(repository, moves, args, result) {
  const { stderr } = result;
  if (result.code < 0) return "unclear";
  if (/\.lock'?: File exists|Unable to create '[^']*\.lock'.*exists/s.test(stderr)) {
    removeStaleLocks(
      repository,
      moves.map((move) => move.ref)
    );
    return "busy";
  }
  if (/\.lock': No such file or directory/.test(stderr)) return "busy";
  if (/but expected|reference already exists|unable to resolve reference|reference is missing/.test(stderr))
    return "lost";
  const conflict = /'([^']+)' exists; cannot create '([^']+)'/.exec(stderr);
  if (conflict) {
    throw new GzaError(
      "blocked",
      `${conflict[1]} is in the way of ${conflict[2]}: git keeps only one of them`,
      {
        hint: "Fold or remove the first (`gza clean`), or use another branch name.",
        data: { inTheWay: conflict[1], ref: conflict[2] }
      }
    );
  }
  if (/Read-only file system|Permission denied/.test(stderr)) {
    throw new GzaError("world", `nothing was recorded: ${repository.commonDir} cannot be written`, {
      hint: "Reading works; to record something, make the repository writable for you.",
      cause: stderr
    });
  }
  throw gitFailure(args, result);
}
async function holds(git, ref, commit) {
  const result = await git.run(["merge-base", "--is-ancestor", commit, ref]);
  return result.code === 0;
}
var committer;
var init_move_refs = __esm({
  "src/ledger/move-refs.ts"() {
    "use strict";
    init_errors();
    init_git();
    init_stale_locks();
    committer = {
      GIT_COMMITTER_NAME: process.env["GIT_COMMITTER_NAME"] || "gza",
      GIT_COMMITTER_EMAIL: process.env["GIT_COMMITTER_EMAIL"] || "gza@localhost"
    };
  }
});

// src/ledger/ref-files.ts
function readRefFiles(commonDir, folders, names) {
  const rows = /* @__PURE__ */ new Map();
  try {
    for (const folder of folders) readFolder(commonDir, folder, rows);
    for (const name2 of names) readLoose(commonDir, name2, rows);
    readPacked(commonDir, folders, names, rows);
  } catch (error) {
    if (error instanceof Unusual || error.code) return null;
    throw error;
  }
  return [...rows.values()].sort((a, b) => a.ref < b.ref ? -1 : 1);
}
function readFolder(commonDir, folder, rows, depth = 0) {
  if (depth > 30) throw new Unusual();
  for (const entry of entriesOf((0, import_node_path4.join)(commonDir, folder))) {
    const ref = `${folder}/${entry.name}`;
    if (isStrange(entry.name)) throw new Unusual();
    if (entry.isDirectory()) readFolder(commonDir, ref, rows, depth + 1);
    else if (!entry.isFile()) throw new Unusual();
    else if (!entry.name.endsWith(".lock")) readLoose(commonDir, ref, rows);
    if (rows.get(ref)?.target) throw new Unusual();
    if (rows.size > looseMax) throw new Unusual();
  }
}
function isStrange(name2) {
  return name2.includes("\uFFFD") || process.platform === "darwin" && /[^ -~]/.test(name2);
}
function entriesOf(dir) {
  try {
    return (0, import_node_fs4.readdirSync)(dir, { withFileTypes: true });
  } catch (cause) {
    if (isMissing(cause)) return [];
    throw cause;
  }
}
function readLoose(commonDir, ref, rows) {
  let text3;
  try {
    text3 = (0, import_node_fs4.readFileSync)((0, import_node_path4.join)(commonDir, ref), "latin1").trim();
  } catch (cause) {
    if (isMissing(cause)) return;
    throw cause;
  }
  const target = /^ref: (\S+)$/.exec(text3)?.[1] ?? "";
  if (target === "" && !isHash(text3)) throw new Unusual();
  rows.set(ref, { ref, oid: target ? "" : text3, target });
}
function readPacked(commonDir, folders, names, rows) {
  let bytes;
  try {
    bytes = (0, import_node_fs4.readFileSync)((0, import_node_path4.join)(commonDir, "packed-refs"));
  } catch (cause) {
    if (isMissing(cause)) return;
    throw cause;
  }
  if (bytes.length > packedBytesMax) throw new Unusual();
  const exact = new Set(names);
  for (const line3 of bytes.toString("utf8").split("\n")) {
    const space = line3.indexOf(" ");
    const ref = line3.slice(space + 1);
    if (rows.has(ref) || !(exact.has(ref) || folders.some((folder) => ref.startsWith(`${folder}/`))))
      continue;
    const oid = line3.slice(0, space);
    if (isHash(oid)) rows.set(ref, { ref, oid, target: "" });
  }
}
function isHash(text3) {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text3);
}
function isMissing(cause) {
  const { code: code2 } = cause;
  return code2 === "ENOENT" || code2 === "ENOTDIR" || code2 === "EISDIR";
}
var import_node_fs4, import_node_path4, looseMax, packedBytesMax, Unusual;
var init_ref_files = __esm({
  "src/ledger/ref-files.ts"() {
    "use strict";
    import_node_fs4 = require("node:fs");
    import_node_path4 = require("node:path");
    looseMax = 2e4;
    packedBytesMax = 8 << 20;
    Unusual = class extends Error {
    };
  }
});

// src/ledger/read-refs.ts
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
  for (const line3 of result.stdout.toString("utf8").split("\n")) {
    const [oid = "", ref = "", target = ""] = line3.split(" ");
    if (ref) rows.push({ ref, oid, target });
  }
  return rows;
}
function unreadableRepository(said2) {
  if (!/dubious ownership/.test(said2)) return null;
  return new GzaError("world", "git refuses to read this repository: it belongs to another user", {
    hint: said2.match(/git config --global .*/)?.[0] ?? "See safe.directory in `git help config`."
  });
}
function isBranchName(name2) {
  if (name2.length === 0 || Buffer.byteLength(name2) > 240 || name2.startsWith("-") || name2 === "HEAD")
    return false;
  if (/[\p{Cc}\u2028\u2029 ~^:?*[\\]|\.\.|@\{|\/\/|\.$|^\/|\/$/u.test(name2) || name2 === "@") return false;
  return name2.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock") && part !== "");
}
function refInTheWay(name2, existing) {
  for (const other of existing) {
    if (other !== name2 && (other.startsWith(`${name2}/`) || name2.startsWith(`${other}/`))) return other;
  }
  return null;
}
var localMirror, backups, refsMax;
var init_read_refs = __esm({
  "src/ledger/read-refs.ts"() {
    "use strict";
    init_errors();
    init_git();
    init_ref_files();
    localMirror = "refs/gza/local/";
    backups = "refs/gza/backup/";
    refsMax = 2e5;
  }
});

// src/core/print-record.ts
function printRecord(record) {
  const problems = [];
  const canonical = recordShape(record, (problem) => problems.push(problem));
  if (canonical === void 0 || problems.length > 0) {
    throw new GzaError("input", `task ${record.id} cannot be stored: ${problems.join("; ")}`, {
      hint: "Shorten or correct that field. Long material belongs into a file of the repository."
    });
  }
  return JSON.stringify(canonical);
}
var init_print_record = __esm({
  "src/core/print-record.ts"() {
    "use strict";
    init_errors();
    init_record_shape();
  }
});

// src/core/rename-event.ts
function renameInEvent(event2, renames) {
  if (renames.size === 0) return event2;
  const to = (id) => renames.get(id) ?? id;
  switch (event2.kind) {
    case "add":
    case "adopt":
      return { ...event2, task: renameReferences(event2.task, renames) };
    case "open-lane":
    case "fold":
      return { ...event2, tasks: event2.tasks.map((task) => renameRecord(task, renames)) };
    case "split":
      return {
        ...event2,
        id: to(event2.id),
        children: event2.children.map((task) => renameReferences(task, renames))
      };
    case "claim":
      return { ...event2, claim: { ...event2.claim, task: to(event2.claim.task) } };
    case "edit":
      return { ...event2, id: to(event2.id), set: renameInFields(event2.set, renames) };
    case "rename":
      return { ...event2, from: to(event2.from) };
    case "renew":
    case "release":
    case "limit":
    case "artifact":
    case "mark":
      return event2;
    default:
      return { ...event2, id: to(event2.id) };
  }
}
function renameReferences(record, renames) {
  return renameInFields(record, renames);
}
function renameRecord(record, renames) {
  const to = renames.get(record.id);
  const next2 = renameReferences(record, renames);
  return to === void 0 ? next2 : { ...next2, id: to, was: record.id };
}
function renameInFields(fields, renames) {
  const next2 = { ...fields };
  const to = (id) => typeof id === "string" ? renames.get(id) ?? id : id;
  if (Array.isArray(fields.depends_on)) next2.depends_on = fields.depends_on.map(to);
  if (fields.parent !== void 0) next2.parent = to(fields.parent);
  return next2;
}
var init_rename_event = __esm({
  "src/core/rename-event.ts"() {
    "use strict";
  }
});

// src/core/set-fields.ts
function setFields(record, fields) {
  const next2 = { ...record };
  for (const [name2, value] of Object.entries(fields)) {
    if (value === void 0) delete next2[name2];
    else next2[name2] = value;
  }
  return next2;
}
var init_set_fields = __esm({
  "src/core/set-fields.ts"() {
    "use strict";
  }
});

// src/core/time.ts
function parseTime(iso) {
  return Date.parse(iso);
}
function printTime(milliseconds) {
  return new Date(milliseconds).toISOString();
}
function toSecond(iso) {
  return iso.replace(/\.\d+Z$/, "Z");
}
function addSeconds(iso, seconds) {
  return printTime(parseTime(iso) + seconds * 1e3);
}
function printDuration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  const days = Math.floor(hours / 24);
  return hours % 24 ? `${days} d ${hours % 24} h` : `${days} d`;
}
var init_time = __esm({
  "src/core/time.ts"() {
    "use strict";
  }
});

// src/core/apply-step.ts
function addStep(record, step, notBefore) {
  const steps = kept([...record.steps ?? [], step]);
  const next2 = setFields(record, {
    ...sum(record, step),
    steps,
    started_at: record.started_at ?? step.started_at,
    not_before: notBefore,
    review_cycle: step.cycle === void 0 ? record.review_cycle : Math.max(step.cycle, record.review_cycle ?? 0)
  });
  return step.outcome === "ok" ? withSuccess(next2, step) : withFailure(next2, steps, step);
}
function withSuccess(record, step) {
  const isLate = record.closed_at !== void 0;
  const late = isLate && step.verdict && !record.verdict_by ? { final_verdict: step.verdict } : {};
  const isAnswered = isLate ? step.verdict === "APPROVED" : (record.stop?.at ?? "") <= step.started_at;
  return setFields(record, {
    attempts: void 0,
    slices: void 0,
    error: void 0,
    ...isAnswered ? { stop: void 0 } : {},
    ...late
  });
}
function withFailure(record, steps, step) {
  const { outcome: outcome2 } = step;
  const isFailed = outcome2 === "failed" || outcome2 === "lost" || isInterruptedAgain(steps);
  return setFields(record, {
    attempts: (record.attempts ?? 0) + (isFailed ? 1 : 0) || void 0,
    slices: (record.slices ?? 0) + (outcome2 === "slice" ? 1 : 0) || void 0,
    error: step.error ?? record.error
  });
}
function isInterruptedAgain(steps) {
  const before = steps.findLastIndex(({ outcome: outcome2 }) => outcome2 !== "limit" && outcome2 !== "cancelled");
  const row = steps.length - 1 - before;
  return row > 0 && (row % interruptionsMax === 0 || steps.length >= stepsKeptMax);
}
function kept(steps) {
  if (steps.length <= stepsKeptMax) return steps;
  const spare = steps.findIndex(({ outcome: outcome2 }, at) => outcome2 !== "ok" && at < steps.length - 1);
  return steps.toSpliced(spare === -1 ? 1 : spare, 1);
}
function sum(record, step) {
  const seconds = Math.max(0, Math.round((parseTime(step.ended_at) - parseTime(step.started_at)) / 1e3));
  return {
    cost_usd: total(record.cost_usd, step.cost_usd),
    input_tokens: total(record.input_tokens, step.input_tokens),
    output_tokens: total(record.output_tokens, step.output_tokens),
    seconds: total(record.seconds, seconds)
  };
}
function total(before, more) {
  if (!more) return before;
  return Math.round(((before ?? 0) + more) * 1e6) / 1e6;
}
var interruptionsMax;
var init_apply_step = __esm({
  "src/core/apply-step.ts"() {
    "use strict";
    init_record();
    init_set_fields();
    init_time();
    interruptionsMax = 10;
  }
});

// src/core/apply-task.ts
function applyToTask(state, event2) {
  if (event2.kind === "add" || event2.kind === "adopt") {
    if (state.tasks.has(event2.task.id)) return refuse("exists", `${event2.task.id} exists already`);
    return { kind: "applied", changes: { tasks: [event2.task] } };
  }
  const record = state.tasks.get(event2.id);
  if (!record) return refuse("unknown", `${event2.id} is not in this ledger`);
  if (event2.kind === "split") return split(state, record, event2);
  const next2 = nextRecord(record, event2);
  if ("kind" in next2 && next2.kind === "refused") return next2;
  return { kind: "applied", changes: { tasks: [next2] } };
}
function refuse(why, detail) {
  return { kind: "refused", why, detail };
}
function nextRecord(record, event2) {
  switch (event2.kind) {
    case "edit":
      return edit(record, event2.set);
    case "note":
      return addNote(record, event2.text);
    case "assign":
      return setFields(record, { assigned_agent: event2.agent ?? void 0 });
    case "close":
      return close(record, event2);
    case "link":
      return setFields(record, { closed_commit: event2.commit, closed_patch: event2.patch, link_next: void 0 });
    case "believed-done":
      return setFields(record, { believed_done_at: event2.at });
    case "reopen":
      return reopen(record);
    case "retry":
      return retry(record, event2);
    case "reset":
      return reopenFailed(setFields(record, { attempts: void 0, slices: void 0, error: void 0 }));
    case "unblock":
      return setFields(record, {
        stop: void 0,
        paused_at: void 0,
        slices: void 0,
        ...answered(record, event2)
      });
    case "stop":
      return setFields(record, { stop: event2.stop });
    case "pause":
      return setFields(record, { paused_at: event2.paused ? event2.at : void 0 });
    case "approve":
      return setFields(record, { approved_at: event2.at, approved_by: event2.by, stop: void 0 });
    case "verdict":
      return setFields(record, {
        final_verdict: event2.verdict ?? void 0,
        verdict_by: event2.verdict ? event2.by : void 0,
        ...event2.verdict === "APPROVED" ? { stop: void 0 } : {}
      });
    case "grant-cycle":
      return setFields(record, { extra_cycles: (record.extra_cycles ?? 0) + 1, stop: void 0 });
    case "step":
      return addStep(record, event2.step, event2.not_before);
    case "pull-request":
      return setFields(record, {
        pull_request: event2.pull_request,
        ...event2.pull_request.state === "merged" ? { merged_at: record.merged_at ?? event2.at } : {}
      });
  }
}
function reopen(record) {
  if (!record.closed_at) return refuse("not-closed", `${record.id} is not closed`);
  const isFolded2 = record.lane?.folded_at !== void 0;
  return setFields(record, {
    ...reopened,
    ...fresh,
    final_verdict: void 0,
    verdict_by: void 0,
    ...isFolded2 || record.closed_as === "done" ? undone : {},
    ...isFolded2 ? { merged_at: void 0, pull_request: void 0 } : {}
  });
}
function answered(record, { at }) {
  const last = record.steps?.at(-1);
  const isAsked = last?.outcome === "blocked" || last?.outcome === "no-verdict";
  return { not_before: isAsked ? at > last.ended_at ? at : last.ended_at : void 0 };
}
function edit(record, fields) {
  const names = Object.keys(fields);
  if (names.includes("id")) return refuse("invalid", "an id cannot be changed");
  const fixed = record.started_at !== void 0 || record.closed_at !== void 0;
  const late = names.find((name2) => !editableLater.has(name2));
  if (fixed && late) {
    return refuse(
      "invalid",
      `${record.id} was ${record.closed_at ? "closed" : "claimed"}: its ${late} is fixed; group, milestone, priority and tags can still change`
    );
  }
  const values = Object.fromEntries(
    Object.entries(fields).map(([name2, value]) => [name2, value ?? void 0])
  );
  return setFields(record, values);
}
function addNote(record, text3) {
  const notes = record.notes ?? [];
  if (notes.length >= notesMax)
    return refuse("invalid", `${record.id} has ${notesMax} notes already, the limit`);
  if (text3.length > noteCharactersMax) {
    return refuse("invalid", `the note has ${text3.length} characters; ${noteCharactersMax} is the limit`);
  }
  return setFields(record, { notes: [...notes, text3] });
}
function close(record, event2) {
  const maySettle = (record.closed_as === "failed" || record.closed_as === "dropped") && event2.as !== "failed";
  if (record.closed_at && !(maySettle && event2.as !== record.closed_as)) {
    return refuse("closed", `${record.id} is closed already (${record.closed_as})`);
  }
  return setFields(record, {
    closed_at: event2.at,
    closed_as: event2.as,
    closed_reason: event2.reason,
    closed_by: event2.by,
    closed_commit: event2.commit,
    closed_patch: event2.patch,
    link_next: event2.link_next,
    stop: void 0,
    paused_at: void 0,
    not_before: void 0,
    final_verdict: event2.verdict ?? record.final_verdict,
    implementation_notes: event2.notes ?? record.implementation_notes
  });
}
function retry(record, event2) {
  if (record.closed_at && record.closed_as !== "failed") {
    return refuse("closed", `${record.id} is closed (${record.closed_as}); reopen it first`);
  }
  const open3 = reopenFailed(
    setFields(record, {
      ...fresh,
      error: record.error,
      ...answered(record, event2),
      ...event2.from_start ? undone : {}
    })
  );
  return event2.redefined ? setFields(withoutDefinition(open3), { ...event2.redefined, id: record.id }) : open3;
}
function reopenFailed(record) {
  return record.closed_as === "failed" ? setFields(record, { ...reopened, stop: void 0 }) : record;
}
function withoutDefinition(record) {
  return setFields(record, Object.fromEntries(definitionFields.map((name2) => [name2, void 0])));
}
function split(state, record, event2) {
  if (record.closed_at) return refuse("closed", `${record.id} is closed already (${record.closed_as})`);
  if (record.started_at) return refuse("invalid", `${record.id} has been started and cannot be split`);
  const taken = event2.children.find((child) => state.tasks.has(child.id));
  if (taken) return refuse("exists", `${taken.id} exists already`);
  const parent = setFields(record, { closed_at: event2.at, closed_as: "split", closed_by: event2.by });
  return { kind: "applied", changes: { tasks: [parent, ...event2.children] } };
}
var editableLater, notesMax, noteCharactersMax, reopened, fresh, undone, definitionFields;
var init_apply_task = __esm({
  "src/core/apply-task.ts"() {
    "use strict";
    init_apply_step();
    init_set_fields();
    editableLater = /* @__PURE__ */ new Set([
      "group",
      "milestone",
      "priority",
      "tags",
      "linear_issue_id"
    ]);
    notesMax = 1e3;
    noteCharactersMax = 2e4;
    reopened = {
      closed_at: void 0,
      closed_as: void 0,
      closed_reason: void 0,
      closed_by: void 0,
      closed_commit: void 0,
      closed_patch: void 0,
      link_next: void 0
    };
    fresh = { stop: void 0, attempts: void 0, slices: void 0, error: void 0 };
    undone = {
      steps: void 0,
      review_cycle: void 0,
      extra_cycles: void 0,
      final_verdict: void 0,
      verdict_by: void 0,
      approved_at: void 0,
      approved_by: void 0,
      believed_done_at: void 0
    };
    definitionFields = [
      "user_story",
      "acceptance_criteria",
      "depends_on",
      "same_branch",
      "files_to_create",
      "files_to_modify",
      "test_files",
      "requires",
      "approval",
      "create_review",
      "auto_review",
      "max_review_cycles",
      "review_model",
      "model",
      "agents",
      "max_turns",
      "timeout_minutes",
      "review_timeout_minutes",
      "improve_timeout_minutes",
      "max_attempts",
      "max_slices",
      "budget",
      "loop",
      "allow",
      "verify",
      "estimated_complexity"
    ];
  }
});

// src/core/apply-claims.ts
function applyToClaims(state, event2) {
  switch (event2.kind) {
    case "claim":
      return claim(state, event2.claim, event2.at);
    case "renew":
      return renew(state, event2);
    case "release":
      return release(state, event2);
    case "limit":
      return changed(state, {
        not_before: withLimit(state.meta.not_before, event2.agent, event2.until, event2.at)
      });
  }
}
function liveClaim(claims, { task, lane }, at) {
  return claims?.find((held) => (held.task === task || held.lane === lane) && held.until > at);
}
function claim(state, wanted, at) {
  const held = liveClaim(state.meta.claims, wanted, at);
  if (held && held.id !== wanted.id) {
    return {
      ...refuse("claimed", `${wanted.task} is held by ${held.holder} until ${held.until}`),
      claim: held
    };
  }
  const record = state.tasks.get(wanted.task);
  if (record?.closed_at && !isAskedFor(record, wanted)) {
    return refuse("closed", `${wanted.task} is closed (${record.closed_as})`);
  }
  const holder = record?.assigned_agent;
  if (holder && holder !== wanted.holder && holder !== wanted.agent) {
    return refuse("assigned", `${wanted.task} is assigned to ${holder}`);
  }
  const others = (state.meta.claims ?? []).filter(
    (one) => one.id !== wanted.id && one.task !== wanted.task && one.lane !== wanted.lane
  );
  const meta = withMeta(state.meta, { claims: [...others, wanted] });
  if (!record || record.started_at) return { kind: "applied", changes: { meta } };
  return { kind: "applied", changes: { meta, tasks: [setFields(record, { started_at: at })] } };
}
function isAskedFor({ closed_as }, { step }) {
  return closed_as === "done" && (step === "review" || step === "improve");
}
function renew(state, event2) {
  const claims = state.meta.claims ?? [];
  if (!claims.some((one) => one.id === event2.claim)) return notHeld(event2.claim);
  return changed(state, {
    claims: claims.map((one) => one.id === event2.claim ? { ...one, until: event2.until } : one)
  });
}
function release(state, event2) {
  const claims = state.meta.claims ?? [];
  if (!claims.some((one) => one.id === event2.claim)) return notHeld(event2.claim);
  const rest = claims.filter((one) => one.id !== event2.claim);
  return changed(state, {
    claims: rest.length > 0 ? rest : void 0,
    spent: withSpent(state.meta.spent, event2.at.slice(0, 10), event2.spent_usd)
  });
}
function notHeld(claim2) {
  return refuse("not-held", `claim ${claim2} is no longer held`);
}
function withSpent(spent, day, more) {
  if (!more) return spent;
  const all = { ...spent, [day]: Math.round(((spent?.[day] ?? 0) + more) * 1e6) / 1e6 };
  const kept2 = Object.keys(all).sort().slice(-daysKept).map((key) => [key, all[key]]);
  return Object.fromEntries(kept2);
}
function withLimit(limits, agent, until, at) {
  const live = Object.entries(limits ?? {}).filter(([name2, time2]) => name2 !== agent && time2 > at);
  if (until) live.push([agent, until]);
  live.sort(([a], [b]) => a < b ? -1 : 1);
  return live.length > 0 ? Object.fromEntries(live) : void 0;
}
function changed(state, fields) {
  return { kind: "applied", changes: { meta: withMeta(state.meta, fields) } };
}
function withMeta(meta, fields) {
  const next2 = { ...meta };
  for (const [name2, value] of Object.entries(fields)) {
    if (value === void 0) delete next2[name2];
    else next2[name2] = value;
  }
  return next2;
}
var daysKept;
var init_apply_claims = __esm({
  "src/core/apply-claims.ts"() {
    "use strict";
    init_apply_task();
    init_set_fields();
    daysKept = 35;
  }
});

// src/core/apply-lane.ts
function applyToLane(state, event2) {
  switch (event2.kind) {
    case "open-lane":
      return openLane(state, event2);
    case "enter-lane": {
      const record = state.tasks.get(event2.id);
      if (!record) return refuse("unknown", `${event2.id} is not in this ledger`);
      const started_at = record.started_at ?? event2.at;
      return { kind: "applied", changes: { tasks: [setFields(record, { lane: event2.lane, started_at })] } };
    }
    case "fold":
      return fold(state, event2);
    case "rename":
      return rename(state, event2.from, event2.to);
    case "artifact":
      return { kind: "applied", changes: { artifacts: /* @__PURE__ */ new Map([[event2.path, event2.blob]]) } };
    case "mark": {
      const marks = { ...state.meta.marks };
      if (event2.value === null) delete marks[event2.name];
      else marks[event2.name] = event2.value;
      const kept2 = Object.keys(marks).length > 0 ? sorted(marks) : void 0;
      return { kind: "applied", changes: { meta: withMeta(state.meta, { marks: kept2 }) } };
    }
  }
}
function sorted(marks) {
  return Object.fromEntries(Object.entries(marks).sort(([a], [b]) => a < b ? -1 : 1));
}
function openLane(state, event2) {
  if (state.tasks.size > 0 && state.meta.lane !== event2.lane.id) {
    return refuse("exists", `${state.meta.branch} holds another lane already (${state.meta.lane})`);
  }
  const taken = event2.tasks.find((task) => state.tasks.has(task.id));
  if (taken) return refuse("exists", `${taken.id} is in this lane already`);
  const tasks = event2.tasks.map((task) => setFields(task, { lane: event2.lane }));
  return { kind: "applied", changes: { meta: withMeta(state.meta, { lane: event2.lane.id }), tasks } };
}
function fold(state, event2) {
  const again = event2.tasks.find((task) => {
    const lane2 = state.tasks.get(task.id)?.lane;
    return lane2?.id === event2.lane.id && lane2.folded_at !== void 0;
  });
  if (again) return refuse("folded", `lane ${event2.lane.id} was folded already`);
  const lane = { ...event2.lane, folded_at: event2.at };
  const tasks = event2.tasks.map((task) => setFields(homeward(task, event2, state.tasks.get(task.id)), { lane }));
  const claims = state.meta.claims?.filter((claim2) => claim2.lane !== event2.lane.branch);
  const meta = withMeta(state.meta, { claims: claims && claims.length > 0 ? claims : void 0 });
  return { kind: "applied", changes: { tasks, meta } };
}
function homeward(task, event2, known) {
  if (event2.how === "merged") {
    if (!task.closed_at && !hasStarted(task, event2, known)) return task;
    const merged = setFields(task, { merged_at: task.merged_at ?? event2.at, stop: void 0 });
    const isDone = task.closed_as === "done" || task.closed_as === "skipped" || task.closed_as === "split";
    return isDone ? merged : setFields(merged, { closed_at: event2.at, closed_as: "done", closed_reason: void 0 });
  }
  if (event2.how === "closed" && task.closed_as !== "skipped" && task.closed_as !== "dropped") {
    return setFields(task, {
      closed_at: event2.at,
      closed_as: "dropped",
      closed_reason: "its pull request was closed without merging",
      stop: void 0
    });
  }
  return task;
}
function hasStarted(task, { lane }, known) {
  return Boolean(task.steps?.length) || task.started_at !== void 0 || known?.lane?.id === lane.id;
}
function rename(state, from, to) {
  const record = state.tasks.get(from);
  if (!record) return refuse("unknown", `${from} is not in this ledger`);
  if (state.tasks.has(to)) return refuse("exists", `${to} exists already`);
  const tasks = [setFields(record, { id: to, was: from })];
  for (const other of state.tasks.values()) {
    if (other.id === from) continue;
    const follows = other.depends_on?.includes(from) || other.parent === from;
    if (!follows) continue;
    tasks.push(
      setFields(other, {
        depends_on: other.depends_on?.map((id) => id === from ? to : id),
        parent: other.parent === from ? to : other.parent
      })
    );
  }
  return { kind: "applied", changes: { removed: [from], tasks } };
}
var init_apply_lane = __esm({
  "src/core/apply-lane.ts"() {
    "use strict";
    init_apply_claims();
    init_apply_task();
    init_set_fields();
  }
});

// src/core/apply.ts
function touches(event2) {
  switch (event2.kind) {
    case "add":
    case "adopt":
      return { ids: [event2.task.id], meta: false };
    case "split":
      return { ids: [event2.id, ...event2.children.map((child) => child.id)], meta: false };
    case "claim":
      return { ids: [event2.claim.task], meta: true };
    case "open-lane":
      return { ids: event2.tasks.map((task) => task.id), meta: true };
    case "fold":
      return { ids: event2.tasks.map((task) => task.id), meta: true };
    case "rename":
      return { ids: "all", meta: false };
    case "renew":
    case "release":
    case "limit":
    case "artifact":
    case "mark":
      return { ids: [], meta: true };
    case "edit":
    case "note":
    case "assign":
    case "close":
    case "link":
    case "believed-done":
    case "reopen":
    case "retry":
    case "reset":
    case "unblock":
    case "stop":
    case "pause":
    case "approve":
    case "verdict":
    case "grant-cycle":
    case "step":
    case "pull-request":
    case "enter-lane":
      return { ids: [event2.id], meta: false };
  }
}
function apply(state, event2) {
  switch (event2.kind) {
    case "claim":
    case "renew":
    case "release":
    case "limit":
      return applyToClaims(state, event2);
    case "open-lane":
    case "enter-lane":
    case "fold":
    case "rename":
    case "artifact":
    case "mark":
      return applyToLane(state, event2);
    default:
      return applyToTask(state, event2);
  }
}
var init_apply = __esm({
  "src/core/apply.ts"() {
    "use strict";
    init_apply_claims();
    init_apply_lane();
    init_apply_task();
  }
});

// src/core/parse-meta.ts
function parseMeta(text3) {
  let value;
  try {
    value = JSON.parse(text3);
  } catch {
    return { kind: "bad", why: "ledger.json is not JSON" };
  }
  if (typeof value === "object" && value !== null && "v" in value && typeof value.v === "number" && value.v > 1) {
    return { kind: "bad", why: `it was written by a newer gza (format ${value.v}); update gza to read it` };
  }
  const problems = [];
  const meta = metaShape(value, (problem) => problems.push(problem));
  if (meta === void 0) return { kind: "bad", why: `ledger.json: ${problems.at(-1) ?? "not a ledger"}` };
  return { kind: "meta", meta, problems };
}
function printMeta(meta) {
  const canonical = metaShape(meta, () => {
  });
  if (canonical === void 0) {
    throw new GzaError(
      "input",
      `the ledger of ${meta.branch} cannot be stored: a value in ledger.json is not valid`
    );
  }
  return `${JSON.stringify(canonical)}
`;
}
var metaShape;
var init_parse_meta = __esm({
  "src/core/parse-meta.ts"() {
    "use strict";
    init_errors();
    init_record_shape();
    init_shape();
    metaShape = object(
      { v: oneOf([1]), branch: branchName, lane: word },
      {
        base: flag,
        claims: list(claimShape, 1e4),
        not_before: map(time, 1e3),
        spent: map(number, 100),
        marks: map(longText, 1e4)
      }
    );
  }
});

// src/core/describe-event.ts
function describeEvent(event2) {
  const line3 = sentence(event2).replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
  return line3.length <= lengthMax ? line3 : `${line3.slice(0, lengthMax - 1)}\u2026`;
}
function describeEvents(events) {
  const [first] = events;
  if (!first) return "Nothing happened";
  return events.length === 1 ? describeEvent(first) : `${events.length} events: ${describeEvent(first)}, \u2026`;
}
function sentence(event2) {
  switch (event2.kind) {
    case "add":
      return `File ${event2.task.id}: ${event2.task.title}`;
    case "adopt":
      return `Take ${event2.task.id} from ${event2.task.file ?? "its file"}: ${event2.task.title}`;
    case "edit":
      return `Edit ${event2.id}: ${Object.keys(event2.set).join(", ")}`;
    case "note":
      return `Note on ${event2.id}: ${event2.text}`;
    case "assign":
      return event2.agent ? `Assign ${event2.id} to ${event2.agent}` : `Unassign ${event2.id}`;
    case "close":
      return `Close ${event2.id} as ${event2.as}${event2.reason ? `: ${event2.reason}` : ""}`;
    case "link":
      return `Link ${event2.id} to ${event2.commit.slice(0, 12)}`;
    case "believed-done":
      return `The agent believes that ${event2.id} is done`;
    case "reopen":
      return `Reopen ${event2.id}`;
    case "retry":
      return `Retry ${event2.id}${event2.from_start ? " from the start" : ""}`;
    case "reset":
      return `Reset the attempts of ${event2.id}`;
    case "unblock":
      return `Unblock ${event2.id}`;
    case "stop":
      return `${event2.id} waits for a person: ${event2.stop.detail}`;
    case "pause":
      return `${event2.paused ? "Pause" : "Resume"} ${event2.id}`;
    case "approve":
      return `Approve ${event2.id}`;
    case "verdict":
      return event2.verdict ? `Set the verdict of ${event2.id} to ${event2.verdict}` : `Clear the verdict of ${event2.id}`;
    case "grant-cycle":
      return `Grant ${event2.id} one more review cycle`;
    case "split":
      return `Split ${event2.id} into ${event2.children.map((child) => child.id).join(", ")}`;
    case "step":
      return `${event2.id}: ${event2.step.step} ended ${event2.step.verdict ?? event2.step.outcome}`;
    case "pull-request":
      return `${event2.id}: pull request #${event2.pull_request.number} is ${event2.pull_request.state}`;
    case "open-lane":
      return `Open lane ${event2.lane.branch} for ${event2.tasks.map((task) => task.id).join(", ")}`;
    case "enter-lane":
      return `${event2.id} enters lane ${event2.lane.branch}`;
    case "fold":
      return `Fold lane ${event2.lane.branch} (${event2.how}): ${event2.tasks.map((task) => task.id).join(", ")}`;
    case "claim":
      return `${event2.claim.holder} claims ${event2.claim.task}`;
    case "renew":
      return `Renew claim ${event2.claim} until ${event2.until}`;
    case "release":
      return `Release claim ${event2.claim}: ${event2.why}`;
    case "limit":
      return event2.until ? `${event2.agent} is rate-limited until ${event2.until}` : `${event2.agent} may run again`;
    case "artifact":
      return `Keep ${event2.path}`;
    case "mark":
      return `Mark ${event2.name}`;
    case "rename":
      return `Rename ${event2.from} to ${event2.to}: the id was taken in another clone`;
  }
}
var lengthMax;
var init_describe_event = __esm({
  "src/core/describe-event.ts"() {
    "use strict";
    lengthMax = 100;
  }
});

// src/core/print-entry.ts
function printEntry(entry) {
  const problems = [];
  const canonical = entryShape(entry, (problem) => problems.push(problem));
  if (canonical === void 0 || problems.length > 0) {
    const kinds = [...new Set(entry.events.map((event2) => event2.kind))].join(", ");
    throw new GzaError("input", `the event (${kinds}) cannot be stored: ${problems.join("; ")}`, {
      hint: "A value is missing, of the wrong kind or too long."
    });
  }
  return `${describeEvents(entry.events)}

${JSON.stringify(canonical)}
`;
}
var init_print_entry = __esm({
  "src/core/print-entry.ts"() {
    "use strict";
    init_describe_event();
    init_errors();
    init_parse_entry();
  }
});

// src/core/shard.ts
function shardOf(id) {
  let hash2 = 2166136261;
  for (let i = 0; i < id.length; i++) {
    hash2 = Math.imul(hash2 ^ id.charCodeAt(i), 16777619) >>> 0;
  }
  return shardNames[(hash2 ^ hash2 >>> 16) & shardCount - 1];
}
var shardCount, shardNames;
var init_shard = __esm({
  "src/core/shard.ts"() {
    "use strict";
    shardCount = 64;
    shardNames = Array.from(
      { length: shardCount },
      (_, n) => n.toString(16).padStart(2, "0")
    );
  }
});

// src/core/parse-record.ts
function parseRecord(line3) {
  if (line3.length > recordLineMax) return { kind: "bad", why: `the line is longer than ${recordLineMax}` };
  let value;
  try {
    value = JSON.parse(line3);
  } catch {
    return { kind: "bad", why: "the line is not JSON" };
  }
  const problems = [];
  const record = recordShape(value, (problem) => problems.push(problem));
  if (record === void 0) return { kind: "bad", why: problems.at(-1) ?? "the line is not a task" };
  return { kind: "record", record, problems };
}
function idOfLine(line3) {
  const match = /^\{"id":"([^"\\]{1,300})"/.exec(line3);
  if (match) return match[1];
  const parsed = parseRecord(line3);
  return parsed.kind === "record" ? parsed.record.id : null;
}
var recordLineMax;
var init_parse_record = __esm({
  "src/core/parse-record.ts"() {
    "use strict";
    init_record_shape();
    recordLineMax = 4 << 20;
  }
});

// src/core/shard-text.ts
function parseShard(text3, only) {
  const records2 = /* @__PURE__ */ new Map();
  const problems = [];
  let number2 = 0;
  for (const line3 of text3.split("\n")) {
    number2++;
    if (line3 === "" || only && !only.has(idOfLine(line3) ?? "")) continue;
    const parsed = parseRecord(line3);
    if (parsed.kind === "bad") {
      problems.push(`line ${number2}: ${parsed.why}`);
      continue;
    }
    const { record } = parsed;
    for (const problem of parsed.problems) problems.push(`line ${number2} (${record.id}): ${problem}`);
    if (records2.has(record.id))
      problems.push(`line ${number2}: ${record.id} is there twice; the first counts`);
    else records2.set(record.id, record);
  }
  return { records: records2, problems };
}
function editShard(text3, changes) {
  const lines = /* @__PURE__ */ new Map();
  const unreadable2 = [];
  for (const line3 of text3.split("\n")) {
    if (line3 === "") continue;
    const id = idOfLine(line3);
    if (id === null) unreadable2.push(line3);
    else if (!lines.has(id)) lines.set(id, line3);
  }
  for (const [id, record] of changes) {
    if (record) lines.set(id, printRecord(record));
    else lines.delete(id);
  }
  const sorted2 = [...lines.keys()].sort(compareIds).map((id) => lines.get(id));
  const all = [...sorted2, ...unreadable2];
  return all.length > 0 ? `${all.join("\n")}
` : "";
}
function compareIds(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
var init_shard_text = __esm({
  "src/core/shard-text.ts"() {
    "use strict";
    init_parse_record();
    init_print_record();
  }
});

// src/ledger/object-writer.ts
function openObjectWriter(options) {
  const write3 = (type, data) => writeObject(options, type, data);
  return {
    blob: (text3) => write3("blob", Buffer.from(text3)),
    tree: (entries) => write3("tree", treeBytes(entries)),
    commit: (text3) => write3("commit", Buffer.from(text3))
  };
}
function writeObject(options, type, data) {
  const whole = Buffer.concat([Buffer.from(`${type} ${data.length}\0`), data]);
  const oid = (0, import_node_crypto3.createHash)(options.objectFormat).update(whole).digest("hex");
  const dir = (0, import_node_path5.join)(options.objectsDir, oid.slice(0, 2));
  const path = (0, import_node_path5.join)(dir, oid.slice(2));
  try {
    if (isThere(path)) return oid;
    const scratch = (0, import_node_path5.join)(dir, `tmp_obj_${process.pid}_${(0, import_node_crypto3.randomBytes)(6).toString("hex")}`);
    const packed = (0, import_node_zlib.deflateSync)(whole, { level: 6 });
    writeScratch(scratch, dir, packed, options.shared);
    try {
      (0, import_node_fs5.renameSync)(scratch, path);
    } catch (cause) {
      (0, import_node_fs5.rmSync)(scratch, { force: true });
      throw cause;
    }
    return oid;
  } catch (cause) {
    throw notWritten(options.objectsDir, cause);
  }
}
function isThere(path) {
  const stat = (0, import_node_fs5.statSync)(path, { throwIfNoEntry: false });
  if (!stat || stat.size === 0) return false;
  try {
    const now = /* @__PURE__ */ new Date();
    (0, import_node_fs5.utimesSync)(path, now, now);
    return true;
  } catch {
    return Date.now() - stat.mtimeMs < 36e5;
  }
}
function writeScratch(scratch, dir, bytes, shared) {
  const mode = shared === "group" ? 288 : 292;
  try {
    (0, import_node_fs5.writeFileSync)(scratch, bytes, { mode, flag: "wx" });
  } catch (cause) {
    if (cause.code !== "ENOENT") throw cause;
    (0, import_node_fs5.mkdirSync)(dir, { recursive: true });
    if (shared) (0, import_node_fs5.chmodSync)(dir, shared === "group" ? 1528 : 1533);
    (0, import_node_fs5.writeFileSync)(scratch, bytes, { mode, flag: "wx" });
  }
  if (shared) (0, import_node_fs5.chmodSync)(scratch, mode);
}
function treeBytes(entries) {
  const sorted2 = [...entries].sort((a, b) => Buffer.compare(sortKey(a), sortKey(b)));
  return Buffer.concat(
    sorted2.flatMap(({ mode, name: name2, oid }) => [Buffer.from(`${mode} ${name2}\0`), Buffer.from(oid, "hex")])
  );
}
function sortKey({ mode, name: name2 }) {
  return Buffer.from(mode === "40000" ? `${name2}/` : name2);
}
function parseTree(data, objectFormat) {
  const idBytes = objectFormat === "sha1" ? 20 : 32;
  const entries = [];
  let at = 0;
  while (at < data.length) {
    const space = data.indexOf(32, at);
    const end = data.indexOf(0, space);
    if (space < 0 || end < 0 || end + 1 + idBytes > data.length) return null;
    entries.push({
      mode: data.toString("latin1", at, space),
      name: data.toString("utf8", space + 1, end),
      oid: data.toString("hex", end + 1, end + 1 + idBytes)
    });
    at = end + 1 + idBytes;
  }
  return entries;
}
function notWritten(dir, cause) {
  const why = cause.code === "EROFS" ? "the file system is read-only" : cause.code === "EACCES" || cause.code === "EPERM" ? "no permission" : cause.code === "ENOSPC" || cause.code === "EDQUOT" ? "the disk is full" : cause.message;
  return new GzaError("world", `nothing was recorded: ${dir} cannot be written (${why})`, {
    hint: "Reading works; to record something, make the repository writable for you.",
    data: { code: cause.code },
    cause
  });
}
var import_node_crypto3, import_node_fs5, import_node_path5, import_node_zlib;
var init_object_writer = __esm({
  "src/ledger/object-writer.ts"() {
    "use strict";
    import_node_crypto3 = lateBuiltin(() => require("node:crypto"));
    import_node_fs5 = require("node:fs");
    import_node_path5 = require("node:path");
    import_node_zlib = lateBuiltin(() => require("node:zlib"));
    init_errors();
  }
});

// src/ledger/stored-ledger.ts
async function readLedger(store2, commit) {
  const known = store2.ledgers.get(commit);
  if (known) return { kind: "ledger", ledger: known };
  const [self, root, shards, about] = await Promise.all([
    store2.reader.read(commit),
    store2.reader.read(`${commit}^{tree}`),
    store2.reader.read(`${commit}:tasks`),
    store2.reader.read(`${commit}:ledger.json`)
  ]);
  if (self?.type !== "commit")
    return { kind: "bad", why: `it is ${self ? `a ${self.type}` : "missing"}, not a commit` };
  const entries = root?.type === "tree" ? parseTree(root.data, store2.repository.objectFormat) : null;
  if (!entries) return { kind: "bad", why: "its commit has no readable tree" };
  if (about?.type !== "blob") return { kind: "bad", why: "its tree has no ledger.json: it is not a ledger" };
  const meta = parseMeta(about.data.toString("utf8"));
  if (meta.kind === "bad") return meta;
  const inShards = shards?.type === "tree" ? parseTree(shards.data, store2.repository.objectFormat) ?? [] : [];
  const ledger = {
    commit,
    meta: meta.meta,
    shards: shardsOf(entries, inShards),
    folders: foldersOf(entries),
    problems: meta.problems
  };
  remember(store2, ledger);
  return { kind: "ledger", ledger };
}
function remember(store2, ledger) {
  if (store2.ledgers.size >= ledgersKeptMax) store2.ledgers.clear();
  store2.ledgers.set(ledger.commit, ledger);
}
function shardsOf(root, folder) {
  const shards = /* @__PURE__ */ new Map();
  const single = root.find((entry) => entry.name === "tasks.jsonl");
  if (single && isFile(single)) shards.set(laneShard, single.oid);
  const names = new Set(shardNames.map((name2) => `${name2}.jsonl`));
  for (const entry of folder) {
    if (names.has(entry.name) && isFile(entry)) shards.set(entry.name.slice(0, 2), entry.oid);
  }
  return shards;
}
function foldersOf(root) {
  const wanted = new Set(artifactFolders);
  const folders = root.filter((entry) => entry.mode === "40000" && wanted.has(entry.name));
  return new Map(folders.map((entry) => [entry.name, entry.oid]));
}
function isFile(entry) {
  return entry.mode === "100644" || entry.mode === "100755";
}
async function readShard(store2, blob) {
  if (!blob) return "";
  const object2 = await store2.reader.read(blob);
  return object2?.type === "blob" ? object2.data.toString("utf8") : "";
}
async function readArtifacts(store2, ledger) {
  const artifacts = /* @__PURE__ */ new Map();
  for (const [folder, tree] of ledger.folders) {
    const object2 = await store2.reader.read(tree);
    const entries = object2?.type === "tree" ? parseTree(object2.data, store2.repository.objectFormat) : null;
    for (const entry of entries ?? []) if (isFile(entry)) artifacts.set(`${folder}/${entry.name}`, entry.oid);
  }
  return artifacts;
}
var artifactFolders, laneShard, ledgersKeptMax;
var init_stored_ledger = __esm({
  "src/ledger/stored-ledger.ts"() {
    "use strict";
    init_parse_meta();
    init_shard();
    init_object_writer();
    artifactFolders = ["plans", "explorations", "reviews"];
    laneShard = "all";
    ledgersKeptMax = 4e3;
  }
});

// src/ledger/draft.ts
function idsOf(event2) {
  return event2.kind === "open-lane" ? "all" : touches(event2).ids;
}
function rootEntries(writer, meta, shards, folders) {
  const entries = [{ mode: "100644", name: "ledger.json", oid: writer.blob(printMeta(meta)) }];
  const single = shards.get(laneShard);
  if (single && !meta.base) entries.push({ mode: "100644", name: "tasks.jsonl", oid: single });
  const files = [...shards].filter(([shard]) => shard !== laneShard);
  if (meta.base && files.length > 0) {
    const tree = writer.tree(files.map(([shard, oid]) => ({ mode: "100644", name: `${shard}.jsonl`, oid })));
    entries.push({ mode: "40000", name: "tasks", oid: tree });
  }
  for (const [name2, oid] of folders) entries.push({ mode: "40000", name: name2, oid });
  return entries;
}
function isArtifactPath(path) {
  return /^(plans|explorations|reviews)\/[A-Za-z0-9_][A-Za-z0-9._-]{0,200}$/.test(path) && !path.endsWith(".lock");
}
function invalid(detail) {
  return { kind: "refused", why: "invalid", detail };
}
var Draft;
var init_draft = __esm({
  "src/ledger/draft.ts"() {
    "use strict";
    init_apply();
    init_parse_meta();
    init_print_entry();
    init_print_record();
    init_shard();
    init_shard_text();
    init_stored_ledger();
    Draft = class _Draft {
      #store;
      #stored;
      #meta;
      /** Changed in place: a copy for each of ten thousand events would be quadratic. */
      #tasks = /* @__PURE__ */ new Map();
      #texts = /* @__PURE__ */ new Map();
      #known = /* @__PURE__ */ new Set();
      #changed = /* @__PURE__ */ new Map();
      #artifacts = /* @__PURE__ */ new Map();
      constructor(store2, stored, opens) {
        this.#store = store2;
        this.#stored = stored;
        this.#meta = stored?.meta ?? opens;
      }
      /** A ledger written anew from its whole state, on top of a commit whose tree does not count. */
      static of(store2, commit, state) {
        const nothing = { commit, meta: state.meta, shards: /* @__PURE__ */ new Map(), folders: /* @__PURE__ */ new Map(), problems: [] };
        const draft = new _Draft(store2, nothing, state.meta);
        for (const [id, record] of state.tasks) draft.#put(id, record);
        for (const [path, blob] of state.artifacts) draft.#artifacts.set(path, blob);
        return draft;
      }
      get commit() {
        return this.#stored?.commit ?? null;
      }
      get meta() {
        return this.#meta;
      }
      /** The records that were loaded: those that the events named. */
      get tasks() {
        return this.#tasks;
      }
      async apply(event2) {
        await this.load(idsOf(event2));
        const applied = apply({ meta: this.#meta, tasks: this.#tasks, artifacts: this.#artifacts }, event2);
        if (applied.kind === "refused") return applied;
        const { changes } = applied;
        for (const record of changes.tasks ?? []) printRecord(record);
        for (const [path, blob] of changes.artifacts ?? []) {
          if (!isArtifactPath(path)) return invalid(`${JSON.stringify(path)} is no path for an artifact`);
          this.#artifacts.set(path, blob);
        }
        for (const id of changes.removed ?? []) this.#put(id, null);
        for (const record of changes.tasks ?? []) this.#put(record.id, record);
        this.#meta = changes.meta ?? this.#meta;
        return null;
      }
      #put(id, record) {
        this.#known.add(id);
        this.#changed.set(id, record);
        if (record) this.#tasks.set(id, record);
        else this.#tasks.delete(id);
      }
      /** Brings records into the state that the events will look at. */
      async load(ids) {
        const shards = ids === "all" ? this.#allShards() : [...new Set(ids.map((id) => this.#shardOf(id)))];
        const texts2 = await Promise.all(shards.map((shard) => this.#text(shard)));
        const only = ids === "all" ? void 0 : new Set(ids.filter((id) => !this.#known.has(id)));
        if (only?.size === 0) return;
        for (const text3 of texts2) {
          for (const record of parseShard(text3, only).records.values()) {
            if (!this.#known.has(record.id)) this.#tasks.set(record.id, record);
          }
        }
        for (const id of ids === "all" ? this.#tasks.keys() : ids) this.#known.add(id);
      }
      /** Writes the objects and answers the commit; nothing points to it yet. */
      async write(entry, secondParent) {
        const writer = await this.#store.writer();
        const meta = this.#meta;
        const full = this.#stored === null ? { ...entry, opens: { branch: meta.branch, lane: meta.lane, ...meta.base ? { base: true } : {} } } : entry;
        const message = printEntry(full);
        const shards = await this.#writeShards(writer);
        const folders = await this.#writeFolders(writer);
        const tree = writer.tree(rootEntries(writer, meta, shards, folders));
        const parents = [this.commit, secondParent].filter((parent) => parent != null);
        const commit = writer.commit(await this.#commitText(tree, parents, message));
        this.#stored = { commit, meta, shards, folders, problems: [] };
        remember(this.#store, this.#stored);
        this.#changed.clear();
        this.#artifacts.clear();
        return commit;
      }
      async #writeShards(writer) {
        const byShard = /* @__PURE__ */ new Map();
        for (const [id, record] of this.#changed) {
          const shard = this.#shardOf(id);
          const changes = byShard.get(shard) ?? /* @__PURE__ */ new Map();
          byShard.set(shard, changes.set(id, record));
        }
        const shards = new Map(this.#stored?.shards);
        for (const [shard, changes] of byShard) {
          const text3 = editShard(await this.#text(shard), changes);
          this.#texts.set(shard, text3);
          if (text3 === "") shards.delete(shard);
          else shards.set(shard, writer.blob(text3));
        }
        return new Map([...shards].sort(([a], [b]) => a < b ? -1 : 1));
      }
      async #writeFolders(writer) {
        const folders = new Map(this.#stored?.folders);
        if (this.#artifacts.size === 0) return folders;
        const all = this.#stored ? await readArtifacts(this.#store, this.#stored) : /* @__PURE__ */ new Map();
        for (const [path, blob] of this.#artifacts) all.set(path, blob);
        const byFolder = /* @__PURE__ */ new Map();
        for (const [path, oid] of all) {
          const [folder = "", name2 = ""] = path.split("/");
          byFolder.set(folder, [...byFolder.get(folder) ?? [], { mode: "100644", name: name2, oid }]);
        }
        for (const [folder, entries] of byFolder) folders.set(folder, writer.tree(entries));
        return folders;
      }
      async #commitText(tree, parents, message) {
        const { name: name2, email } = await this.#store.settings();
        const who = `${name2} <${email}> ${Math.floor(this.#store.clock() / 1e3)} +0000`;
        const lines = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`)];
        return `${[...lines, `author ${who}`, `committer ${who}`].join("\n")}

${message}`;
      }
      async #text(shard) {
        const known = this.#texts.get(shard);
        if (known !== void 0) return known;
        const text3 = await readShard(this.#store, this.#stored?.shards.get(shard));
        this.#texts.set(shard, text3);
        return text3;
      }
      #shardOf(id) {
        return this.#meta.base ? shardOf(id) : laneShard;
      }
      #allShards() {
        return this.#meta.base ? shardNames : [laneShard];
      }
    };
  }
});

// src/ledger/replay.ts
function newId(bytes = 16) {
  return (0, import_node_crypto4.randomBytes)(bytes).toString("hex");
}
async function replay(store2, input) {
  const { onto, opens, commits, known, renames } = input;
  const draft = new Draft(store2, onto, opens);
  const dropped = [];
  for (const { entry, parents } of commits) {
    if (!entry || known.has(entry.nonce)) continue;
    const events = [];
    for (const event2 of entry.events) {
      if (dropped.at(-1)?.event.kind === "claim" && dropped.at(-1)?.event === entry.events[0]) continue;
      const done2 = await replayOne(store2, draft, renameInEvent(event2, renames), entry.nonce, renames);
      if (done2.kind === "applied") events.push(done2.event);
      else if (done2.kind === "refused") {
        dropped.push({ branch: draft.meta.branch, event: event2, refusal: done2 });
      }
    }
    if (events.length > 0) await draft.write(strip(entry, events), parents[1]);
  }
  return { tip: draft.commit, dropped };
}
function strip({ nonce }, events) {
  return { nonce, events };
}
async function replayOne(store2, draft, event2, nonce, renames) {
  if (event2.kind === "artifact" && (await store2.reader.read(event2.blob))?.type !== "blob") {
    return { kind: "refused", why: "unknown", detail: `the text of ${event2.path} is not here` };
  }
  const refusal2 = await attempt(draft, event2);
  if (refusal2 === null) return { kind: "applied", event: event2 };
  if (refusal2.why !== "exists" || event2.kind !== "add" && event2.kind !== "adopt") return refusal2;
  const there = draft.tasks.get(event2.task.id);
  if (there && isSameTask(there, event2.task)) return { kind: "same" };
  if (event2.kind === "adopt") return refusal2;
  return addUnderLongerId(draft, event2, nonce, renames);
}
async function addUnderLongerId(draft, event2, nonce, renames) {
  const { id } = event2.task;
  for (let more = 4; more <= 32; more += 4) {
    const longer = `${id}${nonce.replace(/[^0-9a-f]/g, "").slice(0, more)}`;
    const renamed = { ...event2, task: { ...event2.task, id: longer, was: id } };
    const refusal2 = await attempt(draft, renamed);
    if (refusal2?.why === "exists") continue;
    if (refusal2) return refusal2;
    renames.set(id, longer);
    return { kind: "applied", event: renamed };
  }
  return { kind: "refused", why: "exists", detail: `no free id was found for ${id}` };
}
async function attempt(draft, event2) {
  try {
    return await draft.apply(event2);
  } catch (error) {
    if (error instanceof GzaError && error.code === "input") {
      return { kind: "refused", why: "invalid", detail: error.message };
    }
    throw error;
  }
}
function isSameTask(there, filed) {
  if (filed.file !== void 0 && there.file === filed.file) return there.content === filed.content;
  if (filed.key !== void 0 && there.key === filed.key) return true;
  return there.created_at === filed.created_at && there.content === filed.content && there.title === filed.title ? (there.created_by ?? "") === (filed.created_by ?? "") || printRecord(there) === printRecord(filed) : false;
}
var import_node_crypto4;
var init_replay = __esm({
  "src/ledger/replay.ts"() {
    "use strict";
    import_node_crypto4 = lateBuiltin(() => require("node:crypto"));
    init_errors();
    init_print_record();
    init_rename_event();
    init_draft();
  }
});

// src/core/slim-record.ts
function slimRecord(record) {
  const slim = { ...record, content: "" };
  for (const name2 of long) delete slim[name2];
  if (slim.error) slim.error = slim.error.slice(0, 200);
  if (slim.closed_at) delete slim.steps;
  else if (slim.steps) slim.steps = slim.steps.map(slimStep);
  return slim;
}
function slimStep(step) {
  const slim = { ...step };
  delete slim.error;
  delete slim.session;
  return slim;
}
var long;
var init_slim_record = __esm({
  "src/core/slim-record.ts"() {
    "use strict";
    long = ["user_story", "acceptance_criteria", "notes", "implementation_notes"];
  }
});

// src/ledger/rows.ts
async function ledgerAt(store2, commit) {
  const read = await readLedger(store2, commit);
  return read.kind === "ledger" ? read.ledger : { why: read.why };
}
var name, version2, Rows;
var init_rows = __esm({
  "src/ledger/rows.ts"() {
    "use strict";
    init_shard_text();
    init_slim_record();
    init_stored_ledger();
    name = "rows";
    version2 = "1";
    Rows = class {
      #store;
      #slices = /* @__PURE__ */ new Map();
      #parsed = /* @__PURE__ */ new Map();
      #loaded = false;
      #dirty = false;
      /** Commits that the kept text knows. */
      #saved = /* @__PURE__ */ new Set();
      constructor(store2) {
        this.#store = store2;
      }
      /** Fills the store's known ledgers, so that unchanged ones need no reading. */
      load() {
        if (this.#loaded) return;
        this.#loaded = true;
        const text3 = this.#store.cache.get(name, this.#key());
        const end = text3?.indexOf("\n") ?? -1;
        if (text3 === null || end < 0) return;
        const index = JSON.parse(text3.slice(0, end));
        for (const [commit, meta, shards, folders, problems] of index.heads) {
          const ledger = { commit, meta, shards: new Map(shards), folders: new Map(folders), problems };
          remember(this.#store, ledger);
          this.#saved.add(commit);
        }
        let at = end + 1;
        for (const [blob, length, problems] of index.slices) {
          this.#slices.set(blob, { text: text3.slice(at, at + length), problems });
          at += length;
        }
      }
      async of(ledger) {
        this.load();
        const blobs = [...ledger.shards.values()];
        const missing = blobs.filter((blob) => !this.#slices.has(blob));
        const texts2 = await Promise.all(missing.map((blob) => readShard(this.#store, blob)));
        for (const [n, blob] of missing.entries()) this.#add(blob, texts2[n]);
        const problems = [...ledger.problems];
        const records2 = [];
        for (const blob of blobs) {
          problems.push(...this.#slices.get(blob)?.problems ?? []);
          for (const record of this.#recordsOf(blob)) records2.push(record);
        }
        return { records: records2, problems };
      }
      /** Keeps what these ledgers need for the next run; called when all of them were asked for. */
      save(ledgers) {
        if (!this.#dirty && ledgers.every((ledger) => this.#saved.has(ledger.commit))) return;
        const blobs = new Set(ledgers.flatMap((ledger) => [...ledger.shards.values()]));
        const kept2 = [...blobs].map((blob) => [blob, this.#slices.get(blob)]);
        const index = {
          heads: ledgers.map((one) => [
            one.commit,
            one.meta,
            [...one.shards],
            [...one.folders],
            [...one.problems]
          ]),
          slices: kept2.map(([blob, slice]) => [blob, slice.text.length, [...slice.problems]])
        };
        const text3 = `${JSON.stringify(index)}
${kept2.map(([, slice]) => slice.text).join("")}`;
        this.#store.cache.put(name, this.#key(), text3);
        this.#dirty = false;
        for (const ledger of ledgers) this.#saved.add(ledger.commit);
      }
      #add(blob, text3) {
        const { records: records2, problems } = parseShard(text3);
        const slim = [...records2.values()].map(slimRecord);
        this.#slices.set(blob, { text: JSON.stringify(slim), problems: problems.slice(0, 100) });
        this.#parsed.set(blob, slim);
        this.#dirty = true;
      }
      #recordsOf(blob) {
        const known = this.#parsed.get(blob);
        if (known) return known;
        const records2 = JSON.parse(this.#slices.get(blob)?.text ?? "[]");
        this.#parsed.set(blob, records2);
        return records2;
      }
      #key() {
        return `${version2} ${this.#store.repository.objectFormat} ${this.#store.namespace}`;
      }
    };
  }
});

// src/ledger/heal.ts
function isHealthy({ tips, mirrors }) {
  if (tips.size !== mirrors.size) return false;
  for (const [branch, tip] of tips) if (mirrors.get(branch) !== tip) return false;
  return true;
}
async function heal(store2, rows, refs) {
  const healing = {
    store: store2,
    rows,
    tips: new Map(refs.tips),
    problems: [],
    ghosts: [],
    moves: [],
    folded: void 0,
    base: refs.base
  };
  const all = /* @__PURE__ */ new Set([...refs.tips.keys(), ...refs.mirrors.keys()]);
  const different = [...all].filter((branch) => refs.tips.get(branch) !== refs.mirrors.get(branch));
  different.sort((a, b) => Number(b === refs.base) - Number(a === refs.base));
  for (const branch of different) {
    await healOne(healing, branch, refs.tips.get(branch), refs.mirrors.get(branch));
  }
  let moved = false;
  for (const moves of healing.moves) {
    moved = await moveRefs(store2.repository, moves).catch(() => "lost") === "moved" || moved;
  }
  const { tips, problems, ghosts } = healing;
  return { tips, problems, ghosts, moved };
}
async function healOne(healing, branch, tip, mirror) {
  const ref = `${healing.store.namespace}/${branch}`;
  const mirrorRef = `${localMirror}${branch}`;
  if (!isBranchName(branch)) {
    healing.tips.delete(branch);
    healing.problems.push({ branch, detail: `${JSON.stringify(ref)} is no name for a ledger` });
    return;
  }
  if (tip !== void 0 && await isFolded(healing, branch, tip)) {
    healing.ghosts.push({ ref, to: null, from: tip });
    if (mirror !== void 0) healing.ghosts.push({ ref: mirrorRef, to: null, from: mirror });
    healing.tips.delete(branch);
    return;
  }
  if (mirror === void 0) {
    const readable = tip !== void 0 && !("why" in await ledgerAt(healing.store, tip));
    if (readable) healing.moves.push([{ ref: mirrorRef, to: tip, from: null }]);
    return;
  }
  if (tip === void 0) return restore(healing, branch, mirror);
  const result = await joined2(healing, branch, tip, mirror);
  if (result === null) return;
  healing.tips.set(branch, result);
  healing.moves.push([
    // Never moved back by us: `tip` is verified even where it stays.
    { ref, to: result, from: tip },
    { ref: mirrorRef, to: result, from: mirror }
  ]);
}
async function restore(healing, branch, mirror) {
  const mirrorRef = `${localMirror}${branch}`;
  const unreadable2 = "why" in await ledgerAt(healing.store, mirror);
  if (unreadable2 || await isFolded(healing, branch, mirror)) {
    healing.moves.push([{ ref: mirrorRef, to: null, from: mirror }]);
    return;
  }
  const inTheWay = [...healing.tips.keys()].find(
    (other) => other.startsWith(`${branch}/`) || branch.startsWith(`${other}/`)
  );
  if (inTheWay !== void 0) {
    const detail = `it was removed, and the ledger of ${inTheWay} stands in the way of its return; what it held is at ${mirrorRef}`;
    healing.problems.push({ branch, detail });
    return;
  }
  healing.tips.set(branch, mirror);
  healing.moves.push([{ ref: `${healing.store.namespace}/${branch}`, to: mirror, from: null }]);
}
async function joined2(healing, branch, tip, mirror) {
  const { store: store2 } = healing;
  if (await holds(store2.git, tip, mirror)) return tip;
  if (await holds(store2.git, mirror, tip)) return mirror;
  const onto = await ledgerAt(store2, tip);
  const lost = await ledgerAt(store2, mirror);
  if ("why" in lost) return tip;
  if ("why" in onto) {
    healing.problems.push({ branch, detail: `it was replaced by something that is no ledger (${onto.why})` });
    return mirror;
  }
  const result = await joinLedgers(store2, onto, lost);
  healing.moves.push([{ ref: `${backups}${branch}/${mirror.slice(0, 12)}`, to: mirror, from: null }]);
  for (const { event: event2, refusal: refusal2 } of result.dropped) {
    healing.problems.push({ branch, detail: `${event2.kind} could not be kept: ${refusal2.detail}` });
  }
  return result.tip;
}
async function joinLedgers(store2, onto, other) {
  const [ours, theirs] = await Promise.all([
    readHistory(store2.git, { tip: other.commit, since: onto.commit }),
    readHistory(store2.git, { tip: onto.commit, since: other.commit })
  ]);
  const known = new Set(theirs.map((one) => one.entry?.nonce).filter((nonce) => nonce !== void 0));
  const replayed = await replay(store2, { onto, opens: other.meta, commits: ours, known, renames: /* @__PURE__ */ new Map() });
  return { tip: replayed.tip ?? onto.commit, dropped: replayed.dropped };
}
async function isFolded(healing, branch, commit) {
  if (branch === healing.base) return false;
  const ledger = await ledgerAt(healing.store, commit);
  if ("why" in ledger) return false;
  healing.folded ??= await foldedLanes(healing.store, healing.rows, healing.tips.get(healing.base));
  return healing.folded.has(ledger.meta.lane);
}
async function foldedLanes(store2, rows, base) {
  const folded = /* @__PURE__ */ new Set();
  const ledger = base === void 0 ? null : await ledgerAt(store2, base);
  if (!ledger || "why" in ledger) return folded;
  rows.load();
  for (const { lane } of (await rows.of(ledger)).records) if (lane?.folded_at) folded.add(lane.id);
  for (const mark2 of Object.keys(ledger.meta.marks ?? {})) {
    if (mark2.startsWith(foldedMark)) folded.add(mark2.slice(foldedMark.length));
  }
  return folded;
}
var init_heal = __esm({
  "src/ledger/heal.ts"() {
    "use strict";
    init_fold();
    init_history();
    init_move_refs();
    init_read_refs();
    init_replay();
    init_rows();
  }
});

// src/ledger/prepare.ts
async function prepare(store2, look2, plan) {
  const drafts = /* @__PURE__ */ new Map();
  const tips = /* @__PURE__ */ new Map();
  for (const change of plan.changes) {
    const events = await withArtifacts(store2, change);
    if (events.length === 0) continue;
    const draft = drafts.get(change.branch) ?? await openDraft(store2, look2, change.branch);
    drafts.set(change.branch, draft);
    for (let start = 0; start < events.length; start += eventsPerCommitMax) {
      const some = events.slice(start, start + eventsPerCommitMax);
      const refusal2 = await applyAll(draft, some);
      if (refusal2) return refusal2;
      const isLast = start + some.length === events.length;
      const second = isLast ? change.secondParent : void 0;
      tips.set(change.branch, await draft.write({ nonce: newId(), events: some }, second));
    }
  }
  const moves = [...tips].flatMap(([branch, to]) => both(store2, look2, branch, to));
  for (const branch of plan.remove ?? []) moves.push(...removal(store2, look2, branch));
  return { moves: [...moves, ...plan.refs ?? []], tips };
}
async function applyAll(draft, events) {
  const wanted = events.map(idsOf);
  await draft.load(wanted.includes("all") ? "all" : wanted.flatMap((ids) => ids));
  for (const event2 of events) {
    const refusal2 = await draft.apply(event2);
    if (refusal2) return refusal2;
  }
  return null;
}
async function withArtifacts(store2, { events, artifacts = [] }) {
  if (artifacts.length === 0) return events;
  const writer = await store2.writer();
  const at = events[0]?.at ?? printTime(store2.clock());
  const more = artifacts.map(
    ({ path, text: text3 }) => ({ kind: "artifact", at, path, blob: writer.blob(text3) })
  );
  return [...events, ...more];
}
async function openDraft(store2, { view, refs }, branch) {
  const opens = { v: 1, branch, lane: newId(8), ...branch === view.base ? { base: true } : {} };
  if (view.tip(branch) !== null) {
    const stored = await view.stored(branch);
    if (stored) return new Draft(store2, stored, opens);
    const why = view.problems.find((problem) => problem.branch === branch)?.detail ?? "unknown";
    throw new GzaError("world", `the ledger of ${branch} cannot be read, so nothing was recorded: ${why}`, {
      hint: `Run \`gza fsck --repair\`, or if it is no ledger at all: git update-ref -d ${store2.namespace}/${branch}`
    });
  }
  if (!isBranchName(branch)) throw new GzaError("input", `${JSON.stringify(branch)} is no name for a branch`);
  const inTheWay = refInTheWay(branch, [...refs.tips.keys(), ...refs.mirrors.keys()]);
  if (inTheWay !== null) {
    const [there, wanted] = [`${store2.namespace}/${inTheWay}`, `${store2.namespace}/${branch}`];
    throw new GzaError("blocked", `${there} is in the way of ${wanted}: git keeps only one of them`, {
      hint: `Fold or remove the ledger of ${inTheWay} first (\`gza clean\`), or use another branch name.`,
      data: { inTheWay: there, ref: wanted }
    });
  }
  return new Draft(store2, null, opens);
}
function both(store2, { refs }, branch, to) {
  const from = refs.tips.get(branch) ?? null;
  const mirror = refs.mirrors.get(branch) ?? null;
  const moves = [
    { ref: `${store2.namespace}/${branch}`, to, from },
    { ref: `${localMirror}${branch}`, to, from: mirror }
  ];
  return moves.filter((move) => move.to !== null || move.from !== null);
}
function removal(store2, look2, branch) {
  return both(store2, look2, branch, null);
}
var eventsPerCommitMax;
var init_prepare = __esm({
  "src/ledger/prepare.ts"() {
    "use strict";
    init_errors();
    init_time();
    init_draft();
    init_read_refs();
    init_replay();
    eventsPerCommitMax = 5e3;
  }
});

// src/ledger/namespace-of.ts
function namespaceOf(stateRef = "refs/tasks") {
  return stateRef.replace(/\/+$/, "");
}
var init_namespace_of = __esm({
  "src/ledger/namespace-of.ts"() {
    "use strict";
  }
});

// src/ledger/object-reader.ts
function openObjectReader(cwd) {
  let open3 = null;
  const conversation = () => {
    if (!open3 || open3.ended) open3 = new Conversation(cwd);
    return open3;
  };
  return {
    start: () => void conversation(),
    get running() {
      return open3 !== null && !open3.ended;
    },
    read: (name2) => conversation().ask(name2),
    close() {
      open3?.end();
      open3 = null;
    }
  };
}
var import_node_child_process2, objectBytesMax, answerMs, Conversation;
var init_object_reader = __esm({
  "src/ledger/object-reader.ts"() {
    "use strict";
    import_node_child_process2 = lateBuiltin(() => require("node:child_process"));
    init_errors();
    init_git();
    init_read_refs();
    objectBytesMax = 128 << 20;
    answerMs = 12e4;
    Conversation = class {
      ended = false;
      #child;
      #waiting = [];
      #chunks = [];
      #bytes = 0;
      /** Bytes that must be there before it is worth looking again. */
      #needed = 1;
      #said = "";
      #timer;
      constructor(cwd) {
        this.#child = (0, import_node_child_process2.spawn)("git", [...safeGitArguments, "cat-file", "--batch"], {
          cwd,
          env: safeGitEnvironment(),
          stdio: ["pipe", "pipe", "pipe"],
          detached: isKeptFromInterrupts()
        });
        this.#child.stdin?.on("error", () => {
        });
        this.#child.stdout?.on("data", (chunk) => this.#receive(chunk));
        this.#child.stderr?.on("data", (chunk) => {
          if (this.#said.length < 4e3) this.#said += chunk.toString("utf8");
        });
        this.#child.on("error", (cause) => this.#fail(`git could not be started: ${cause.message}`));
        this.#child.on("close", () => this.#fail(this.#said.trim() || "git cat-file ended"));
        this.#letGo();
      }
      ask(name2) {
        if (/[\n\0]/.test(name2)) return Promise.resolve(null);
        return new Promise((resolve2, reject) => {
          this.#waiting.push({ name: name2, resolve: resolve2, reject });
          this.#hold();
          this.#child.stdin?.write(`${name2}
`);
        });
      }
      end() {
        this.ended = true;
        clearTimeout(this.#timer);
        this.#child.stdin?.end();
        this.#letGo();
      }
      #receive(chunk) {
        this.#chunks.push(chunk);
        this.#bytes += chunk.length;
        while (this.#bytes >= this.#needed && this.#waiting.length > 0) if (!this.#takeOne()) break;
        if (this.#waiting.length === 0) this.#letGo();
      }
      /** One whole answer off the front; false when more bytes are needed. */
      #takeOne() {
        const all = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
        this.#chunks = [all];
        const end = all.indexOf(10);
        if (end < 0) {
          this.#needed = this.#bytes + 1;
          return false;
        }
        const header = all.toString("utf8", 0, end);
        const match = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(header);
        const size = match ? Number(match[3]) : 0;
        if (size > objectBytesMax) {
          this.#child.kill("SIGKILL");
          this.#fail(`the object ${match?.[1]} has ${size} bytes; ${objectBytesMax} is the limit`);
          return false;
        }
        const total2 = match ? end + 1 + size + 1 : end + 1;
        if (this.#bytes < total2) {
          this.#needed = total2;
          return false;
        }
        const data = match ? all.subarray(end + 1, end + 1 + size) : null;
        this.#drop(all, total2);
        const waiting = this.#waiting.shift();
        waiting?.resolve(match && data ? { oid: match[1], type: match[2], data } : null);
        return true;
      }
      #drop(all, bytes) {
        this.#chunks = bytes < all.length ? [all.subarray(bytes)] : [];
        this.#bytes = all.length - bytes;
        this.#needed = 1;
      }
      #fail(why) {
        clearTimeout(this.#timer);
        this.ended = true;
        const waiting = this.#waiting.splice(0);
        for (const one of waiting) {
          const hint = why.includes("ENOENT") ? { hint: "Install git 2.34 or newer." } : {};
          const error = new GzaError("world", `git could not read ${one.name}: ${why}`, hint);
          one.reject(unreadableRepository(why) ?? error);
        }
      }
      /** An idle reader must not keep the program from ending; one that is asked must. */
      #letGo() {
        clearTimeout(this.#timer);
        for (const part of this.#parts()) part.unref?.();
      }
      #hold() {
        for (const part of this.#parts()) part.ref?.();
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
          this.#child.kill("SIGKILL");
          this.#fail(`no answer within ${answerMs / 1e3} s`);
        }, answerMs);
      }
      #parts() {
        const { stdin, stdout, stderr } = this.#child;
        return [this.#child, stdin, stdout, stderr].filter((part) => part !== null);
      }
    };
  }
});

// src/ledger/store.ts
function openStore(repository, options = {}) {
  let settings2;
  const ask = () => settings2 ??= readSettings(repository.git);
  return {
    repository,
    git: repository.git,
    namespace: namespaceOf(options.stateRef),
    options,
    reader: openObjectReader(repository.git.cwd),
    cache: openCache(repository.commonDir),
    clock: options.clock ?? Date.now,
    ledgers: /* @__PURE__ */ new Map(),
    settings: ask,
    async writer() {
      const { objectsDir, objectFormat } = repository;
      return openObjectWriter({ objectsDir, objectFormat, shared: (await ask()).shared });
    }
  };
}
async function readSettings(git) {
  const asked = await git.run([
    "config",
    "-z",
    "--get-regexp",
    "^(user\\.(name|email)|core\\.sharedrepository)$"
  ]);
  const values = /* @__PURE__ */ new Map();
  for (const row of asked.stdout.toString("utf8").split("\0")) {
    const end = row.indexOf("\n");
    if (row) values.set(end < 0 ? row : row.slice(0, end), end < 0 ? "true" : row.slice(end + 1));
  }
  const env = process.env;
  return {
    name: clean(env["GIT_COMMITTER_NAME"] || values.get("user.name") || "gza"),
    email: clean(env["GIT_COMMITTER_EMAIL"] || values.get("user.email") || "gza@localhost"),
    shared: sharing(values.get("core.sharedrepository")?.toLowerCase())
  };
}
function sharing(value) {
  if (value === void 0 || ["umask", "false", "0", "no", "off"].includes(value)) return void 0;
  if (["all", "world", "everybody", "2"].includes(value)) return "all";
  return /^0\d{3}$/.test(value) && (Number.parseInt(value, 8) & 4) !== 0 ? "all" : "group";
}
function clean(text3) {
  return text3.replace(/[<>\p{Cc}\s]+/gu, " ").trim().slice(0, 200) || "gza";
}
var init_store = __esm({
  "src/ledger/store.ts"() {
    "use strict";
    init_cache();
    init_namespace_of();
    init_object_reader();
    init_object_writer();
  }
});

// src/ledger/turn.ts
async function takeTurn(commonDir) {
  const path = (0, import_node_path6.join)(commonDir, "gza", "turn");
  const started = performance.now();
  while (performance.now() - started < waitMs) {
    const taken = tryTake(path);
    if (taken !== "later") return taken === "taken" ? () => (0, import_node_fs6.rmSync)(path, { force: true }) : () => {
    };
    await new Promise((resolve2) => setTimeout(resolve2, 2 + Math.random() * 20));
  }
  return () => {
  };
}
function tryTake(path) {
  try {
    (0, import_node_fs6.closeSync)((0, import_node_fs6.openSync)(path, "wx"));
    return "taken";
  } catch (cause) {
    const { code: code2 } = cause;
    if (code2 === "ENOENT") return madeFolder(path) ? "later" : "never";
    if (code2 !== "EEXIST") return "never";
  }
  const held = (0, import_node_fs6.lstatSync)(path, { throwIfNoEntry: false });
  if (held && Date.now() - held.mtimeMs > turnMs) (0, import_node_fs6.rmSync)(path, { force: true, recursive: true });
  return "later";
}
function madeFolder(path) {
  try {
    (0, import_node_fs6.mkdirSync)((0, import_node_path6.join)(path, ".."), { recursive: true });
    return true;
  } catch {
    return false;
  }
}
var import_node_fs6, import_node_path6, turnMs, waitMs;
var init_turn = __esm({
  "src/ledger/turn.ts"() {
    "use strict";
    import_node_fs6 = require("node:fs");
    import_node_path6 = require("node:path");
    turnMs = 1500;
    waitMs = 5e3;
  }
});

// src/core/ledger-state.ts
function emptyState(meta) {
  return { meta, tasks: /* @__PURE__ */ new Map(), artifacts: /* @__PURE__ */ new Map() };
}
var init_ledger_state = __esm({
  "src/core/ledger-state.ts"() {
    "use strict";
  }
});

// src/ledger/view.ts
function isInLane(record, lane) {
  return record.lane?.id === lane && record.lane.folded_at === void 0;
}
function isStaleCopy(home, inLane) {
  return home.lane !== void 0 && home.lane.id === inLane.lane?.id;
}
var GitView;
var init_view = __esm({
  "src/ledger/view.ts"() {
    "use strict";
    init_ledger_state();
    init_shard();
    init_shard_text();
    init_draft();
    init_rows();
    init_stored_ledger();
    GitView = class {
      base;
      branches;
      problems;
      #store;
      #cache;
      #tips;
      #rows;
      constructor(store2, rows, { base, tips, problems }) {
        this.#store = store2;
        this.#cache = rows;
        this.#tips = tips;
        this.base = base;
        const others = [...tips.keys()].filter((branch) => branch !== base);
        this.branches = tips.has(base) ? [base, ...others] : others;
        this.problems = [...problems];
      }
      tip(branch) {
        return this.#tips.get(branch) ?? null;
      }
      /** The ledger of a branch; null when it has none or it cannot be read, which is then a problem of this view. */
      async stored(branch) {
        const commit = this.#tips.get(branch);
        if (!commit) return null;
        const ledger = await ledgerAt(this.#store, commit);
        if (!("why" in ledger)) {
          const { meta } = ledger;
          if (meta.branch !== branch)
            this.#report(branch, [`it calls itself the ledger of ${meta.branch}: a copy?`]);
          return ledger;
        }
        this.#report(branch, [ledger.why]);
        return null;
      }
      async meta(branch) {
        return (await this.stored(branch))?.meta ?? null;
      }
      async state(branch) {
        const ledger = await this.stored(branch);
        if (!ledger)
          return emptyState({ v: 1, branch, lane: "", ...branch === this.base ? { base: true } : {} });
        const blobs = [...ledger.shards.values()];
        const texts2 = await Promise.all(blobs.map((blob) => readShard(this.#store, blob)));
        const tasks = /* @__PURE__ */ new Map();
        for (const text3 of texts2) {
          const shard = parseShard(text3);
          this.#report(branch, shard.problems);
          for (const [id, record] of shard.records) tasks.set(id, record);
        }
        return { meta: ledger.meta, tasks, artifacts: await readArtifacts(this.#store, ledger) };
      }
      rows() {
        return this.#rows ??= this.#allRows();
      }
      async #allRows() {
        this.#cache.load();
        const ledgers = await Promise.all(this.branches.map((branch) => this.stored(branch)));
        const located = /* @__PURE__ */ new Map();
        for (const [n, branch] of this.branches.entries()) {
          const ledger = ledgers[n];
          if (!ledger) continue;
          const { records: records2, problems } = await this.#cache.of(ledger);
          this.#report(branch, problems);
          for (const record of records2) this.#place(located, branch, ledger.meta.lane, record);
        }
        this.#cache.save(ledgers.filter((ledger) => ledger !== null));
        return [...located.values()];
      }
      /** A task that entered a live lane is known to the base ledger too: the lane's record is the one that counts. */
      #place(located, branch, lane, record) {
        const other = located.get(record.id);
        if (!other || other.branch === this.base && isInLane(other.record, lane)) {
          located.set(record.id, { branch, record });
        } else if (other.branch !== branch && !isStaleCopy(other.record, record)) {
          this.#report(branch, [`${record.id} is also a task of ${other.branch}; that one counts`]);
        }
      }
      async task(id) {
        const home = await this.#recordIn(this.base, id);
        if (home?.lane && !home.lane.folded_at) {
          const ledger = await this.stored(home.lane.branch);
          if (ledger?.meta.lane === home.lane.id) {
            const record2 = await this.#recordIn(home.lane.branch, id);
            if (record2) return { branch: home.lane.branch, record: record2 };
          }
        }
        if (home) return { branch: this.base, record: home };
        const branch = await this.#laneWith(id);
        const record = branch === null ? null : await this.#recordIn(branch, id);
        return branch !== null && record ? { branch, record } : null;
      }
      /** The lane in which a task was filed that the base ledger does not know. */
      async #laneWith(id) {
        const lanes = this.branches.filter((branch) => branch !== this.base);
        if (lanes.length === 0) return null;
        this.#cache.load();
        const ledgers = await Promise.all(lanes.map((branch) => this.stored(branch)));
        for (const [n, ledger] of ledgers.entries()) {
          const rows = ledger ? await this.#cache.of(ledger) : null;
          if (rows?.records.some((record) => record.id === id)) return lanes[n];
        }
        return null;
      }
      async #recordIn(branch, id) {
        const ledger = await this.stored(branch);
        const blob = ledger?.shards.get(ledger.meta.base ? shardOf(id) : laneShard);
        if (!blob) return null;
        const shard = parseShard(await readShard(this.#store, blob), /* @__PURE__ */ new Set([id]));
        this.#report(branch, shard.problems);
        return shard.records.get(id) ?? null;
      }
      async idsWith(prefix, max) {
        const rows = await this.rows();
        const ids = rows.map((row) => row.record.id).filter((id) => id.startsWith(prefix));
        return ids.sort((a, b) => a < b ? -1 : 1).slice(0, max);
      }
      async size(branch) {
        const ledger = await this.stored(branch);
        if (!ledger) return 0;
        const shard = ledger.meta.base ? shardNames[0] : laneShard;
        const text3 = await readShard(this.#store, ledger.shards.get(shard));
        let lines = 0;
        for (let at = text3.indexOf("\n"); at >= 0; at = text3.indexOf("\n", at + 1)) lines++;
        return ledger.meta.base ? Math.max(lines * shardCount, ledger.shards.size) : lines;
      }
      async artifact(branch, path) {
        const commit = this.#tips.get(branch);
        if (!commit || !isArtifactPath(path)) return null;
        const object2 = await this.#store.reader.read(`${commit}:${path}`);
        return object2?.type === "blob" ? object2.data.toString("utf8") : null;
      }
      #report(branch, details) {
        for (const detail of details) {
          const known = this.problems.some((one) => one.branch === branch && one.detail === detail);
          if (!known && this.problems.length < 1e3) this.problems.push({ branch, detail });
        }
      }
    };
  }
});

// src/ledger/git-ledger.ts
function openLedger(repository, options = {}) {
  const store2 = openStore(repository, options);
  const rows = new Rows(store2);
  const look2 = () => lookAt(store2, rows);
  return {
    store: store2,
    rows,
    look: look2,
    view: async () => (await look2()).view,
    write: (plan) => write(store2, look2, plan),
    close: () => store2.reader.close()
  };
}
async function lookAt(store2, rows) {
  const read = () => readRefs(store2.repository, store2.namespace, store2.options.base);
  let refs = await read();
  if (!isHealthy(refs)) refs = await read();
  let healed = { tips: refs.tips, problems: [], ghosts: [], moved: false };
  const told = [];
  for (let n = 0; n < looksMax && !isHealthy(refs); n++) {
    healed = await heal(store2, rows, refs);
    told.push(...healed.problems);
    if (!healed.moved) break;
    refs = await read();
    healed = { tips: refs.tips, problems: [], ghosts: [], moved: false };
  }
  const { tips, ghosts } = healed;
  const base = refs.guessed ? await knownBase(store2, rows, tips, refs.base) : refs.base;
  const view = new GitView(store2, rows, { base, tips, problems: told });
  return { view, refs: { ...refs, base }, ghosts };
}
async function knownBase(store2, rows, tips, guess) {
  if (!store2.reader.running) rows.load();
  for (const [branch, tip] of tips) {
    const ledger = await ledgerAt(store2, tip);
    if (!("why" in ledger) && ledger.meta.base) return branch;
  }
  return guess;
}
async function write(store2, look2, plan) {
  store2.reader.start();
  void store2.settings().catch(() => {
  });
  const limit = store2.options.writeMs ?? writeMs;
  const started = performance.now();
  for (let tries = 1; ; tries++) {
    const giveBack2 = tries === 1 ? () => {
    } : await takeTurn(store2.repository.commonDir);
    let written;
    try {
      written = await tryWrite(store2, await look2(), plan);
    } finally {
      giveBack2();
    }
    if (typeof written !== "string") return written;
    if (performance.now() - started > limit) throw tooBusy(store2, tries, limit, written);
    await pause(tries);
  }
}
async function tryWrite(store2, seen, plan) {
  const wanted = await plan(seen.view);
  if (wanted === null) return { kind: "nothing" };
  if ("kind" in wanted) return wanted;
  const prepared = await prepare(store2, seen, wanted);
  if ("kind" in prepared) return prepared;
  if (prepared.moves.length === 0) return { kind: "nothing" };
  const moved = await moveRefs(store2.repository, [...prepared.moves, ...otherGhosts(seen, prepared)]);
  if (moved === "moved") return { kind: "written", tips: prepared.tips };
  if (moved !== "unclear") return moved;
  return await isMine(store2, prepared) ? { kind: "written", tips: prepared.tips } : "lost";
}
function otherGhosts({ ghosts }, { moves }) {
  const taken = new Set(moves.map((move) => move.ref));
  return ghosts.filter((ghost) => !taken.has(ghost.ref));
}
async function isMine(store2, { tips }) {
  for (const [branch, tip] of tips) return holds(store2.git, `${store2.namespace}/${branch}`, tip);
  return false;
}
function pause(tries) {
  const ms = tries < 3 ? Math.random() * 5 : Math.random() * Math.min(1e3, 4 * 2 ** Math.min(tries, 8));
  return new Promise((resolve2) => setTimeout(resolve2, ms));
}
function tooBusy(store2, tries, limitMs, last) {
  const why = last === "busy" ? "a lock under refs/ was held all the time" : "others were always faster";
  return new GzaError("world", `nothing was recorded: ${tries} tries in ${limitMs / 1e3} s failed, ${why}`, {
    hint: `Try again. If no other git process runs, look for *.lock files in ${store2.repository.commonDir}.`,
    data: { tries, last }
  });
}
var writeMs, looksMax;
var init_git_ledger = __esm({
  "src/ledger/git-ledger.ts"() {
    "use strict";
    init_errors();
    init_heal();
    init_move_refs();
    init_prepare();
    init_read_refs();
    init_rows();
    init_store();
    init_turn();
    init_view();
    writeMs = 3e4;
    looksMax = 4;
  }
});

// src/ledger/repository.ts
async function openRepository(cwd) {
  const found = locate((0, import_node_path7.resolve)(cwd));
  const commonDir = commonDirOf(found.gitDir);
  const config = readText((0, import_node_path7.join)(commonDir, "config")) ?? "";
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
    objectsDir: (0, import_node_path7.resolve)(cwd, process.env["GIT_OBJECT_DIRECTORY"] ?? (0, import_node_path7.join)(commonDir, "objects")),
    unusualRefs: /^\s*refstorage\s*=\s*(?!files\s*$)/im.test(config)
  };
}
function locate(cwd) {
  const fromEnvironment = process.env["GIT_DIR"];
  if (fromEnvironment) {
    const gitDir = (0, import_node_path7.resolve)(cwd, fromEnvironment);
    if (!isGitDir(gitDir)) throw notARepository(cwd, `GIT_DIR names ${gitDir}, which is no repository`);
    const tree = process.env["GIT_WORK_TREE"];
    return { gitDir: real(gitDir), workTree: tree ? (0, import_node_path7.resolve)(cwd, tree) : isBare(gitDir) ? null : cwd };
  }
  if (!(0, import_node_fs7.existsSync)(cwd)) throw notARepository(cwd, `${cwd} does not exist`);
  for (let dir = real(cwd), steps = 0; steps < 500; dir = (0, import_node_path7.dirname)(dir), steps++) {
    const found = locateIn(dir);
    if (found) return found;
    if ((0, import_node_path7.dirname)(dir) === dir) break;
  }
  throw notARepository(cwd, `neither ${cwd} nor a folder above it is a git repository`);
}
function locateIn(dir) {
  const dotGit = (0, import_node_path7.join)(dir, ".git");
  const kind = (0, import_node_fs7.statSync)(dotGit, { throwIfNoEntry: false });
  if (kind?.isDirectory() && isGitDir(dotGit)) return { gitDir: dotGit, workTree: dir };
  if (kind?.isFile()) {
    const target = /^gitdir: (.+?)\s*$/.exec(readText(dotGit) ?? "")?.[1];
    if (target && isGitDir((0, import_node_path7.resolve)(dir, target))) return { gitDir: (0, import_node_path7.resolve)(dir, target), workTree: dir };
    throw notARepository(dir, `${dotGit} points to a repository that is not there`);
  }
  if (!isGitDir(dir)) return null;
  return (0, import_node_path7.basename)(dir) === ".git" && !isBare(dir) ? { gitDir: dir, workTree: (0, import_node_path7.dirname)(dir) } : { gitDir: dir, workTree: null };
}
function isGitDir(dir) {
  if (!(0, import_node_fs7.existsSync)((0, import_node_path7.join)(dir, "HEAD"))) return false;
  return (0, import_node_fs7.existsSync)((0, import_node_path7.join)(dir, "commondir")) || (0, import_node_fs7.existsSync)((0, import_node_path7.join)(dir, "objects")) && (0, import_node_fs7.existsSync)((0, import_node_path7.join)(dir, "refs"));
}
function isBare(gitDir) {
  return /^\s*bare\s*=\s*true\s*$/im.test(readText((0, import_node_path7.join)(gitDir, "config")) ?? "");
}
function commonDirOf(gitDir) {
  const override = process.env["GIT_COMMON_DIR"];
  if (override) return (0, import_node_path7.resolve)(override);
  const other = readText((0, import_node_path7.join)(gitDir, "commondir"))?.trim();
  if (!other) return gitDir;
  return (0, import_node_path7.isAbsolute)(other) ? other : (0, import_node_path7.resolve)(gitDir, other);
}
async function headOf(gitDir, git) {
  const head2 = readText((0, import_node_path7.join)(gitDir, "HEAD"))?.trim() ?? "";
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head2)?.[1];
  if (branch !== void 0 && branch !== ".invalid") return { branch, detached: false };
  if (/^[0-9a-f]{40,64}$/.test(head2)) return { branch: null, detached: true };
  const asked = await git.run(["symbolic-ref", "-q", "--short", "HEAD"]);
  const name2 = asked.stdout.toString("utf8").trim();
  return asked.code === 0 && name2 ? { branch: name2, detached: false } : { branch: null, detached: true };
}
function readText(path) {
  try {
    return (0, import_node_fs7.readFileSync)(path, "utf8");
  } catch {
    return null;
  }
}
function real(path) {
  try {
    return (0, import_node_fs7.realpathSync)(path);
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
var import_node_fs7, import_node_path7;
var init_repository = __esm({
  "src/ledger/repository.ts"() {
    "use strict";
    import_node_fs7 = require("node:fs");
    import_node_path7 = require("node:path");
    init_errors();
    init_git();
  }
});

// src/core/hidden-characters.ts
function hiddenCharacter(text3) {
  return /[\t\n]/.test(text3) || removeHidden(text3) !== text3;
}
function removeHidden(text3) {
  const lines = text3.replace(/\r\n?/g, "\n");
  const kept2 = /* @__PURE__ */ new Set();
  for (const match of lines.matchAll(emojiJoin)) kept2.add(match.index);
  return lines.replace(hidden, (char, offset) => kept2.has(offset) ? char : "");
}
var hidden, emojiJoin;
var init_hidden_characters = __esm({
  "src/core/hidden-characters.ts"() {
    "use strict";
    hidden = // oxlint-disable-next-line no-control-regex, no-misleading-character-class
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[\ud800-\udfff]/gu;
    emojiJoin = new RegExp("(?<=\\p{Extended_Pictographic}\\ufe0f?|[\\u{1f3fb}-\\u{1f3ff}])\\u200d(?=\\p{Extended_Pictographic})|(?<=\\p{Extended_Pictographic}|[0-9#*])\\ufe0f", "gu");
  }
});

// src/core/unsafe-path.ts
function whyUnsafePath(path) {
  if (path === "" || path.length > pathLengthMax) return `a path must have 1 to ${pathLengthMax} characters`;
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "the path is absolute";
  if (path.includes("\\")) return "a backslash separates folders on Windows";
  if (hiddenCharacter(path)) return "the path has control or invisible characters in it";
  for (const name2 of path.split("/")) {
    if (name2 === "" || name2 === "." || name2 === "..") return "the path leaves or repeats a folder";
    if (name2.length > nameLengthMax) return `a name is longer than ${nameLengthMax} characters`;
    if (isGitFolder(name2)) return "the path means git's own folder on some machine";
  }
  return null;
}
function isGitFolder(name2) {
  const bare = name2.normalize("NFKC").toLowerCase().replace(/:.*$/, "").replace(/[. ]+$/, "");
  return bare === ".git" || /^git~\d+$/.test(bare);
}
var pathLengthMax, nameLengthMax;
var init_unsafe_path = __esm({
  "src/core/unsafe-path.ts"() {
    "use strict";
    init_hidden_characters();
    pathLengthMax = 1024;
    nameLengthMax = 255;
  }
});

// src/backlog/file-sizes.ts
function fileSizes(root, tasks) {
  const sizes = /* @__PURE__ */ new Map();
  if (root === null) return sizes;
  const seen = /* @__PURE__ */ new Set();
  for (const file of tasks.flatMap((task) => declaredFiles(task))) {
    if (seen.size >= filesSizedMax) break;
    if (seen.has(file) || whyUnsafePath(file) !== null) continue;
    seen.add(file);
    const stats = (0, import_node_fs8.lstatSync)((0, import_node_path8.join)(root, file), { throwIfNoEntry: false });
    if (stats?.isFile()) sizes.set(file, stats.size);
  }
  return sizes;
}
var import_node_fs8, import_node_path8, filesSizedMax;
var init_file_sizes = __esm({
  "src/backlog/file-sizes.ts"() {
    "use strict";
    import_node_fs8 = require("node:fs");
    import_node_path8 = require("node:path");
    init_declared_files();
    init_unsafe_path();
    filesSizedMax = 5e4;
  }
});

// src/core/layers.ts
function layerOf(path, own = []) {
  const segments = normalisePath(path).split("/");
  const name2 = segments.at(-1);
  const directories = segments.slice(0, -1);
  const last = lastWord(name2);
  return own.find((rule) => rule.patterns.some((pattern) => fits(pattern, segments)))?.layer ?? byName(surely, name2) ?? (directories.some((directory) => byNamedWord(directory) === "tests") ? "tests" : void 0) ?? byNamedWord(last) ?? directories.toReversed().map(byNamedWord).find((layer) => layer !== void 0) ?? byName(otherwise, name2);
}
function byName(rules, name2) {
  return rules.find((rule) => rule.patterns.some((pattern) => matches(pattern, name2)))?.layer;
}
function byNamedWord(word2) {
  return words2.get(word2.toLowerCase());
}
function fits(pattern, segments) {
  if (pattern.includes("/")) {
    const wanted = normalisePath(pattern.replace(/\/\*\*?$/, "")).split("/");
    return wanted.length <= segments.length && wanted.every((part, i) => matches(part, segments[i]));
  }
  const name2 = segments.at(-1);
  if (pattern.includes("*")) return matches(pattern, name2);
  const word2 = pattern.toLowerCase();
  return segments.some((segment) => segment.toLowerCase() === word2) || lastWord(name2) === word2;
}
function lastWord(name2) {
  const stem = name2.includes(".") && !name2.startsWith(".") ? name2.slice(0, name2.indexOf(".")) : name2;
  return stem.replace(/([a-z0-9])([A-Z])/g, "$1-$2").split(/[-_]/).at(-1).toLowerCase();
}
function matches(pattern, name2) {
  let p = 0;
  let n = 0;
  let star = -1;
  let retry2 = 0;
  while (n < name2.length) {
    if (pattern[p] === "*") {
      star = p++;
      retry2 = n;
    } else if (p < pattern.length && pattern[p] === name2[n]) {
      p++;
      n++;
    } else if (star >= 0) {
      p = star + 1;
      n = ++retry2;
    } else return false;
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}
var layers, stackedLayers, surely, byWord, otherwise, words2;
var init_layers = __esm({
  "src/core/layers.ts"() {
    "use strict";
    init_declared_files();
    layers = ["data", "business", "presentation", "tests", "config"];
    stackedLayers = ["data", "business", "presentation"];
    surely = [
      { layer: "tests", patterns: ["*.test.*", "*.spec.*", "*_test.*", "test_*", "conftest.py", "*.snap"] },
      {
        layer: "config",
        patterns: [
          "Dockerfile*",
          "Makefile",
          "package.json",
          "tsconfig*.json",
          "*.config.*",
          "*.lock",
          ".env*",
          "go.mod",
          "Cargo.toml",
          "pyproject.toml",
          "*.tf"
        ]
      },
      { layer: "data", patterns: ["*.sql", "*.prisma"] },
      {
        layer: "presentation",
        patterns: [
          "*.css",
          "*.scss",
          "*.less",
          "*.html",
          "*.vue",
          "*.svelte",
          "*.tsx",
          "*.jsx",
          "*.erb",
          "*.hbs"
        ]
      }
    ];
    byWord = [
      {
        layer: "tests",
        patterns: ["test", "tests", "spec", "specs", "__tests__", "e2e", "fixtures", "__mocks__"]
      },
      {
        layer: "data",
        patterns: [
          "db",
          "database",
          "data",
          "model",
          "models",
          "entity",
          "entities",
          "migration",
          "migrations",
          "migrate",
          "schema",
          "schemas",
          "repository",
          "repositories",
          "persistence",
          "store",
          "stores",
          "storage",
          "dao",
          "orm",
          "sql",
          "prisma",
          "queries",
          "query",
          "seeds"
        ]
      },
      {
        layer: "business",
        patterns: [
          "service",
          "services",
          "domain",
          "core",
          "logic",
          "usecase",
          "usecases",
          "use-cases",
          "business",
          "workflow",
          "workflows",
          "job",
          "jobs",
          "worker",
          "workers",
          "rules",
          "policy",
          "policies",
          "engine",
          "manager",
          "managers",
          "processor",
          "calculator",
          "validator",
          "validators"
        ]
      },
      {
        layer: "presentation",
        patterns: [
          "ui",
          "view",
          "views",
          "component",
          "components",
          "page",
          "pages",
          "screen",
          "screens",
          "template",
          "templates",
          "controller",
          "controllers",
          "route",
          "routes",
          "router",
          "api",
          "graphql",
          "resolvers",
          "frontend",
          "client",
          "web",
          "public",
          "styles",
          "layouts",
          "widgets",
          "cli"
        ]
      },
      {
        layer: "config",
        patterns: [
          "config",
          "configs",
          "settings",
          ".github",
          "deploy",
          "infra",
          "terraform",
          "docker",
          "helm",
          "ci"
        ]
      }
    ];
    otherwise = [
      { layer: "config", patterns: ["*.json", "*.yml", "*.yaml", "*.toml", "*.ini"] }
    ];
    words2 = new Map(
      byWord.flatMap(({ layer, patterns }) => patterns.map((word2) => [word2, layer]))
    );
  }
});

// src/core/score-words.ts
function words3(table) {
  return table.trim().replace(/\s+/g, " ").split(", ");
}
var concepts, vaguePoints, vagueGroups;
var init_score_words = __esm({
  "src/core/score-words.ts"() {
    "use strict";
    concepts = [
      {
        name: "algorithm",
        points: 1,
        words: words3(`
      algorithm*, heuristic*, optimal, recursi*, graph traversal, topological, scoring, ranking,
      diffing, interpolat*, dynamic programming, big o
    `)
      },
      {
        name: "concurrency",
        points: 1,
        words: words3(`
      async, asynchronous*, concurren*, parallel, race condition*, deadlock*, mutex, locking, lock
      free, thread safe, thread safety, multithread*, atomic*, compare and swap
    `)
      },
      {
        name: "distribution",
        points: 1,
        words: words3(`
      distributed, consensus, eventual consistency, eventually consistent, replicat*, shard*,
      partition tolerance, leader election, crdt, two phase commit, saga, exactly once, idempoten*
    `)
      },
      {
        name: "language work",
        points: 1,
        words: words3(`
      parser, parsing, compiler, grammar, tokenizer, tokeniser, lexer, interpreter, type inference,
      abstract syntax, code generation
    `)
      },
      {
        name: "cryptography",
        points: 1,
        words: words3(
          "encrypt*, decrypt*, cryptograph*, key rotation, signing, signature verification, zero knowledge"
        )
      },
      {
        name: "data migration",
        points: 0.5,
        words: words3("migrat*, backfill*, zero downtime, schema change, dual write*")
      },
      {
        name: "security",
        points: 0.5,
        words: words3(`
      authenticat*, authoriz*, authoris*, oauth*, jwt, permission*, access control, rbac, csrf, sso,
      saml, sandbox*, multi tenant, tenant isolation
    `)
      },
      {
        name: "integration",
        points: 0.5,
        words: words3(`
      integrat*, webhook*, third party, external api, external service, payment*, stripe, grpc,
      message queue, kafka, rabbitmq
    `)
      },
      {
        name: "performance",
        points: 0.5,
        words: words3(`
      performance, optimiz*, optimis*, caching, cache invalidation, latency, throughput, memory leak*,
      profil* the, hot path, n+1, backpressure, rate limit*
    `)
      },
      {
        name: "transactions",
        points: 0.5,
        words: words3("transaction*, rollback, consistency, isolation level, optimistic lock*, outbox")
      },
      {
        name: "realtime",
        points: 0.5,
        words: words3(`
      realtime, real time, websocket*, streaming, server sent events, push notification*,
      collaborative editing
    `)
      },
      {
        name: "state",
        points: 0.5,
        words: words3(`
      state machine*, workflow engine, event sourcing, undo, conflict resolution, offline, retry,
      retries, retried, resumable, crash recovery
    `)
      },
      {
        name: "redesign",
        points: 0.5,
        words: words3(`
      refactor*, rewrite, rearchitect*, redesign*, decouple, extract into, replace the, backward*
      compatib*, plugin system, abstraction
    `)
      },
      {
        name: "machine learning",
        points: 1,
        words: words3(`
      machine learning, embeddings, neural, model training, vector search, recommendation engine,
      anomaly detection
    `)
      },
      {
        name: "low level",
        points: 1,
        words: words3(`
      kernel, memory layout, simd, ffi, garbage collect*, unsafe code, bytecode, wire protocol, binary
      format
    `)
      },
      {
        name: "time and money",
        points: 0.5,
        words: words3(`
      time zone*, timezone*, daylight saving, recurring, proration, currency, currencies, rounding,
      tax*, invoic*, double entry
    `)
      }
    ];
    vaguePoints = 0.5;
    vagueGroups = [
      words3("etc, and so on, and more, and the like, among others, et cetera"),
      words3("maybe, perhaps, possibly, might, if possible, ideally, probably, nice to have"),
      words3("somehow, some way, something like, sort of, kind of, stuff, things, whatever"),
      words3(`
    as needed, as appropriate, as necessary, where appropriate, if needed, where needed, when
    necessary, wherever
  `),
      words3("improve, better, enhance, clean up, cleanup, nicer, polish, tidy up, modernize, modernise"),
      words3(`
    user friendly, intuitive, robust, seamless*, scalable, flexible, easy to use, production ready,
    world class, fast enough, high quality
  `),
      words3(`
    tbd, todo decide, to be determined, to be decided, not sure, unclear, figure out, investigate,
    look into, find out, explore options
  `),
      words3(`
    various, several places, some of the, everything, everywhere, all the places, across the board,
    whole app, entire codebase
  `),
      words3("appropriate, reasonable, proper, properly, suitable, correctly handle, handle all, all edge cases")
    ];
  }
});

// src/core/soft-limits.ts
function sizeLimits(given = {}) {
  const { max_criteria_per_task, ...own } = given;
  const criteria = max_criteria_per_task === void 0 ? {} : { max_acceptance_criteria: max_criteria_per_task };
  return { ...sizeLimitsBuiltIn, ...criteria, ...own };
}
function sizeWarnings(task, score, limits = sizeLimitsBuiltIn) {
  const checks = [
    ["max_files_to_create", normalisePaths(task.files_to_create).length, "files to create"],
    ["max_files_to_modify", normalisePaths(task.files_to_modify).length, "files to modify"],
    ["max_acceptance_criteria", task.acceptance_criteria?.length ?? 0, "acceptance criteria"],
    ["max_input_tokens", score.tokens, "estimated tokens of input"],
    ["max_time_minutes", score.minutes, "estimated minutes"]
  ];
  return checks.flatMap(([limit, found, what]) => {
    const max = Number(limits[limit]);
    if (found <= max) return [];
    return [
      { limit, found, max, message: `#${task.id} has ${found} ${what}; up to ${max} (${limit}) is advised` }
    ];
  });
}
var sizeLimitsBuiltIn;
var init_soft_limits = __esm({
  "src/core/soft-limits.ts"() {
    "use strict";
    init_declared_files();
    sizeLimitsBuiltIn = {
      max_files_to_create: 5,
      max_files_to_modify: 8,
      max_acceptance_criteria: 7,
      max_input_tokens: 6e3,
      max_time_minutes: 5,
      complexity_threshold: 5,
      auto_split: false
    };
  }
});

// src/core/words-in.ts
function proseWords(text3) {
  const prose = text3.slice(0, proseCharactersMax).replace(/```[\s\S]*?```/g, " ").replace(/^[ \t]*>.*$/gm, " ").replace(/`[^`\n]*`/g, " ");
  return ` ${prose.toLowerCase().match(/[\p{L}\p{N}+]+/gu)?.join(" ") ?? ""} `;
}
function firstOf(phrases, words4) {
  for (const phrase of phrases) {
    const found = occurrence(phrase, words4);
    if (found !== void 0) return found;
  }
  return void 0;
}
function occurrence(phrase, words4) {
  if (!phrase.includes("*")) return words4.includes(` ${phrase} `) ? phrase : void 0;
  const [start, ...rest] = phrase.split("* ");
  if (rest.length > 0) return inOrder([start, ...rest], words4);
  const at = words4.indexOf(` ${phrase.slice(0, -1)}`);
  return at < 0 ? void 0 : words4.slice(at + 1, words4.indexOf(" ", at + phrase.length));
}
function inOrder(parts, words4) {
  const beginnings = parts.map((part) => part.replace(/\*$/, ""));
  const all = words4.trim().split(" ");
  const at = all.findIndex(
    (_, at2) => beginnings.every((start, i) => all[at2 + i]?.startsWith(start) ?? false)
  );
  return at < 0 ? void 0 : all.slice(at, at + parts.length).join(" ");
}
var proseCharactersMax;
var init_words_in = __esm({
  "src/core/words-in.ts"() {
    "use strict";
    proseCharactersMax = 5e4;
  }
});

// src/core/score.ts
function scoreTask(task, input = {}) {
  const files = declaredFiles(task);
  const words4 = proseWords(textOf(task));
  const tokens = estimateTokens(task, input.sizes);
  const reasons = {
    file_scope: files.map((what) => ({ what, points: 0.5 })),
    cross_file_deps: crossFileReasons(files, input.layerRules),
    semantic_complexity: semanticReasons(words4),
    requirement_uncertainty: uncertaintyReasons(task, files, words4),
    token_penalty: tokenReasons(tokens, input.limits ?? sizeLimitsBuiltIn)
  };
  const points = mapComponents((name2) => capped(reasons[name2], pointsMax[name2]));
  const total2 = tenths(scoreComponents.reduce((sum2, name2) => sum2 + points[name2], 0));
  const share = (name2) => points[name2] / pointsMax[name2];
  const dominant = scoreComponents.reduce((a, b) => share(b) > share(a) ? b : a);
  return { total: total2, level: levelOf(total2), points, reasons, dominant, tokens, minutes: tenths(1 + total2 / 2) };
}
function levelOf(total2) {
  if (total2 < 5) return "LOW";
  if (total2 < 8) return "MEDIUM";
  return total2 < 11 ? "HIGH" : "CRITICAL";
}
function isTooComplex(score) {
  return score.level === "CRITICAL";
}
function textOf(task) {
  return [task.title, task.content, task.user_story ?? "", ...task.acceptance_criteria ?? []].join("\n");
}
function crossFileReasons(files, own) {
  const layerOfFile = files.map((file) => layerOf(file, own));
  const found = stackedLayers.filter((layer) => layerOfFile.includes(layer));
  const counted = files.filter((_, at) => layerOfFile[at] !== "tests");
  const directories = [...new Set(counted.map(directoryOf))];
  const extra = directories.length - Math.max(1, found.length);
  const reasons = found.slice(1).map((layer) => ({ what: layerReason(found[0], layer), points: 1 }));
  if (extra > 0)
    reasons.push({ what: `${directories.length} directories`, points: Math.min(1, extra * 0.5) });
  return reasons;
}
function layerReason(first, layer) {
  return `${layer} layer besides the ${first} layer`;
}
function directoryOf(path) {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
function semanticReasons(words4) {
  return concepts.flatMap(({ name: name2, points, words: phrases }) => {
    const found = firstOf(phrases, words4);
    return found === void 0 ? [] : [{ what: `${name2} ("${found}")`, points }];
  });
}
function uncertaintyReasons(task, files, words4) {
  const vague = vagueGroups.flatMap((group) => {
    const found = firstOf(group, words4);
    return found === void 0 ? [] : [{ what: `"${found}"`, points: vaguePoints }];
  });
  const criteria = (task.acceptance_criteria?.length ?? 0) > 0;
  return [
    ...vague,
    ...criteria ? [] : [{ what: "no acceptance criteria", points: 0.5 }],
    ...files.length > 0 ? [] : [{ what: "no files named", points: 0.5 }]
  ];
}
function estimateTokens(task, sizes = /* @__PURE__ */ new Map()) {
  const created = new Set(normalisePaths(task.files_to_create));
  const ofFile = (file) => {
    const size = sizes.get(file);
    if (size !== void 0) return size / bytesPerToken;
    return created.has(file) ? 0 : tokensOfUnknownFile;
  };
  const read = declaredFiles(task).reduce((sum2, file) => sum2 + ofFile(file), 0);
  return Math.ceil(textOf(task).length / bytesPerToken + read);
}
function tokenReasons(tokens, { max_input_tokens: budget }) {
  if (tokens <= budget) return [];
  const points = Math.min(1, Math.ceil((tokens - budget) / budget * 10) / 10);
  return [{ what: `about ${tokens} tokens, over the budget of ${budget}`, points }];
}
function capped(reasons, max) {
  return Math.min(max, tenths(reasons.reduce((sum2, { points }) => sum2 + points, 0)));
}
function mapComponents(of) {
  return Object.fromEntries(scoreComponents.map((name2) => [name2, of(name2)]));
}
function tenths(value) {
  return Math.round(value * 10) / 10;
}
var scoreComponents, pointsMax, bytesPerToken, tokensOfUnknownFile;
var init_score = __esm({
  "src/core/score.ts"() {
    "use strict";
    init_declared_files();
    init_layers();
    init_score_words();
    init_soft_limits();
    init_words_in();
    scoreComponents = [
      "file_scope",
      "cross_file_deps",
      "semantic_complexity",
      "requirement_uncertainty",
      "token_penalty"
    ];
    pointsMax = {
      file_scope: 5,
      cross_file_deps: 2,
      semantic_complexity: 3,
      requirement_uncertainty: 2,
      token_penalty: 1
    };
    bytesPerToken = 4;
    tokensOfUnknownFile = 500;
  }
});

// src/core/score-input.ts
function scoreInput({ task_size_limits, complexity_layers }, sizes) {
  return {
    limits: sizeLimits(task_size_limits),
    layerRules: layerRulesOf(complexity_layers),
    ...sizes ? { sizes } : {}
  };
}
function layerRulesOf(configured) {
  const names = Object.keys(configured).filter((name2) => !isOther(name2));
  return Object.entries(configured).map(([name2, patterns]) => ({ layer: layerNamed(name2, names), patterns }));
}
function isOther(name2) {
  return name2 === "tests" || name2 === "config";
}
function layerNamed(name2, inOrder3) {
  const own = layers.find((layer) => layer === name2);
  if (own) return own;
  const at = inOrder3.indexOf(name2);
  if (at === 0) return stackedLayers[0];
  return at === inOrder3.length - 1 ? stackedLayers[2] : stackedLayers[1];
}
var init_score_input = __esm({
  "src/core/score-input.ts"() {
    "use strict";
    init_layers();
    init_soft_limits();
  }
});

// src/core/too-complex.ts
function mayBeTooComplex(task, input) {
  if (task.type !== "task" && task.type !== "implement") return false;
  const named = (task.files_to_create?.length ?? 0) + (task.files_to_modify?.length ?? 0);
  if (named * 0.5 + pointsMax.cross_file_deps + unseenMax < criticalFrom) return false;
  if (declaredFiles(task).length === 0) return false;
  const { points } = scoreTask(task, input);
  return points.file_scope + points.cross_file_deps + unseenMax >= criticalFrom;
}
function isPastComplexity(record) {
  return record?.approved_at !== void 0 || record?.started_at !== void 0 || record?.closed_at !== void 0;
}
function tooComplexText(score) {
  if (!isTooComplex(score)) return null;
  return `its complexity: ${score.total.toFixed(1)} of 13, which must be split or approved`;
}
var unseenMax, criticalFrom;
var init_too_complex = __esm({
  "src/core/too-complex.ts"() {
    "use strict";
    init_declared_files();
    init_score();
    unseenMax = pointsMax.semantic_complexity + pointsMax.requirement_uncertainty + pointsMax.token_penalty;
    criticalFrom = 11;
  }
});

// src/commands/complex-tasks.ts
async function complexTasks(items, source) {
  const complex = /* @__PURE__ */ new Map();
  const input = scoreInput(source.config);
  for (const { task, record } of items) {
    if (isPastComplexity(record) || !mayBeTooComplex(task, input)) continue;
    const whole = await wholeTask(task.id, source);
    if (!whole) continue;
    const sizes = fileSizes(source.repository.workTree, [whole]);
    const text3 = tooComplexText(scoreTask(whole, { ...input, sizes }));
    if (text3 !== null) complex.set(task.id, text3);
  }
  return complex;
}
async function wholeTask(id, { view, backlog }) {
  return (await view.task(id))?.record ?? (await backlog.definition(id))?.task ?? null;
}
var init_complex_tasks = __esm({
  "src/commands/complex-tasks.ts"() {
    "use strict";
    init_file_sizes();
    init_score();
    init_score_input();
    init_too_complex();
  }
});

// src/commands/project.ts
async function open(ports) {
  const repository = await openRepository(ports.cwd);
  const backlog = await openBacklog(repository);
  const read = await backlog.read();
  const { config } = read;
  const options = { stateRef: config.state_ref, ...config.base ? { base: config.base } : {} };
  return { repository, ledger: openLedger(repository, options), config, backlog, read };
}
async function openBacklog(repository) {
  const cache = openCache(repository.commonDir);
  if (repository.workTree !== null) return workTreeBacklog({ root: repository.workTree, cache });
  const head2 = await repository.git.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  const commit = head2.code === 0 ? head2.stdout.toString("utf8").trim() : null;
  return commit ? commitBacklog({ git: repository.git, commit, cache }) : noBacklog;
}
async function openProject(ports) {
  return look(await open(ports), ports);
}
async function look(opened, ports) {
  return lookThrough(await opened.ledger.view(), opened, ports);
}
async function lookThrough(view, opened, ports) {
  const { config, read } = opened;
  const [rows, meta] = await Promise.all([view.rows(), view.meta(view.base)]);
  const files = checkedFiles(read, rows, view.base);
  const defaults = new Map(files.tasks.map((file) => [file.task.id, file.defaults]));
  const settings2 = (task) => settingsOf(task, defaults.get(task.id) ?? {}, config);
  const items = assembleItems({ files: files.tasks, rows, base: view.base, invalid: files.invalid });
  const board = buildBoard({
    items,
    claims: meta?.claims ?? [],
    now: ports.now(),
    gates: (task) => gatesOf(task, defaults.get(task.id) ?? {}, config),
    milestones: config.milestones.map(({ id }) => id),
    complex: await complexTasks(items, { ...opened, view })
  });
  for (const { branch, detail } of view.problems)
    ports.progress(`warning: the ledger of ${branch}: ${detail}`);
  return { ...opened, view, board, settings: settings2 };
}
function checkedFiles(read, rows, base) {
  if (read.tasks.length === 0 && read.problems.length === 0)
    return { tasks: read.tasks, invalid: /* @__PURE__ */ new Map() };
  const filed = new Map(rows.map(({ record }) => [record.id, record]));
  const { tasks, bad } = checkBacklog({ tasks: read.tasks, problems: read.problems, filed, base });
  const invalid2 = new Map(
    [...bad].map(([id, { file, line: line3, message }]) => [id, `${file}:${line3}: ${message}`])
  );
  return { tasks, invalid: invalid2 };
}
function gatesOf(task, defaults, config) {
  return {
    auto_review: settingOf("auto_review", task, defaults, config),
    approval: settingOf("approval", task, defaults, config) === "required",
    requires_merge: settingOf("requires", task, defaults, config) === "merged"
  };
}
function homeBranch(repository, view) {
  return repository.head.branch ?? view.base;
}
function cyclesMax(project) {
  return (view) => project.settings(view.task).max_review_cycles + (view.record?.extra_cycles ?? 0);
}
var noBacklog;
var init_project = __esm({
  "src/commands/project.ts"() {
    "use strict";
    init_commit_backlog();
    init_work_tree_backlog();
    init_cache();
    init_assemble_board();
    init_board();
    init_check_backlog();
    init_config();
    init_settings();
    init_git_ledger();
    init_repository();
    init_complex_tasks();
    noBacklog = {
      read: async () => ({ config: builtInConfig, tasks: [], milestones: [], problems: [], identity: "" }),
      definition: async () => null
    };
  }
});

// src/commands/change-task.ts
function stampOf(ports) {
  const by2 = agentName(ports);
  return by2 ? { at: ports.now(), by: by2 } : { at: ports.now() };
}
async function taskOutcome(project, id, ports, text3) {
  const after = await look(project, ports);
  const view = await wholeView(after, id);
  return { json: taskJson(view, shownSettings(after, view.task)), text: text3(view) };
}
async function wholeView(project, id) {
  const view = project.board.views.get(id);
  if (!view) throw new GzaError("input", `there is no task "${id}"`);
  const [located, file] = await Promise.all([project.view.task(id), project.backlog.definition(id)]);
  if (!located) return file ? { ...view, task: file.task } : view;
  const { record, branch } = located;
  if (file && !isDefined(record)) return { ...view, record, task: file.task, branch };
  const changed2 = file !== null && saysSomethingElse(file.task, record);
  return { ...view, record, task: record, branch, changed: changed2 };
}
function saysSomethingElse(file, record) {
  const taken = record;
  return Object.entries(file).some(
    ([name2, value]) => !ledgerOwns.has(name2) && JSON.stringify(value) !== JSON.stringify(taken[name2])
  );
}
function shownSettings(project, task) {
  const { max_attempts, max_review_cycles, auto_review, create_review, agents } = project.settings(task);
  return { max_attempts, max_review_cycles, auto_review, create_review, agents };
}
async function writeToTask(project, id, ports, events) {
  const stamp = stampOf(ports);
  const adopted = await adoption(project, id, stamp);
  const written = await project.ledger.write(async (view) => planFor(view, id, adopted, events, stamp));
  if (written.kind === "refused") throw refusalError(written);
}
async function planFor(view, id, adopted, events, stamp) {
  const located = await view.task(id);
  const wanted = events(located?.record ?? (adopted?.kind === "adopt" ? adopted.task : null), stamp);
  if ("kind" in wanted) return wanted;
  if (wanted.length === 0) return null;
  const first = located || !adopted ? [] : [adopted];
  const change = { branch: located?.branch ?? view.base, events: [...first, ...wanted] };
  return { changes: [change] };
}
async function adoption(project, id, stamp, startedAt) {
  if (project.board.views.get(id)?.record) return null;
  const file = await project.backlog.definition(id);
  if (!file) return null;
  const type = project.config.task_types[file.task.type] ?? {};
  const defaults = Object.fromEntries(Object.entries(file.defaults).filter(([name2]) => !(name2 in type)));
  const record = { ...defaults, ...file.task, created_at: stamp.at, file: file.file };
  if (startedAt !== void 0) record.started_at = startedAt;
  return { kind: "adopt", ...stamp, task: record };
}
async function definitionNow(project, id, stamp, startedAt) {
  const record = project.board.views.get(id)?.record;
  if (!record) return adoption(project, id, stamp, startedAt);
  const file = isDefined(record) ? null : await project.backlog.definition(id);
  const located = file ? await project.view.task(id) : null;
  if (!file || !located || !saysSomethingElse(file.task, located.record)) return null;
  return { kind: "retry", ...stamp, id, redefined: { ...file.defaults, ...file.task } };
}
function refusalError(refusal2) {
  const held = refusal2.why === "claimed" || refusal2.why === "not-held";
  return new GzaError(held ? "lost" : refusal2.why === "assigned" ? "blocked" : "refused", refusal2.detail, {
    data: {
      why: refusal2.why,
      ...refusal2.claim ? { holder: refusal2.claim.holder, until: refusal2.claim.until } : {}
    }
  });
}
var ledgerOwns;
var init_change_task = __esm({
  "src/commands/change-task.ts"() {
    "use strict";
    init_errors();
    init_record();
    init_task_json();
    init_actor();
    init_project();
    ledgerOwns = /* @__PURE__ */ new Set([
      "group",
      "milestone",
      "priority",
      "tags",
      "assigned_agent",
      "branch",
      "linear_issue_id"
    ]);
  }
});

// src/commands/definition-options.ts
async function definitionFields2({ options }, knownId3) {
  const fields = {};
  for (const option of fieldOptions) {
    const given = options[option.name];
    if (given === void 0) continue;
    const value = valueOf(option, given);
    fields[option.field] = option.ids ? await idsOf2(value, knownId3) : value;
  }
  return fields;
}
function valueOf(option, given) {
  const { type, commas, sets } = option;
  if (type === "flag" && sets !== void 0) return given ? sets : null;
  if (option.number !== void 0 && given) return numberOf(option, given);
  if (type === "text") return given || null;
  if (type !== "many") return given;
  const words4 = given.flatMap((word2) => commas ? word2.split(",") : [word2]);
  const values = [...new Set(words4.map((word2) => word2.trim()).filter((word2) => word2 !== ""))];
  return values.length > 0 ? values : null;
}
function numberOf({ name: name2, number: number2 }, given) {
  const value = Number(given);
  const isRight = number2 === "a whole number from 1" ? Number.isSafeInteger(value) && value >= 1 : value >= 0;
  if (isRight && Number.isFinite(value) && given.trim() !== "") return value;
  throw new GzaError("usage", `--${name2} takes ${number2}, found "${given}"`);
}
async function idsOf2(value, knownId3) {
  if (value === null) return null;
  if (typeof value === "string") return knownId3(value);
  const ids = await Promise.all(value.map(knownId3));
  return [...new Set(ids)];
}
var text2, many, flag2, fieldOptions, definitionOptions;
var init_definition_options = __esm({
  "src/commands/definition-options.ts"() {
    "use strict";
    init_errors();
    init_task();
    text2 = (name2, field, value, help) => ({
      name: name2,
      field,
      type: "text",
      value,
      help
    });
    many = (name2, field, value, help) => ({
      ...text2(name2, field, value, help),
      type: "many"
    });
    flag2 = (name2, field, help) => ({
      name: name2,
      field,
      type: "flag",
      help
    });
    fieldOptions = [
      { ...text2("type", "type", "<type>", "what kind of task"), short: "t", choices: taskTypes },
      text2("group", "group", "<group>", "label for related tasks"),
      text2("milestone", "milestone", "<id>", "milestone"),
      { ...text2("priority", "priority", "<p>", "how urgent"), choices: [...priorities, ""] },
      {
        ...many("after", "depends_on", "<id>", "must be completed first"),
        aliases: ["based-on", "depends-on"],
        ids: true,
        commas: true
      },
      flag2("same-branch", "same_branch", "go on on the dependency's branch"),
      text2("on-branch", "branch", "<branch>", "work on this branch"),
      flag2("review", "create_review", "file and run a review task when it is completed"),
      { ...flag2("auto-review", "auto_review", "review and improve until approved"), short: "a" },
      {
        ...text2("max-cycles", "max_review_cycles", "<n>", "most review cycles (default 3)"),
        number: "a whole number from 1"
      },
      { ...flag2("approval", "approval", "hold dependents until gza approve"), sets: "required" },
      { ...text2("parent", "parent", "<id>", "task it is a part of"), ids: true },
      { ...text2("plan-file", "plan_file", "<file>", "plan it belongs to"), aliases: ["plan"] },
      text2("project", "project", "<name>", "project it belongs to"),
      { ...many("agent", "agents", "<agent>", "program that runs it"), commas: true },
      text2("model", "model", "<model>", "model it runs with"),
      { ...text2("budget", "budget", "<dollars>", "most it may cost"), number: "a number of 0 or more" },
      many("creates", "files_to_create", "<file>", "file it creates"),
      many("modifies", "files_to_modify", "<file>", "file it modifies"),
      many("test-file", "test_files", "<file>", "test file that must pass"),
      many("criterion", "acceptance_criteria", "<text>", "acceptance criterion"),
      text2("verify", "verify", "<command>", "command that must succeed"),
      { ...many("tag", "tags", "<tag>", "free tag"), commas: true }
    ];
    definitionOptions = fieldOptions.map(
      ({ field: _field, ids: _ids, commas: _commas, sets: _sets, number: _number, ...option }) => option
    );
  }
});

// src/commands/new-id.ts
async function freeId(view, seed) {
  const [id] = await freeIds(view, [seed]);
  return id;
}
async function freeIds(view, seeds) {
  const size = await view.size(view.base) + seeds.length;
  let digits = 4;
  while (16 ** digits < size * 64) digits += 1;
  const taken = /* @__PURE__ */ new Set();
  for (const seed of seeds) taken.add(await newId2(view, seed, digits, taken));
  return [...taken];
}
async function newId2(view, seed, digits, taken) {
  for (let n = 0; n < triesMax; n += 1) {
    const hash2 = (0, import_node_crypto5.createHash)("sha1").update(`${seed}
${n}`).digest("hex");
    const id = `task-${hash2.slice(0, digits + Math.floor(n / 20))}`;
    if (!taken.has(id) && !await view.task(id)) return id;
  }
  throw new GzaError("world", `no free id was found in ${triesMax} tries`);
}
var import_node_crypto5, triesMax;
var init_new_id = __esm({
  "src/commands/new-id.ts"() {
    "use strict";
    import_node_crypto5 = lateBuiltin(() => require("node:crypto"));
    init_errors();
    triesMax = 200;
  }
});

// src/commands/file-records.ts
async function fileRecord(opened, fields, ports) {
  const stamp = stampOf(ports);
  const salt = ports.random();
  let filed;
  const written = await opened.ledger.write(async (view) => {
    const id = await freeId(view, `${fields.content}
${stamp.at}
${salt}`);
    const parent = fields.parent === void 0 ? null : await view.task(fields.parent);
    const own = inheritedFrom(fields, parent?.record ?? null);
    filed = { id, ...own, ...filing(stamp) };
    return filePlan(view, homeBranch(opened.repository, view), [filed], stamp, salt);
  });
  if (written.kind === "refused") throw refusalError(written);
  return filed;
}
function filing({ at, by: by2 }) {
  return by2 ? { created_at: at, created_by: by2 } : { created_at: at };
}
async function filePlan(view, branch, records2, stamp, salt) {
  if (branch === view.base)
    return { changes: [{ branch, events: records2.map((task) => ({ kind: "add", ...stamp, task })) }] };
  const meta = await view.meta(branch);
  const lane = { id: meta?.lane ?? salt, branch };
  const events = meta ? [] : [{ kind: "open-lane", ...stamp, lane, tasks: [] }];
  for (const task of records2) events.push({ kind: "add", ...stamp, task: { ...task, lane } });
  return { changes: [{ branch, events }] };
}
function inheritedFrom(fields, parent) {
  if (!parent) return fields;
  const { branch, plan_file, project, group, milestone } = parent;
  return { ...set({ branch, plan_file, project, group, milestone }), ...fields };
}
function set(fields) {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== void 0 && value !== null)
  );
}
var init_file_records = __esm({
  "src/commands/file-records.ts"() {
    "use strict";
    init_change_task();
    init_new_id();
    init_project();
  }
});

// src/commands/find-task.ts
function findTask(board, word2) {
  const name2 = word2.replace(/^#/, "");
  const exact = board.views.get(name2) ?? board.views.get(`task-${name2}`);
  if (exact) return exact;
  const found = name2 === "" ? [] : withPrefix(board, name2);
  if (found.length === 1) return found[0];
  throw found.length > 1 ? ambiguous(word2, found) : unknown(board, word2);
}
function withPrefix(board, name2) {
  const matches2 = (id) => id.startsWith(name2) || id.startsWith(`task-${name2}`);
  return [...board.views.values()].filter((view) => matches2(view.id) || view.record?.was === name2);
}
function ambiguous(word2, found) {
  const lines = found.slice(0, candidatesMax).map((view) => `${view.id}: ${shorten(view.task.title)}`);
  const more = found.length > candidatesMax ? [`and ${found.length - candidatesMax} more`] : [];
  return new GzaError("input", `"${word2}" could be ${found.length} tasks`, {
    hint: [...lines, ...more].join("\n"),
    data: { candidates: found.slice(0, 100).map((view) => view.id) }
  });
}
function unknown(board, word2) {
  const ids = [...board.views.keys()];
  const near = nearestWord(word2, ids.slice(0, 2e4));
  const open3 = ids.filter((id) => board.views.get(id)?.record?.closed_at === void 0);
  return new GzaError("input", `there is no task "${word2}"${near ? `: did you mean ${near}?` : ""}`, {
    hint: open3.length > 0 ? open3.slice(0, candidatesMax).map((id) => `${id}: ${shorten(board.views.get(id)?.task.title ?? "")}`).join("\n") : 'No task is open. File one: gza add "What should be done"',
    data: { candidates: near ? [near] : [] }
  });
}
var candidatesMax;
var init_find_task = __esm({
  "src/commands/find-task.ts"() {
    "use strict";
    init_errors();
    init_nearest_word();
    init_task_line();
    candidatesMax = 10;
  }
});

// src/core/fingerprint.ts
function fnv1a64(text3) {
  let hash2 = 0xcbf29ce484222325n;
  for (let index = 0; index < text3.length; index += 1) {
    const unit = text3.charCodeAt(index);
    hash2 = (hash2 ^ BigInt(unit & 255)) * prime & mask;
    if (unit > 255) hash2 = (hash2 ^ BigInt(unit >> 8)) * prime & mask;
  }
  return hash2.toString(16).padStart(16, "0");
}
var prime, mask;
var init_fingerprint = __esm({
  "src/core/fingerprint.ts"() {
    "use strict";
    prime = 0x100000001b3n;
    mask = 0xffffffffffffffffn;
  }
});

// src/core/branch-name.ts
var taskIdPattern;
var init_branch_name = __esm({
  "src/core/branch-name.ts"() {
    "use strict";
    init_hidden_characters();
    taskIdPattern = /^(?![-.])(?!.*\.\.)(?!.*\.lock$)[A-Za-z0-9._-]{0,63}[A-Za-z0-9_-]$/;
  }
});

// src/core/find-json.ts
function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
var init_find_json = __esm({
  "src/core/find-json.ts"() {
    "use strict";
  }
});

// src/core/spool-line.ts
function printSpoolLine(line3) {
  const text3 = JSON.stringify(fieldsOf(line3));
  const reading = readSpoolLine(text3);
  return reading.kind === "refused" ? { why: reading.why } : { text: `${text3}
` };
}
function fieldsOf(line3) {
  switch (line3.kind) {
    case "add": {
      const { kind, content, after, ref, parent } = line3;
      return { kind, content, after, ref, ...parent === null ? {} : { parent } };
    }
    case "note":
      return { kind: line3.kind, id: line3.id, text: line3.text };
    case "done":
      return { kind: line3.kind, id: line3.id, ...line3.note === null ? {} : { note: line3.note } };
  }
}
function readSpoolLine(line3) {
  if (line3.length > spoolLineBytesMax) return refusal(`it is longer than ${spoolLineBytesMax} characters`);
  let value;
  try {
    value = JSON.parse(line3);
  } catch {
    return refusal("it is not JSON");
  }
  if (!isRecord(value)) return refusal("it is not an object");
  switch (value["kind"]) {
    case "add":
      return readAdd(value);
    case "note":
      return readNote(value);
    case "done":
      return readDone(value);
    default:
      return refusal("its kind is none of add, note, done");
  }
}
function readAdd(fields) {
  const unknown2 = unknownField(fields, ["kind", "content", "after", "ref", "parent"]);
  if (unknown2 !== null) return refusal(`a task filed during a step takes text and after, not ${unknown2}`);
  const { content, after = [], ref, parent = null } = fields;
  if (!isText(content, spoolContentCharsMax)) return refusal(textFault("content", spoolContentCharsMax));
  if (typeof ref !== "string" || !/^task-[0-9a-f]{4,16}$/.test(ref)) return refusal("ref is no id");
  if (!Array.isArray(after) || after.length > afterMax || !after.every(isId)) {
    return refusal(`after must be a list of at most ${afterMax} ids`);
  }
  if (parent !== null && !isId(parent)) return refusal("parent is no id");
  return { kind: "add", content, after: [...after], ref, parent };
}
function readNote(fields) {
  const unknown2 = unknownField(fields, ["kind", "id", "text"]);
  if (unknown2 !== null) return refusal(`a note takes id and text, not ${unknown2}`);
  const { id, text: text3 } = fields;
  if (!isId(id)) return refusal("id is no id");
  if (!isText(text3, spoolNoteCharsMax)) return refusal(textFault("text", spoolNoteCharsMax));
  return { kind: "note", id, text: text3 };
}
function readDone(fields) {
  const unknown2 = unknownField(fields, ["kind", "id", "note"]);
  if (unknown2 !== null) return refusal(`done takes id and note, not ${unknown2}`);
  const { id, note: note2 = null } = fields;
  if (!isId(id)) return refusal("id is no id");
  if (note2 !== null && !isText(note2, spoolNoteCharsMax)) return refusal(textFault("note", spoolNoteCharsMax));
  return { kind: "done", id, note: note2 };
}
function unknownField(fields, known) {
  const name2 = Object.keys(fields).find((field) => !known.includes(field));
  return name2 === void 0 ? null : JSON.stringify(name2.slice(0, 40));
}
function isId(value) {
  return typeof value === "string" && taskIdPattern.test(value);
}
function isText(value, charsMax) {
  return typeof value === "string" && value.trim() !== "" && value.length <= charsMax && !value.includes("\0");
}
function textFault(name2, charsMax) {
  return `${name2} must be text of 1 to ${charsMax} characters`;
}
function refusal(why) {
  return { kind: "refused", why };
}
var spoolLineBytesMax, spoolContentCharsMax, spoolNoteCharsMax, afterMax;
var init_spool_line = __esm({
  "src/core/spool-line.ts"() {
    "use strict";
    init_branch_name();
    init_find_json();
    spoolLineBytesMax = 65536;
    spoolContentCharsMax = 16e3;
    spoolNoteCharsMax = 8e3;
    afterMax = 50;
  }
});

// src/core/spool.ts
function provisionalId(content, nonce, isTaken) {
  return shortestFree(fnv1a64(`${nonce}
${content}`), isTaken);
}
function shortestFree(hash2, isTaken) {
  for (let digits = 4; digits <= digitsMax; digits += 1) {
    const id = `task-${hash2.slice(0, digits)}`;
    if (!isTaken(id)) return id;
  }
  return null;
}
var spoolBytesMax, digitsMax;
var init_spool = __esm({
  "src/core/spool.ts"() {
    "use strict";
    init_fingerprint();
    init_spool_line();
    spoolBytesMax = 1 << 20;
    digitsMax = 16;
  }
});

// src/steps/spool-file.ts
function spoolPath(env) {
  const path = env["GZA_SPOOL"];
  if (path === void 0 || path === "") return null;
  if ((0, import_node_path9.isAbsolute)(path)) return path;
  throw new GzaError("world", `GZA_SPOOL must be an absolute path, found ${JSON.stringify(path)}`, {
    hint: "gza sets it for each step; outside of one, unset it"
  });
}
async function appendSpool(path, line3) {
  const printed = printSpoolLine(line3);
  if ("why" in printed) throw new GzaError("input", `this cannot be written down: ${printed.why}`);
  const bytes = Buffer.from(printed.text);
  if (bytes.length > spoolLineBytesMax) {
    throw new GzaError("input", `this has ${bytes.length} bytes; ${spoolLineBytesMax} may be`);
  }
  await withPlainFile(
    path,
    import_node_fs9.constants.O_RDWR | import_node_fs9.constants.O_APPEND | import_node_fs9.constants.O_CREAT,
    async (file, { size }) => {
      if (size + bytes.length > spoolBytesMax) {
        throw new GzaError("refused", "this step has said as much as it may: its spool is full");
      }
      const isTorn = size > 0 && await lastByte(file, size) !== newline;
      const whole = isTorn ? Buffer.concat([Buffer.from("\n"), bytes]) : bytes;
      const { bytesWritten } = await file.write(whole);
      if (bytesWritten !== whole.length) throw new GzaError("world", `${path} could not be written whole`);
    }
  );
}
async function readSpool(path) {
  const found = await (0, import_promises.lstat)(path).catch((error) => {
    if (isMissing2(error)) return null;
    throw unreadable(path, error);
  });
  if (found === null) return { text: "", isCut: false };
  return withPlainFile(path, import_node_fs9.constants.O_RDONLY, async (file) => {
    const buffer = Buffer.alloc(spoolBytesMax + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    const isCut = length > spoolBytesMax;
    return { text: buffer.toString("utf8", 0, Math.min(length, spoolBytesMax)), isCut };
  });
}
async function lastByte(file, size) {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 1 ? buffer[0] : void 0;
}
async function withPlainFile(path, flags, use) {
  const file = await (0, import_promises.open)(path, flags | plain2, 384).catch((error) => {
    throw unreadable(path, error);
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw unreadable(path, "it is no plain file");
    if (stats.nlink > 1) throw unreadable(path, "it has more than one name");
    return await use(file, stats);
  } finally {
    await file.close();
  }
}
function isMissing2(error) {
  return error.code === "ENOENT";
}
function unreadable(path, cause) {
  const code2 = cause.code;
  const why = typeof cause === "string" ? cause : code2 === "ELOOP" ? "it is a link" : code2 ?? String(cause);
  return new GzaError("world", `the spool ${path} cannot be used: ${why}`, { cause });
}
var import_node_fs9, import_promises, import_node_path9, plain2, newline;
var init_spool_file = __esm({
  "src/steps/spool-file.ts"() {
    "use strict";
    import_node_fs9 = require("node:fs");
    import_promises = require("node:fs/promises");
    import_node_path9 = require("node:path");
    init_errors();
    init_spool();
    init_spool_line();
    plain2 = import_node_fs9.constants.O_NOFOLLOW | import_node_fs9.constants.O_NONBLOCK;
    newline = 10;
  }
});

// src/steps/step-folder.ts
function stepFiles(spool) {
  const folder = (0, import_node_path10.dirname)(spool);
  return { context: (0, import_node_path10.join)(folder, "context.md"), tasks: (0, import_node_path10.join)(folder, "tasks.json") };
}
async function readStepContext(spool) {
  return (0, import_promises2.readFile)(stepFiles(spool).context, "utf8").catch(() => null);
}
async function readStepTasks(spool) {
  const text3 = await (0, import_promises2.readFile)(stepFiles(spool).tasks, "utf8").catch(() => "{}");
  try {
    const value = JSON.parse(text3);
    if (!isRecord(value)) return /* @__PURE__ */ new Map();
    return new Map(
      Object.entries(value).filter((entry) => typeof entry[1] === "string")
    );
  } catch {
    return /* @__PURE__ */ new Map();
  }
}
var import_promises2, import_node_path10;
var init_step_folder = __esm({
  "src/steps/step-folder.ts"() {
    "use strict";
    import_promises2 = require("node:fs/promises");
    import_node_path10 = require("node:path");
    init_find_json();
  }
});

// src/commands/task-text.ts
async function taskText(words4, options) {
  const { ports, hint = `${ports.program} add "What should be done"` } = options;
  const given = words4 === "-" ? "" : words4.trim();
  const piped = given === "" ? (await ports.stdin() ?? "").trim() : "";
  const edited = given === "" && piped === "" && words4 !== "-" ? await fromEditor(options, hint) : "";
  const text3 = (given || piped || edited).replaceAll(/\r\n?/g, "\n").replaceAll("\0", "");
  if (text3 === "") throw new GzaError("usage", "the text is empty, so nothing was written", { hint });
  if (text3.length > charactersMax) {
    throw new GzaError("input", `the text has ${text3.length} characters; ${charactersMax} is the limit`, {
      hint: "Put long material into a file of the repository and name it."
    });
  }
  return text3;
}
async function fromEditor({ ports, before = "" }, hint) {
  const editor = await editorName(ports);
  if (!editor) {
    throw new GzaError("usage", "there is no text, and no editor is set", {
      hint: `${hint}
or set EDITOR.`
    });
  }
  const dir = (0, import_node_fs10.mkdtempSync)((0, import_node_path11.join)((0, import_node_os.tmpdir)(), "gza-"));
  try {
    const path = (0, import_node_path11.join)(dir, "TASK.md");
    (0, import_node_fs10.writeFileSync)(path, `${before}
${explanation}
`);
    const [program = "", ...args] = editor.split(/\s+/).filter(Boolean);
    const { status, error } = (0, import_node_child_process3.spawnSync)(program, [...args, path], { stdio: "inherit" });
    if (error || status !== 0) {
      const why = error ? error.message : `exit ${status}`;
      throw new GzaError("world", `the editor "${editor}" failed (${why}); nothing was written`);
    }
    return (0, import_node_fs10.readFileSync)(path, "utf8").replace(explanation, "").trim();
  } finally {
    (0, import_node_fs10.rmSync)(dir, { recursive: true, force: true });
  }
}
async function editorName({ env, cwd }) {
  const named = env["GIT_EDITOR"] || env["VISUAL"] || env["EDITOR"];
  if (named) return named;
  const configured = await openGit(cwd).run(["config", "--global", "--get", "core.editor"]);
  return configured.stdout.toString("utf8").trim() || void 0;
}
var import_node_child_process3, import_node_fs10, import_node_os, import_node_path11, charactersMax, explanation;
var init_task_text = __esm({
  "src/commands/task-text.ts"() {
    "use strict";
    import_node_child_process3 = lateBuiltin(() => require("node:child_process"));
    import_node_fs10 = require("node:fs");
    import_node_os = lateBuiltin(() => require("node:os"));
    import_node_path11 = require("node:path");
    init_errors();
    init_git();
    charactersMax = 25e4;
    explanation = "<!-- The first line is the title. This line is left out. An empty text changes nothing. -->";
  }
});

// src/commands/spool-instead.ts
async function spoolInstead(verb, invocation, ports) {
  const spool = spoolPath(ports.env);
  if (spool === null) return null;
  switch (verb) {
    case "add":
      return add(spool, invocation, ports);
    case "note":
      return note(spool, invocation, ports);
    case "done":
      return done(spool, invocation);
    case "context":
      return context(spool);
    case "show":
      return show(spool, invocation);
  }
}
async function add(spool, { args, options }, ports) {
  const other = Object.keys(options).find(
    (name2) => options[name2] !== void 0 && options[name2] !== false && !addOptions.includes(name2)
  );
  if (other !== void 0) {
    throw new GzaError(
      "refused",
      `during a step a task is filed with its text and --after alone, not --${other}`,
      {
        hint: "The rest is for a person to decide."
      }
    );
  }
  const content = await taskText(args.join(" "), { ports });
  const known = await readStepTasks(spool);
  const after = [options["after"] ?? []].flat().flatMap((one) => String(one).split(",")).map((one) => fullId(one, known));
  const parent = options["parent"] === void 0 ? null : fullId(String(options["parent"]), known);
  const { text: text3 } = await readSpool(spool);
  const isTaken = (id) => known.has(id) || text3.includes(`"${id}"`);
  const ref = provisionalId(content, `${fnv1a64(spool)}${ports.random()}`, isTaken);
  if (ref === null) throw new GzaError("world", "no free id was found");
  await appendSpool(spool, { kind: "add", content, after, ref, parent });
  const waits = after.length > 0 ? ` (after ${after.join(", ")})` : "";
  return said({ id: ref, content }, `${ref}: ${shorten(titleOf(content), 200)}${waits}`);
}
async function note(spool, { args }, ports) {
  const text3 = await taskText(args.slice(1).join(" "), { ports });
  return append(spool, { kind: "note", id: await knownId(spool, args[0]), text: text3 }, "noted");
}
async function done(spool, { args, options }) {
  const text3 = options["note"] || null;
  return append(spool, { kind: "done", id: await knownId(spool, args[0]), note: text3 }, "done");
}
async function append(spool, line3, word2) {
  await appendSpool(spool, line3);
  return said({ id: line3.id }, `${line3.id}: ${word2}`);
}
async function context(spool) {
  const markdown = await readStepContext(spool) ?? "";
  return said({ markdown }, markdown);
}
async function show(spool, { args }) {
  const tasks = await readStepTasks(spool);
  const word2 = args[0];
  const id = [word2, `task-${word2}`].find((one) => tasks.has(one));
  if (id === void 0) {
    throw new GzaError("input", `there is no task ${JSON.stringify(word2)} that this step may look at`, {
      hint: `It may look at: ${[...tasks.keys()].slice(0, 20).join(", ") || "none"}`
    });
  }
  return said({ id, text: tasks.get(id) }, tasks.get(id) ?? "");
}
async function knownId(spool, word2 = "") {
  return fullId(word2, await readStepTasks(spool));
}
function fullId(word2, known) {
  return /^[0-9a-f]{4,16}$/.test(word2) && !known.has(word2) ? `task-${word2}` : word2;
}
function said(json2, text3) {
  return { json: json2, text: text3 };
}
var addOptions;
var init_spool_instead = __esm({
  "src/commands/spool-instead.ts"() {
    "use strict";
    init_errors();
    init_fingerprint();
    init_spool();
    init_task_line();
    init_title();
    init_spool_file();
    init_step_folder();
    init_task_text();
    addOptions = ["after", "parent", "json", "color", "no-color"];
  }
});

// src/commands/add.ts
var add_exports = {};
__export(add_exports, {
  command: () => command
});
async function run(invocation, ports) {
  const spooled = await spoolInstead("add", invocation, ports);
  if (spooled) return spooled;
  const opened = await open(ports);
  const fields = await definitionFields2(invocation, (word2) => knownId2(opened, word2, ports));
  refuseLooseBranch(fields);
  const content = await taskText(invocation.args.join(" "), { ports });
  const title = titleOf(invocation.options["title"] || content);
  const task = set({ type: "task", ...fields, title, content });
  const filed = await fileRecord(opened, task, ports);
  const after = filed.depends_on?.length ? ` (after ${filed.depends_on.join(", ")})` : "";
  const text3 = `${filed.id}: ${shorten(filed.title, 200)}${after}`;
  if (!invocation.options["json"]) return { json: null, text: text3 };
  return taskOutcome(await look(opened, ports), filed.id, ports, () => text3);
}
function refuseLooseBranch({ same_branch, depends_on, branch }) {
  if (!same_branch || depends_on || branch) return;
  throw new GzaError("usage", "--same-branch needs --based-on: it goes on on that task\u2019s branch", {
    hint: 'gza add "Next step" --based-on task-a3f8 --same-branch'
  });
}
async function knownId2(opened, word2, ports) {
  const view = await opened.ledger.view();
  for (const id of [word2, `task-${word2}`]) if (/^[\w.-]{1,64}$/.test(id) && await view.task(id)) return id;
  return findTask((await look(opened, ports)).board, word2).id;
}
var command;
var init_add = __esm({
  "src/commands/add.ts"() {
    "use strict";
    init_errors();
    init_task_line();
    init_title();
    init_change_task();
    init_definition_options();
    init_file_records();
    init_find_task();
    init_project();
    init_spool_instead();
    init_task_text();
    command = {
      spec: {
        name: "add",
        summary: "file a task",
        arguments: [{ name: "text", many: true }],
        details: "The text is the argument, or standard input, or what you write in the editor.",
        options: [
          { name: "title", type: "text", value: "<title>", help: "title; else the first line of the text" },
          ...definitionOptions
        ],
        examples: [
          {
            command: 'gza add "Refactor auth middleware to use JWT"',
            shows: "task-a3f8: Refactor auth middleware to use JWT"
          },
          { command: 'gza add "Write tests for JWT auth" --after task-a3f8', shows: "waits for task-a3f8" },
          {
            command: 'gza add "Add feature X" -t implement -a',
            shows: "implement, review and improve until approved"
          }
        ]
      },
      run
    };
  }
});

// src/commands/note.ts
var note_exports = {};
__export(note_exports, {
  command: () => command2
});
var command2;
var init_note = __esm({
  "src/commands/note.ts"() {
    "use strict";
    init_change_task();
    init_find_task();
    init_project();
    init_spool_instead();
    init_task_text();
    command2 = {
      spec: {
        name: "note",
        summary: "append a note to a task",
        arguments: [
          { name: "id", required: true, completes: "id" },
          { name: "text", many: true }
        ],
        details: 'Notes are never edited. A note that begins with "blocked:" during a step ends it for a person.',
        options: [],
        examples: [
          {
            command: 'gza note task-a3f8 "blocked: no access to the staging database"',
            shows: "task-a3f8: noted"
          }
        ]
      },
      run: async (invocation, ports) => {
        const spooled = await spoolInstead("note", invocation, ports);
        if (spooled) return spooled;
        const { args } = invocation;
        const project = await openProject(ports);
        const { id } = findTask(project.board, args[0]);
        const hint = `${ports.program} note ${id} "what should be known"`;
        const text3 = await taskText(args.slice(1).join(" "), { ports, hint });
        await writeToTask(project, id, ports, (_record, stamp) => [{ kind: "note", ...stamp, id, text: text3 }]);
        return taskOutcome(project, id, ports, () => `${id}: noted`);
      }
    };
  }
});

// src/commands/task-commits.ts
async function taskCommits({ repository, board }, { max = commitsMax, everywhere = true } = {}) {
  const closed = /* @__PURE__ */ new Map();
  for (const { id, record } of board.views.values()) {
    const commit = record?.closed_commit;
    if (commit) closed.set(commit, [...closed.get(commit) ?? [], id]);
  }
  const revisions = everywhere ? ["HEAD", ...closed.keys()].map((one) => `${one}
`).join("") : "HEAD\n";
  const log = await repository.git.run(
    [
      "log",
      `--max-count=${Math.max(1, Math.floor(max))}`,
      "--format=%H%x1f%s%x1f%(trailers:key=Task,valueonly,separator=%x2C)",
      "--ignore-missing",
      ...everywhere ? ["--branches"] : [],
      "--stdin"
    ],
    { stdin: revisions }
  );
  if (log.code !== 0) return [];
  return log.stdout.toString("utf8").split("\n").filter(Boolean).map((line3) => {
    const [id = "", subject = "", trailers = ""] = line3.split("");
    const named = trailers.split(",").map((one) => one.trim()).filter((one) => board.views.has(one));
    return { id, subject, tasks: [.../* @__PURE__ */ new Set([...closed.get(id) ?? [], ...named])] };
  });
}
async function writeNotes({ repository }, commits) {
  const noted = commits.filter(({ tasks }) => tasks.length > 0);
  if (noted.length === 0) return;
  const lines = [
    `commit ${notesRef}`,
    "committer gza <gza@localhost> 0 +0000",
    "data 14",
    "Tasks rebuilt.",
    "deleteall"
  ];
  for (const { id, tasks } of noted) {
    const text3 = `${tasks.join("\n")}
`;
    lines.push(`N inline ${id}`, `data ${Buffer.byteLength(text3)}`, text3);
  }
  await repository.git.run(["fast-import", "--quiet", "--force"], { stdin: `${lines.join("\n")}
` });
}
var notesRef, commitsMax;
var init_task_commits = __esm({
  "src/commands/task-commits.ts"() {
    "use strict";
    notesRef = "refs/notes/tasks";
    commitsMax = 1e3;
  }
});

// src/commands/settle-links.ts
async function headCommit({ git }) {
  const result = await git.run(["log", "-1", "--format=%H %ct", "HEAD", "--"]);
  const [id, seconds] = result.stdout.toString("utf8").trim().split(" ");
  return result.code === 0 && id ? { id, time: Number(seconds) * 1e3 } : null;
}
async function patchIdOf({ git }, commit) {
  const diff = await git.run(["diff-tree", "--root", "-p", "--no-ext-diff", "--no-textconv", commit]);
  if (diff.code !== 0 || diff.stdout.length === 0) return void 0;
  const result = await git.run(["patch-id", "--stable"], { stdin: diff.stdout });
  return result.stdout.toString("utf8").split(" ")[0] || void 0;
}
async function settleLinks(project, ids, ports) {
  const closed = ids.flatMap((id) => project.board.views.get(id)?.record ?? []).filter(mayHaveMoved);
  const head2 = closed.length > 0 ? await headCommit(project.repository) : null;
  if (!head2) return project;
  const found = await linksOf(project.repository, closed, head2);
  const links = found.map((link) => ({ kind: "link", at: ports.now(), ...link }));
  if (links.length === 0 || !await write2(project, links)) return project;
  const settled = await look(project, ports);
  await writeNotes(settled, await taskCommits(settled));
  return settled;
}
function waitingForCommit({ board }) {
  return [...board.views.values()].filter(({ record }) => record?.link_next).map(({ id }) => id);
}
function mayHaveMoved({ link_next, closed_commit, closed_patch }) {
  return link_next !== void 0 || closed_commit !== void 0 && closed_patch !== void 0;
}
async function linksOf(repository, closed, head2) {
  const links = [];
  for (const { id, link_next } of closed.filter((record) => record.link_next).slice(0, settledMax)) {
    const commit = await firstAfter(repository, link_next, head2);
    const patch = commit && await patchIdOf(repository, commit);
    if (commit) links.push({ id, commit, ...patch ? { patch } : {} });
  }
  const strays = await outsideHistory(repository, closed, head2);
  const byPatch = strays.length > 0 ? await commitsByPatch(repository, head2.id) : /* @__PURE__ */ new Map();
  for (const { id, closed_patch: patch = "" } of strays) {
    const commit = byPatch.get(patch);
    if (commit) links.push({ id, commit, patch });
  }
  return links;
}
async function write2(project, links) {
  try {
    const written = await project.ledger.write(async (view) => {
      const branches = /* @__PURE__ */ new Map();
      for (const link of links) {
        const at = "id" in link ? await view.task(link.id) : null;
        if (at) branches.set(at.branch, [...branches.get(at.branch) ?? [], link]);
      }
      return { changes: [...branches].map(([branch, events]) => ({ branch, events })) };
    });
    return written.kind === "written";
  } catch (error) {
    if (isGzaError(error)) return false;
    throw error;
  }
}
async function firstAfter({ git }, base, head2) {
  const range = base === beforeAll ? [head2.id] : ["--ancestry-path", `${base}..${head2.id}`];
  const result = await git.run(["rev-list", "--reverse", ...range, "--"]);
  return result.code === 0 && result.stdout.toString("utf8").split("\n")[0] || null;
}
async function outsideHistory({ git }, closed, head2) {
  const linked = closed.filter(({ closed_commit, closed_patch }) => closed_commit && closed_patch);
  if (linked.length === 0) return [];
  const commits = [...new Set(linked.map(({ closed_commit }) => closed_commit))];
  const result = await git.run(["rev-list", "--ignore-missing", "--stdin"], {
    stdin: `${[...commits, `^${head2.id}`].join("\n")}
`
  });
  const outside = new Set(result.code === 0 ? result.stdout.toString("utf8").split("\n") : []);
  return linked.filter(({ closed_commit }) => outside.has(closed_commit));
}
async function commitsByPatch({ git }, head2) {
  const args = ["--no-merges", "--no-ext-diff", "--no-textconv", "--format=commit %H"];
  const log = await git.run(["log", "-p", `-${searchedMax}`, ...args, head2, "--"]);
  if (log.code !== 0) return /* @__PURE__ */ new Map();
  const ids = await git.run(["patch-id", "--stable"], { stdin: log.stdout });
  const lines = ids.stdout.toString("utf8").trim().split("\n");
  return new Map(lines.reverse().map((line3) => line3.split(" ")));
}
var searchedMax, settledMax, beforeAll;
var init_settle_links = __esm({
  "src/commands/settle-links.ts"() {
    "use strict";
    init_errors();
    init_project();
    init_task_commits();
    searchedMax = 500;
    settledMax = 50;
    beforeAll = "0".repeat(40);
  }
});

// src/commands/done.ts
var done_exports = {};
__export(done_exports, {
  command: () => command3,
  releaseClaims: () => releaseClaims
});
async function closingLink({ repository }, { record, claim: claim2 }) {
  const head2 = await headCommit(repository);
  const since = claim2?.at ?? record?.started_at;
  if (head2 && since !== void 0 && isMadeSince(repository, head2, parseTime(since))) {
    const patch = await patchIdOf(repository, head2.id);
    return patch ? { commit: head2.id, patch } : { commit: head2.id };
  }
  return { link_next: head2?.id ?? beforeAll };
}
function isMadeSince({ gitDir }, head2, since) {
  if (head2.time !== Math.floor(since / 1e3) * 1e3) return head2.time > since;
  const log = (0, import_node_fs11.statSync)((0, import_node_path12.join)(gitDir, "logs", "HEAD"), { throwIfNoEntry: false });
  return !log || log.mtimeMs >= since;
}
function closeEvents(id, record, stamp, link, note2) {
  const noted = note2 === void 0 ? [] : [{ kind: "note", ...stamp, id, text: note2 }];
  if (record?.closed_as === "done") return noted;
  return [...noted, { kind: "close", ...stamp, id, as: "done", ...link }];
}
async function releaseClaims(project, id, ports) {
  if (!project.board.claims.some((claim2) => claim2.task === id)) return;
  await project.ledger.write(async (view) => {
    const claim2 = (await view.meta(view.base))?.claims?.find((one) => one.task === id);
    if (!claim2) return null;
    const event2 = { kind: "release", at: ports.now(), claim: claim2.id, why: "done" };
    return { changes: [{ branch: view.base, events: [event2] }] };
  });
}
var import_node_fs11, import_node_path12, command3;
var init_done = __esm({
  "src/commands/done.ts"() {
    "use strict";
    import_node_fs11 = require("node:fs");
    import_node_path12 = require("node:path");
    init_time();
    init_change_task();
    init_find_task();
    init_project();
    init_settle_links();
    init_spool_instead();
    init_task_commits();
    command3 = {
      spec: {
        name: "done",
        summary: "mark a task complete; the commit made since its claim closes it, else the next one",
        arguments: [{ name: "id", required: true, completes: "id" }],
        options: [{ name: "note", type: "text", value: "<text>", help: "append a note as well" }],
        examples: [
          { command: 'gza done task-a3f8 --note "kept the old route as an alias"', shows: "task-a3f8: done" }
        ]
      },
      run: async (invocation, ports) => {
        const spooled = await spoolInstead("done", invocation, ports);
        if (spooled) return spooled;
        const { args, options } = invocation;
        const project = await openProject(ports);
        const found = findTask(project.board, args[0]);
        const note2 = options["note"] || void 0;
        if (found.record?.closed_as === "done" && note2 === void 0) {
          return taskOutcome(project, found.id, ports, () => `${found.id}: done (already)`);
        }
        const link = await closingLink(project, found);
        await writeToTask(
          project,
          found.id,
          ports,
          (record, stamp) => closeEvents(found.id, record, stamp, link, note2)
        );
        await releaseClaims(project, found.id, ports);
        if ("commit" in link) {
          const after = await look(project, ports);
          await writeNotes(after, await taskCommits(after));
        }
        return taskOutcome(project, found.id, ports, () => `${found.id}: done`);
      }
    };
  }
});

// src/core/text/lists.ts
function readyText(ready2, blocked) {
  const lines = ready2.map((view) => `${view.id}: ${shorten(view.task.title, 80)}${assignedText(view)}`);
  for (const view of blocked.slice(0, blockedNamedMax)) {
    const isPlain = view.blockers.length > 0 && view.blockers.every(({ kind }) => kind === "dependency");
    lines.push(`(${view.id} ${isPlain ? blockedText(view).replaceAll("#", "") : blockedText(view)})`);
  }
  const more = blocked.length - blockedNamedMax;
  if (more > 0) lines.push(`(and ${more} more blocked)`);
  return lines.length > 0 ? lines.join("\n") : "Nothing is ready and nothing is blocked.";
}
function assignedText(view) {
  return view.task.assigned_agent ? ` (assigned to ${view.task.assigned_agent})` : "";
}
function nextText(shown2, blockedCount, all) {
  const lines = shown2.map((view) => {
    const blocked = view.status === "blocked" ? ` (${blockedText(view)})` : "";
    return `${view.id}. [${view.task.type}] ${shorten(view.task.title, 80)}${blocked}`;
  });
  if (!all && blockedCount > 0) lines.push("", `(${count2(blockedCount, "task")} blocked by dependencies)`);
  return lines.length > 0 ? lines.join("\n").replace(/^\n/, "") : "No pending tasks.";
}
function count2(number2, word2) {
  return `${number2} ${word2}${number2 === 1 ? "" : "s"}`;
}
function statusText(title, views, options) {
  if (views.length === 0)
    return title === null ? 'No tasks yet. File one: gza add "What should be done"' : `${title}
  (no tasks)`;
  const lines = taskLines(views, { ...options, showType: title === null });
  const body = lines.map((line3) => `  ${line3}`);
  return [...title === null ? [] : [options.style.bold(title)], ...body].join("\n");
}
var blockedNamedMax;
var init_lists = __esm({
  "src/core/text/lists.ts"() {
    "use strict";
    init_group_by();
    init_one_line();
    init_task_line();
    blockedNamedMax = 10;
  }
});

// src/commands/select.ts
function selectViews(board, { options }) {
  const wanted = (name2) => options[name2];
  const tests = [];
  const add2 = (name2, of) => {
    const value = wanted(name2);
    if (value !== void 0) tests.push((view) => (of(view) ?? "") === value);
  };
  add2("group", (view) => view.task.group);
  add2("milestone", (view) => view.task.milestone);
  add2("type", (view) => view.task.type);
  add2("plan", (view) => inherited(board, view, "plan_file"));
  add2("project", (view) => inherited(board, view, "project"));
  add2("branch", (view) => branchOf(view) ?? view.branch);
  const tag = wanted("tag");
  if (tag !== void 0) tests.push((view) => view.task.tags?.includes(tag) ?? false);
  return oldestFirst(board).filter((view) => tests.every((test) => test(view)));
}
function oldestFirst(board) {
  return [...board.views.values()].sort((a, b) => a.position - b.position);
}
function inherited(board, view, field) {
  for (let at = view; at; ) {
    const value = at.task[field];
    if (value !== void 0) return value;
    const parent = board.tree.parent(at.id);
    at = parent === void 0 ? void 0 : board.views.get(parent);
  }
  return void 0;
}
function knownName(kind, name2, known) {
  if (known.includes(name2)) return name2;
  const near = nearestWord(name2, known);
  throw new GzaError("input", `no task is in ${kind} "${name2}"${near ? `: did you mean ${near}?` : ""}`, {
    hint: known.length > 0 ? `Known: ${known.slice(0, 20).join(", ")}` : `No task has a ${kind}.`
  });
}
var filterOptions;
var init_select = __esm({
  "src/commands/select.ts"() {
    "use strict";
    init_errors();
    init_nearest_word();
    init_task();
    init_task_json();
    filterOptions = [
      { name: "group", type: "text", value: "<group>", help: 'of this group ("" for those without one)' },
      { name: "milestone", type: "text", value: "<id>", help: "of this milestone" },
      { name: "type", short: "t", type: "text", value: "<type>", help: "of this type", choices: taskTypes },
      { name: "tag", type: "text", value: "<tag>", help: "with this tag" },
      { name: "branch", type: "text", value: "<branch>", help: "on this branch" },
      { name: "plan", type: "text", value: "<file>", help: "of this plan file" },
      { name: "project", type: "text", value: "<name>", help: "of this project" }
    ];
  }
});

// src/commands/list.ts
var list_exports = {};
__export(list_exports, {
  command: () => command4
});
var states, command4;
var init_list = __esm({
  "src/commands/list.ts"() {
    "use strict";
    init_board();
    init_task_json();
    init_lists();
    init_project();
    init_select();
    init_settle_links();
    states = [...statuses, "done", "ready"];
    command4 = {
      spec: {
        name: "list",
        summary: "open tasks, oldest first",
        arguments: [],
        options: [
          { name: "all", type: "flag", help: "also closed ones" },
          {
            name: "status",
            type: "text",
            value: "<status>",
            help: "only those; pending has the blocked ones too",
            choices: states
          },
          { name: "ids", type: "flag", help: "ids only, one a line" },
          ...filterOptions
        ],
        examples: [
          { command: "gza list --group auth", shows: "open tasks of one group" },
          { command: "gza list --all --json", shows: "everything, for scripts" }
        ]
      },
      run: async (invocation, ports) => {
        const opened = await openProject(ports);
        const project = await settleLinks(opened, waitingForCommit(opened), ports);
        const { all, status, ids } = invocation.options;
        const views = selectViews(project.board, invocation).filter((view) => {
          if (status === "ready") return isReady(view);
          if (status === "pending" && view.status === "blocked") return true;
          if (status !== void 0) return view.status === (status === "done" ? "completed" : status);
          return all === true || view.status !== "completed" && view.status !== "skipped";
        });
        const text3 = ids ? views.map((view) => view.id).join("\n") : statusText(null, views, { style: ports.style, cyclesMax: cyclesMax(project) });
        const none5 = project.board.views.size > 0 && views.length === 0 && !ids;
        return { json: views.map(taskRow), text: none5 ? "No tasks match." : text3 };
      }
    };
  }
});

// src/core/milestones.ts
function milestoneOrder(configured, used) {
  const known = new Set(configured);
  const others = [...new Set(used)].filter((id) => id !== void 0 && !known.has(id));
  return new Map([...known, ...others.sort(naturalCompare)].map((id, place) => [id, place]));
}
function deriveMilestones(members, configured) {
  const byMilestone = groupBy(members, (member) => member.milestone);
  const written = new Map(configured.map((milestone) => [milestone.id, milestone]));
  const places = milestoneOrder([...written.keys()], byMilestone.keys());
  return [...places.keys()].map((id) => summarise(written.get(id) ?? { id }, byMilestone.get(id) ?? []));
}
function summarise(milestone, members) {
  const count3 = (...of) => members.filter(({ status }) => of.includes(status)).length;
  return {
    ...milestone,
    status: derivedStatus(members.map((member) => member.status)),
    task_ids: members.map((member) => member.id),
    total: members.length,
    completed: count3("completed"),
    pending: count3("pending", "blocked"),
    in_progress: count3("in_progress"),
    failed: count3("failed"),
    skipped: count3("skipped")
  };
}
function derivedStatus(statuses2) {
  if (statuses2.includes("failed")) return "failed";
  if (statuses2.length > 0 && statuses2.every((s) => s === "completed" || s === "skipped")) return "completed";
  return statuses2.some((s) => s === "in_progress" || s === "completed") ? "in_progress" : "pending";
}
var init_milestones = __esm({
  "src/core/milestones.ts"() {
    "use strict";
    init_group_by();
    init_natural_compare();
  }
});

// src/core/ready-order.ts
function readyOrder(ids, facts) {
  const found = ids.map((id) => facts.of(id));
  const places = milestoneOrder(
    facts.milestones,
    found.map((fact) => fact.milestone)
  );
  const place = ({ milestone }) => milestone === void 0 ? places.size : places.get(milestone) ?? places.size;
  const all = found.map((fact, at) => ({
    id: ids[at],
    rank: rank(fact),
    place: place(fact),
    chain: fact.chain,
    age: fact.age
  }));
  all.sort(
    (a, b) => a.rank - b.rank || a.place - b.place || b.chain - a.chain || a.age - b.age || naturalCompare(a.id, b.id)
  );
  return all.map(({ id }) => id);
}
function rank({ priority }) {
  return priorities.indexOf(priority ?? "medium");
}
function longestChains(graph, isOpen) {
  const { tree, numbered } = graph;
  const { ids, order: order2 } = numbered;
  const lengths = new Int32Array(ids.length);
  const own = Int8Array.from(ids, (id) => isOpen(id) ? tree.children(id).length === 0 ? 1 : 0 : -1);
  for (let n = order2.length - 1; n >= 0; n--) {
    const at = order2[n];
    const id = ids[at];
    const parent = tree.parent(id);
    const above = parent === void 0 ? void 0 : numbered.at(parent);
    let chain = above !== void 0 && own[above] >= 0 ? lengths[above] : 0;
    numbered.eachDependent(at, (dependent) => {
      if (own[dependent] >= 0) chain = Math.max(chain, own[dependent] + lengths[dependent]);
    });
    lengths[at] = graph.inCycle(id) ? 0 : chain;
  }
  return { get: (id) => lengths[numbered.at(id) ?? -1] };
}
var init_ready_order = __esm({
  "src/core/ready-order.ts"() {
    "use strict";
    init_milestones();
    init_natural_compare();
    init_task();
  }
});

// src/core/board-order.ts
function inOrder2(views, board) {
  const chains = longestChains(board.graph, (id) => !isOver(board.views.get(id)));
  const viewOf2 = (id) => board.views.get(id);
  const sorted2 = readyOrder(
    views.map(({ id }) => id),
    {
      milestones: board.milestones,
      of: (id) => {
        const { task, position } = viewOf2(id);
        return {
          priority: task.priority,
          milestone: task.milestone,
          chain: chains.get(id) ?? 0,
          age: position
        };
      }
    }
  );
  return sorted2.map(viewOf2);
}
var init_board_order = __esm({
  "src/core/board-order.ts"() {
    "use strict";
    init_next_step();
    init_ready_order();
  }
});

// src/kept-answer.ts
function stateOf({ workTree, head: head2 }, { config, identity }, refs) {
  const { tips, mirrors, base, guessed } = refs;
  const ledgers = [config.state_ref, guessed ? [head2.branch] : base, [...tips], [...mirrors]];
  return JSON.stringify([format, version, workTree, identity, ledgers]);
}
function keepAnswer(words4, { repository, state, until }, text3) {
  const [verb = ""] = words4;
  if (!verbs.includes(verb)) return;
  const kept2 = { until, text: text3 };
  openCache(repository.commonDir).put(nameOf(verb), keyOf2(words4, state), JSON.stringify(kept2));
}
function nameOf(verb) {
  return `answer-${verb}`;
}
function keyOf2(words4, state) {
  return JSON.stringify([words4, state]);
}
var format, verbs;
var init_kept_answer = __esm({
  "src/kept-answer.ts"() {
    "use strict";
    init_work_tree_backlog();
    init_cache();
    init_namespace_of();
    init_read_refs();
    init_repository();
    init_version();
    format = 1;
    verbs = ["ready", "next"];
  }
});

// src/commands/answer.ts
async function answer(ports, question) {
  const opened = await open(ports);
  const look2 = await opened.ledger.look();
  const project = await lookThrough(look2.view, opened, ports);
  const outcome2 = question(project);
  const holds2 = holdsOf(opened, look2, project);
  return holds2 ? { ...outcome2, holds: holds2 } : outcome2;
}
function holdsOf({ repository, read }, { view, refs }, { board }) {
  if (view.problems.length > 0 || !isHealthy(refs) || repository.workTree === null) return null;
  return {
    repository,
    state: stateOf(repository, read, refs),
    until: endOfNextClaim(board.claims, board.now)
  };
}
function endOfNextClaim(claims, now) {
  const ends = claims.map(({ until }) => until).filter((until) => until > now);
  return ends.length === 0 ? null : ends.reduce((a, b) => a < b ? a : b);
}
var init_answer = __esm({
  "src/commands/answer.ts"() {
    "use strict";
    init_kept_answer();
    init_heal();
    init_project();
  }
});

// src/commands/ready.ts
var ready_exports = {};
__export(ready_exports, {
  command: () => command5
});
function ready(invocation, { board }) {
  const views = selectViews(board, invocation);
  const max = invocation.options["max"] ?? Number.POSITIVE_INFINITY;
  const first = inOrder2(views.filter(isReady), board).slice(0, max);
  const blocked = views.filter((view) => view.status === "blocked" && view.children.length === 0);
  return { json: first.map(taskRow), text: readyText(first, blocked) };
}
var command5;
var init_ready = __esm({
  "src/commands/ready.ts"() {
    "use strict";
    init_board();
    init_board_order();
    init_task_json();
    init_lists();
    init_answer();
    init_select();
    command5 = {
      spec: {
        name: "ready",
        summary: "pending tasks that nothing blocks, first to run first",
        arguments: [],
        details: "In order of priority, milestone, longest remaining chain, age.",
        options: [{ name: "max", type: "number", value: "<n>", help: "at most n tasks" }, ...filterOptions],
        examples: [{ command: "gza ready --json | head", shows: "the next tasks for a script" }]
      },
      run: (invocation, ports) => answer(ports, (project) => ready(invocation, project))
    };
  }
});

// src/commands/next.ts
var next_exports = {};
__export(next_exports, {
  command: () => command6
});
function next(invocation, { board }) {
  const views = selectViews(board, invocation).filter((view) => view.children.length === 0);
  const blocked = views.filter((view) => view.status === "blocked");
  const all = invocation.options["all"] === true;
  const shown2 = all ? views.filter((view) => view.status === "pending" || view.status === "blocked") : inOrder2(views.filter(isReady), board);
  return { json: shown2.map(taskRow), text: nextText(shown2, blocked.length, all) };
}
var command6;
var init_next = __esm({
  "src/commands/next.ts"() {
    "use strict";
    init_board();
    init_board_order();
    init_task_json();
    init_lists();
    init_answer();
    init_select();
    command6 = {
      spec: {
        name: "next",
        summary: "runnable tasks in order, and how many are blocked",
        arguments: [],
        options: [{ name: "all", type: "flag", help: "also blocked ones, oldest first" }, ...filterOptions],
        examples: [{ command: "gza next --all", shows: "all pending tasks, with what blocks them" }]
      },
      run: (invocation, ports) => answer(ports, (project) => next(invocation, project))
    };
  }
});

// src/core/text/show.ts
function showText(view) {
  return [...head(view), ...definition(view), ...progress(view), ...texts(view)].join("\n");
}
function head(view) {
  const { record, task } = view;
  const status = view.status === "completed" ? "done" : view.status;
  return [
    `${view.id}: ${shorten(task.title, 200)}`,
    line2("status", view.status === "blocked" ? `blocked (${blockedText(view)})` : status),
    line2("created", clock(record?.created_at) ?? (view.file ? `in ${view.file}` : void 0)),
    line2("closed", clock(record?.closed_at)),
    line2("commit", record?.closed_commit?.slice(0, 7))
  ].filter(isSet);
}
function definition(view) {
  const { task } = view;
  return [
    line2("type", task.type === "task" ? void 0 : task.type),
    line2("group", task.group),
    line2("milestone", task.milestone),
    line2("priority", task.priority),
    line2("depends on", task.depends_on?.join(", ")),
    line2("parent", task.parent),
    line2("children", view.children.join(", ")),
    line2("assigned to", task.assigned_agent),
    line2("creates", task.files_to_create?.join(", ")),
    line2("modifies", task.files_to_modify?.join(", ")),
    line2("tests", task.test_files?.join(", ")),
    line2("tags", task.tags?.join(", ")),
    line2("file", view.record && view.file ? view.file : void 0),
    view.changed ? "note: its file says something else now; gza retry takes the new text" : ""
  ].filter(isSet);
}
function progress(view) {
  const { record, claim: claim2 } = view;
  if (!record) return [];
  const pull = record.pull_request;
  return [
    line2("created by", record.created_by),
    line2("branch", branchOf(view) ?? void 0),
    line2("held by", claim2 ? `${claim2.holder} until ${toSecond(claim2.until)}` : void 0),
    line2("waits for", record.stop ? `a person: ${record.stop.detail}` : void 0),
    line2("closed as", record.closed_as === "done" ? void 0 : record.closed_as),
    line2("reason", record.closed_reason),
    line2("verdict", record.final_verdict),
    line2("review cycle", record.review_cycle ? String(record.review_cycle) : void 0),
    line2("attempts", record.attempts ? String(record.attempts) : void 0),
    line2("error", record.error),
    line2(
      "pull request",
      pull ? `#${pull.number} (${pull.state})${pull.url ? ` ${pull.url}` : ""}` : void 0
    ),
    line2("cost", record.cost_usd ? `$${record.cost_usd.toFixed(2)}` : void 0),
    line2("time", record.seconds ? printDuration(record.seconds) : void 0)
  ].filter(isSet);
}
function texts(view) {
  const { task, record } = view;
  const lines = [];
  if (task.user_story) lines.push("", block(task.user_story));
  if (task.content.trim() !== task.title) lines.push("", block(task.content));
  if (task.acceptance_criteria?.length) {
    lines.push("", "acceptance criteria:", ...task.acceptance_criteria.map(item));
  }
  if (record?.implementation_notes) lines.push("", block(record.implementation_notes));
  if (record?.notes?.length) lines.push("", "notes:", ...record.notes.map(item));
  return lines;
}
function line2(name2, value) {
  return value ? `${name2}: ${oneLine(value, 1e3)}` : "";
}
function block(text3) {
  return text3.replaceAll(/\r\n?|[\u2028\u2029]/g, "\n").replaceAll(/[^\P{C}\n\t]/gu, "").trimEnd();
}
function item(text3) {
  return `- ${block(text3).replaceAll("\n", "\n  ")}`;
}
function clock(iso) {
  return iso && toSecond(iso);
}
function isSet(text3) {
  return text3 !== "";
}
var init_show = __esm({
  "src/core/text/show.ts"() {
    "use strict";
    init_one_line();
    init_task_json();
    init_time();
    init_task_line();
  }
});

// src/core/text/score.ts
var init_score2 = __esm({
  "src/core/text/score.ts"() {
    "use strict";
    init_score();
  }
});

// src/commands/whole-tasks.ts
var init_whole_tasks = __esm({
  "src/commands/whole-tasks.ts"() {
    "use strict";
  }
});

// src/commands/score.ts
function scorer({ config, repository }, tasks) {
  const input = scoreInput(config, fileSizes(repository.workTree, tasks));
  return (task) => {
    const score = scoreTask(task, input);
    return { score, warnings: sizeWarnings(task, score, input.limits) };
  };
}
var init_score3 = __esm({
  "src/commands/score.ts"() {
    "use strict";
    init_file_sizes();
    init_score();
    init_score_input();
    init_soft_limits();
    init_score2();
    init_task_line();
    init_find_task();
    init_project();
    init_select();
    init_whole_tasks();
  }
});

// src/commands/show.ts
var show_exports = {};
__export(show_exports, {
  command: () => command7
});
var command7;
var init_show2 = __esm({
  "src/commands/show.ts"() {
    "use strict";
    init_task_json();
    init_show();
    init_change_task();
    init_find_task();
    init_project();
    init_score3();
    init_settle_links();
    init_spool_instead();
    command7 = {
      spec: {
        name: "show",
        summary: "one task, whole",
        arguments: [{ name: "id", required: true, completes: "id" }],
        options: [],
        examples: [{ command: "gza show task-a3f8", shows: "status, times, commit, text, notes" }]
      },
      run: async (invocation, ports) => {
        const spooled = await spoolInstead("show", invocation, ports);
        if (spooled) return spooled;
        const { args } = invocation;
        const opened = await openProject(ports);
        const { id } = findTask(opened.board, args[0]);
        const project = await settleLinks(opened, [id], ports);
        const view = await wholeView(project, id);
        const { score, warnings } = scorer(project, [view.task])(view.task);
        const json2 = {
          ...taskJson(view, shownSettings(project, view.task)),
          score: { total: score.total, level: score.level },
          size_warnings: warnings
        };
        const isNew = !view.record?.started_at && !view.record?.closed_at && view.children.length === 0;
        const lines = isNew ? warnings.map(({ message }) => `warning: ${message}`) : [];
        return { json: json2, text: [showText(view), ...lines].join("\n") };
      }
    };
  }
});

// src/commands/status.ts
var status_exports = {};
__export(status_exports, {
  command: () => command8
});
function ofMilestone(project, views, id, ports) {
  const members = views.map(({ id: task, task: { milestone }, status }) => ({ id: task, milestone, status }));
  const all = deriveMilestones(members, project.read.milestones);
  const known = knownName(
    "milestone",
    id,
    all.map((one2) => one2.id)
  );
  const one = all.find((found) => found.id === known);
  const title = `Milestone: ${known}${one?.name ? ` ${one.name}` : ""} (${one?.status})`;
  return outcome(
    project,
    title,
    views.filter((view) => view.task.milestone === known),
    ports
  );
}
function outcome(project, title, views, ports) {
  return {
    json: views.map(taskRow),
    text: statusText(title, views, { style: ports.style, cyclesMax: cyclesMax(project) })
  };
}
var command8;
var init_status = __esm({
  "src/commands/status.ts"() {
    "use strict";
    init_milestones();
    init_task_json();
    init_lists();
    init_project();
    init_select();
    command8 = {
      spec: {
        name: "status",
        summary: "the state of all tasks, of a group, or of a milestone",
        arguments: [{ name: "group", completes: "group" }],
        options: [{ name: "milestone", type: "text", value: "<id>", help: "of this milestone" }],
        examples: [
          { command: "gza status tarantino-v2", shows: "the tasks of that group" },
          { command: "gza status --milestone M1", shows: "the tasks of that milestone" }
        ]
      },
      run: async ({ args, options }, ports) => {
        const project = await openProject(ports);
        const views = oldestFirst(project.board);
        const milestone = options["milestone"];
        if (milestone !== void 0) return ofMilestone(project, views, milestone, ports);
        const group = args[0];
        if (group === void 0) return outcome(project, null, views, ports);
        const groups = [...new Set(views.flatMap((view) => view.task.group ?? []))];
        const name2 = group === "" || group === "(ungrouped)" ? void 0 : knownName("group", group, groups);
        const members = views.filter((view) => view.task.group === name2);
        return outcome(project, `Group: ${name2 ?? "(ungrouped)"}`, members, ports);
      }
    };
  }
});

// src/core/parse-duration.ts
function parseDuration(text3) {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)\s*(s|m|h|d)?(?:ec|in|our|ay)?s?$/.exec(text3.trim());
  const seconds = match ? Number(match[1]) * secondsOf[match[2] ?? "m"] : Number.NaN;
  if (!(seconds > 0) || seconds > daysMax * secondsOf.d) {
    throw new GzaError(
      "usage",
      `a time is a number with s, m, h or d, at most ${daysMax}d; found "${text3}"`,
      {
        hint: "For example: --for 30m"
      }
    );
  }
  return seconds;
}
var secondsOf, daysMax;
var init_parse_duration = __esm({
  "src/core/parse-duration.ts"() {
    "use strict";
    init_errors();
    secondsOf = { s: 1, m: 60, h: 3600, d: 86400 };
    daysMax = 30;
  }
});

// src/commands/lane-branch-name.ts
function laneBranch(project, view) {
  let at = view;
  for (let steps = 0; steps < 1e3; steps += 1) {
    const lane = at.record?.lane;
    if (lane && !lane.folded_at) return lane.branch;
    if (at.branch !== null && at.branch !== project.view.base) return at.branch;
    if (at.task.branch !== void 0) return at.task.branch;
    const follows = at.task.same_branch || at.task.type === "review" || at.task.type === "improve";
    const before = follows ? project.board.views.get(at.task.depends_on?.[0] ?? "") : void 0;
    if (!before || before.record?.merged_at || before.record?.lane?.folded_at) break;
    at = before;
  }
  return `${project.config.branch_prefix}${at.id}`;
}
var init_lane_branch_name = __esm({
  "src/commands/lane-branch-name.ts"() {
    "use strict";
  }
});

// src/ledger/claim.ts
async function claimTask(ledger, request) {
  const written = await ledger.write((view) => claimPlan(view, request));
  if (written.kind === "refused" && written.claim) {
    return { kind: "lost", holder: written.claim, detail: written.detail };
  }
  if (written.kind === "refused") return written;
  const tips = written.kind === "written" ? written.tips : /* @__PURE__ */ new Map();
  return { kind: "claimed", claim: request.claim, tips };
}
async function claimPlan(view, { claim: claim2, at, by: by2, also }) {
  const event2 = { kind: "claim", at, claim: claim2, ...by2 ? { by: by2 } : {} };
  const more = also ? await also(view) : [];
  const onBase = more.filter((change) => change.branch === view.base);
  const elsewhere = more.filter((change) => change.branch !== view.base);
  const base = {
    branch: view.base,
    events: [event2, ...onBase.flatMap((change) => change.events)],
    artifacts: onBase.flatMap((change) => change.artifacts ?? [])
  };
  return { changes: [base, ...elsewhere] };
}
var init_claim = __esm({
  "src/ledger/claim.ts"() {
    "use strict";
  }
});

// src/ledger/remote-refs.ts
function trackingPrefix(remote) {
  const name2 = remote.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[.-]+|\.+$|\.lock$/g, "") || "remote";
  const taken = name2 === "local" || name2 === "backup";
  return `refs/gza/${taken ? `${name2}-remote` : name2}/tasks/`;
}
async function trackedTips(store2, remote) {
  const prefix = trackingPrefix(remote);
  const rows = await listRefs(store2.git, [prefix.slice(0, -1)]);
  return new Map(rows.map(({ ref, oid }) => [ref.slice(prefix.length), oid]));
}
async function fetchLedgers(store2, { remote, shallow, networkMs = 12e4 }, depth = shallow ? 1 : void 0) {
  const args = [
    "fetch",
    "--quiet",
    "--no-filter",
    "--prune",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    // Without it a person's own refspec for refs/tasks would move refs/tasks along the way.
    "--refmap=",
    ...depth ? [`--depth=${depth}`] : [],
    "--",
    remote,
    `+${store2.namespace}/*:${trackingPrefix(remote)}*`
  ];
  for (let tries = 1; ; tries++) {
    const result = await store2.git.run(args, { timeoutMs: networkMs });
    if (result.code === 0) return;
    if (depth && result.code === 1 && result.stderr.trim() === "") {
      if ((await trackedTips(store2, remote)).size === 0) return;
      return fetchLedgers(store2, { remote, networkMs }, void 0);
    }
    const isBusy = /cannot lock ref|\.lock': File exists|shallow file has changed/.test(result.stderr);
    if (!isBusy || tries >= fetchTriesMax) throw networkFailure("fetch", remote, result);
    const refs = [...(await trackedTips(store2, remote)).keys()].map(
      (name2) => `${trackingPrefix(remote)}${name2}`
    );
    removeStaleLocks(store2.repository, [...refs, "shallow"]);
    await new Promise((resolve2) => setTimeout(resolve2, tries * 100 * Math.random() + tries * 50));
  }
}
async function pushLedgers(store2, options, moves) {
  const refs = moves.map(({ branch, to, from }) => ({ ref: `${store2.namespace}/${branch}`, to, from }));
  const pushed = await pushRefs(store2, options, refs);
  if (pushed.kind === "refused") throw refusedByHost(store2, options.remote, pushed.why);
  return pushed.kind;
}
async function pushRefs(store2, { remote, networkMs = 12e4 }, moves) {
  const args = [
    "push",
    "--porcelain",
    "--quiet",
    "--atomic",
    "--no-verify",
    "--no-follow-tags",
    "--no-signed",
    "--recurse-submodules=no",
    ...moves.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ""}`),
    "--",
    remote,
    ...moves.map(({ ref, to }) => `${to ?? ""}:${ref}`)
  ];
  const result = await store2.git.run(args, { timeoutMs: networkMs });
  if (result.code === 0) return { kind: "pushed" };
  const said2 = `${result.stdout.toString("utf8")}
${result.stderr}`;
  const reasons = [...said2.matchAll(/^!\t[^\t]*:([^\t:]*)\t\[([^\]]+)\](?: \((.*)\))?$/gm)].map(
    ([, ref = "", kind = "", why = ""]) => ({ ref, kind, why })
  );
  const refused = reasons.find(({ kind, why }) => kind === "remote rejected" && !isRace(why));
  if (refused) return { kind: "refused", ref: refused.ref, why: refused.why, said: remoteWords(said2) };
  if (reasons.length > 0) return { kind: "lost" };
  if (result.code < 0 || /unexpected disconnect|hung up|early EOF|unpack-objects abnormal/i.test(said2))
    return { kind: "unclear" };
  throw networkFailure("push", remote, result);
}
function remoteWords(said2) {
  const lines = [...said2.matchAll(/^remote: ?(.*)$/gm)].map(([, line3 = ""]) => line3.trim());
  return lines.filter(Boolean).slice(0, remoteLinesMax).join("\n");
}
function isRace(why) {
  return /stale info|fetch first|non-fast-forward|failed to update ref|incorrect old value|already exists|cannot lock|unable to lock|failed to lock|atomic (push|transaction)|transaction failed|reference conflict/i.test(
    why
  );
}
function refusedByHost(store2, remote, why) {
  return new GzaError("world", `${remote} refuses ${store2.namespace}/*: ${why}`, {
    hint: "Some hosts take branches only. Set `state_ref: refs/heads/gza-state` in gza.yaml to keep ledgers there, or allow the refs on the host.",
    data: { remote, why }
  });
}
function networkFailure(verb, remote, result) {
  const said2 = result.stderr.trim().split("\n").slice(-6).join("\n");
  if (/does not appear to be a git repository|No such remote|'.*' does not exist/i.test(said2)) {
    const isUnset = said2.includes(`'${remote}' does not appear`);
    const what = isUnset ? `there is no remote ${remote}` : `${remote} cannot be reached: ${said2.split("\n")[0]}`;
    return new GzaError(isUnset ? "input" : "world", what, {
      hint: "See `git remote -v`. Without a remote, everything works in this repository alone."
    });
  }
  if (/does not support --atomic|cannot find ref advertisement/i.test(said2)) {
    return new GzaError(
      "world",
      `${remote} cannot take several refs at once (--atomic), which ledgers need`,
      {
        hint: "The host runs a very old git; 2.4 is the least."
      }
    );
  }
  return new GzaError(
    "world",
    `git ${verb} of the ledgers of ${remote} failed: ${said2 || "it said nothing"}`,
    {
      hint: "Nothing that was recorded here is lost; `gza sync` tries again.",
      data: { remote, exitCode: result.code }
    }
  );
}
var fetchTriesMax, remoteLinesMax;
var init_remote_refs = __esm({
  "src/ledger/remote-refs.ts"() {
    "use strict";
    init_errors();
    init_read_refs();
    init_stale_locks();
    fetchTriesMax = 12;
    remoteLinesMax = 12;
  }
});

// src/ledger/reconcile.ts
async function reconcile(ledger, remote, seen) {
  const look2 = await ledger.look();
  const { base, branches } = look2.view;
  const work = new Work(ledger, base);
  const sides = (branch) => ({
    local: look2.view.tip(branch),
    remote: remote.get(branch) ?? null,
    seen: seen.get(branch) ?? null
  });
  await joinOne(work, base, sides(base));
  work.folded = await foldedLanes(ledger.store, ledger.rows, work.wanted.get(base) ?? void 0);
  for (const branch of [.../* @__PURE__ */ new Set([...branches, ...remote.keys()])].filter((one) => one !== base)) {
    if (isBranchName(branch)) await joinLane(work, branch, sides(branch));
    else work.problems.push({ branch, detail: "the remote holds it under a name that is none" });
  }
  const moves = [...localMoves(work, look2), ...await newBackups(work)];
  const moved = moves.length === 0 ? "moved" : await moveRefs(ledger.store.repository, moves);
  if (moved !== "moved") return "lost";
  const { wanted, received, merged, removed, dropped, renamed, problems } = work;
  return { wanted, remote, received, merged, removed, dropped, renamed, problems, base };
}
function localMoves(work, look2) {
  const { store: store2 } = work.ledger;
  const moves = [];
  for (const [branch, to] of work.wanted) {
    const pairs = [
      { ref: `${store2.namespace}/${branch}`, to, from: look2.refs.tips.get(branch) ?? null },
      { ref: `${localMirror}${branch}`, to, from: look2.refs.mirrors.get(branch) ?? null }
    ];
    moves.push(...pairs.filter((pair) => pair.to !== pair.from));
  }
  return moves;
}
async function newBackups({ ledger, backups: wanted }) {
  if (wanted.length === 0) return [];
  const there = new Set((await listRefs(ledger.store.git, [backups.slice(0, -1)])).map((row) => row.ref));
  const fresh2 = new Map(wanted.map((move) => [move.ref, move]));
  return [...fresh2.values()].filter((move) => !there.has(move.ref));
}
async function joinLane(work, branch, sides) {
  const local = await laneOf2(work, branch, sides.local);
  const remote = await laneOf2(work, branch, sides.remote);
  const remoteFolded = remote !== null && work.folded.has(remote.meta.lane);
  if (local !== null && work.folded.has(local.meta.lane)) {
    await bringHome(work, local, sides);
    return joinOne(work, branch, { ...sides, local: null, remote: remoteFolded ? null : sides.remote });
  }
  await joinOne(work, branch, remoteFolded ? { ...sides, remote: null } : sides);
}
async function laneOf2(work, branch, commit) {
  if (commit === null) return null;
  const ledger = await ledgerAt(work.ledger.store, commit);
  if (!("why" in ledger)) return ledger;
  work.problems.push({ branch, detail: ledger.why });
  return null;
}
async function joinOne(work, branch, sides) {
  const { local, remote } = sides;
  const { store: store2 } = work.ledger;
  if (local === remote) {
    work.wanted.set(branch, local);
    return;
  }
  if (local === null || remote === null) return oneSide(work, branch, sides);
  if (await holds(store2.git, local, remote)) {
    work.wanted.set(branch, local);
    return;
  }
  if (local === sides.seen || await holds(store2.git, remote, local)) {
    return receive(work, branch, remote);
  }
  await join22(work, branch, { ...sides, local, remote });
}
async function oneSide(work, branch, { local, remote }) {
  if (remote !== null) return receive(work, branch, remote);
  work.wanted.set(branch, local === null ? null : await withRenames(work, local));
  if (local === null) work.removed.push(branch);
}
async function withRenames(work, local) {
  if (work.renamed.size === 0) return local;
  const { store: store2 } = work.ledger;
  const commits = await readHistory(store2.git, { tip: local });
  const opens = commits[0]?.entry?.opens;
  const text3 = JSON.stringify(commits.map((one) => one.entry));
  if (!opens || ![...work.renamed.keys()].some((id) => text3.includes(JSON.stringify(id)))) return local;
  const { tip, dropped } = await replay(store2, {
    onto: null,
    opens: { v: 1, ...opens },
    commits,
    known: /* @__PURE__ */ new Set(),
    renames: work.renamed
  });
  work.dropped.push(...dropped);
  return tip ?? local;
}
async function receive(work, branch, remote) {
  const ledger = await ledgerAt(work.ledger.store, remote);
  if ("why" in ledger) {
    work.problems.push({ branch, detail: `what the remote holds was left out: ${ledger.why}` });
    return;
  }
  work.wanted.set(branch, remote);
  work.received.push(branch);
}
async function join22(work, branch, sides) {
  const { store: store2 } = work.ledger;
  const onto = await laneOf2(work, branch, sides.remote);
  const ours = await laneOf2(work, branch, sides.local);
  if (!onto || !ours) return;
  const local = await unsynced(work, sides.local, sides.remote, sides.seen);
  const theirs = await readHistory(store2.git, { tip: sides.remote, since: sides.local });
  const known = new Set(theirs.map((one) => one.entry?.nonce ?? ""));
  const { tip, dropped } = await replay(store2, {
    onto,
    opens: ours.meta,
    commits: local,
    known,
    renames: work.renamed
  });
  work.dropped.push(...dropped);
  work.wanted.set(branch, tip ?? sides.remote);
  work.merged.push(branch);
  keepBackup(work, branch, sides.local);
}
async function unsynced(work, local, remote, seen) {
  const { git } = work.ledger.store;
  const commits = await readHistory(git, { tip: local, since: remote ?? void 0 });
  if (seen === null || !(work.shallow || remote === null)) return commits;
  const old = await readHistory(git, { tip: seen });
  const reached = new Set(old.map((one) => one.commit));
  return commits.filter((one) => !reached.has(one.commit));
}
async function bringHome(work, lane, sides) {
  const { store: store2, rows } = work.ledger;
  if (sides.local === null || sides.local === sides.seen || sides.local === sides.remote) return;
  const base = work.wanted.get(work.base);
  if (!base || await holds(store2.git, base, sides.local)) return;
  const onto = await ledgerAt(store2, base);
  if ("why" in onto) return;
  const commits = await unsynced(work, sides.local, sides.remote ?? base, sides.seen);
  const { tip, dropped } = await replay(store2, {
    onto,
    opens: onto.meta,
    commits: commits.map(withoutOpening),
    known: /* @__PURE__ */ new Set(),
    renames: work.renamed
  });
  work.dropped.push(...dropped);
  work.wanted.set(work.base, tip ?? base);
  keepBackup(work, lane.meta.branch, sides.local);
  if (tip !== null) await rows.of(await ledgerAt(store2, tip));
}
function withoutOpening(one) {
  if (!one.entry) return one;
  return {
    ...one,
    entry: { ...one.entry, events: one.entry.events.filter(({ kind }) => kind !== "open-lane") }
  };
}
function keepBackup(work, branch, commit) {
  work.backups.push({ ref: `${backups}${branch}/${commit.slice(0, 16)}`, to: commit, from: null });
}
var import_node_fs12, import_node_path13, Work;
var init_reconcile = __esm({
  "src/ledger/reconcile.ts"() {
    "use strict";
    import_node_fs12 = require("node:fs");
    import_node_path13 = require("node:path");
    init_heal();
    init_history();
    init_move_refs();
    init_read_refs();
    init_replay();
    init_rows();
    Work = class {
      wanted = /* @__PURE__ */ new Map();
      received = [];
      merged = [];
      removed = [];
      dropped = [];
      renamed = /* @__PURE__ */ new Map();
      problems = [];
      backups = [];
      folded = /* @__PURE__ */ new Set();
      ledger;
      base;
      shallow;
      constructor(ledger, base) {
        this.ledger = ledger;
        this.base = base;
        this.shallow = (0, import_node_fs12.existsSync)((0, import_node_path13.join)(ledger.store.repository.commonDir, "shallow"));
      }
    };
  }
});

// src/ledger/sync.ts
async function remoteHasLedgers(ledger, remote) {
  return (await trackedTips(ledger.store, remote)).size > 0;
}
async function bringIn(ledger, options) {
  const { store: store2 } = ledger;
  const seen = await trackedTips(store2, options.remote);
  await fetchLedgers(store2, options);
  let remote = await trackedTips(store2, options.remote);
  if (options.shallow && await anyDiverged(ledger, seen, remote)) {
    await fetchLedgers(store2, options, deepened);
    remote = await trackedTips(store2, options.remote);
  }
  const started = performance.now();
  for (let tries = 0; performance.now() - started < retryMs; tries++) {
    const found = await reconcile(ledger, remote, seen);
    if (found !== "lost") return found;
    await pause2(tries);
  }
  throw new GzaError(
    "world",
    "the ledgers of this clone change too fast to be brought together with the remote"
  );
}
async function anyDiverged(ledger, seen, remote) {
  const view = await ledger.view();
  return [...remote].some(([branch, tip]) => {
    const [local, old] = [view.tip(branch), seen.get(branch)];
    return local !== null && local !== tip && local !== old && tip !== old;
  });
}
async function pushAndNote(ledger, options, moves) {
  const { store: store2 } = ledger;
  const pushed = await pushLedgers(store2, options, moves);
  if (pushed !== "pushed") return pushed;
  const prefix = trackingPrefix(options.remote);
  const notes = moves.map(({ branch, to, from }) => ({ ref: `${prefix}${branch}`, to, from }));
  await moveRefs(store2.repository, notes).catch(() => "lost");
  return pushed;
}
async function retried(options, once) {
  const limit = options.retryMs ?? retryMs;
  const started = performance.now();
  for (let tries = 1; ; tries++) {
    if (await once()) return;
    if (performance.now() - started > limit) {
      throw new GzaError("world", `${options.remote} was changed by others at every one of ${tries} tries`, {
        hint: "Nothing that was recorded here is lost; try again."
      });
    }
    await pause2(tries);
  }
}
function pause2(tries) {
  const ms = Math.random() * Math.min(2e3, 20 * 2 ** Math.min(tries, 7));
  return new Promise((resolve2) => setTimeout(resolve2, ms));
}
async function claimOnRemote(ledger, request, options) {
  let outcome2 = null;
  await retried({ ...options, push: true }, async () => {
    outcome2 = await claimOnce(ledger, request, options);
    return outcome2 !== null;
  });
  return outcome2;
}
async function claimOnce(ledger, request, options) {
  const found = await bringIn(ledger, options);
  const before = /* @__PURE__ */ new Map();
  const written = await ledger.write(async (view) => {
    const plan = await claimPlan(view, request);
    before.clear();
    for (const { branch } of plan.changes) before.set(branch, view.tip(branch));
    return plan;
  });
  if (written.kind === "refused") {
    return written.claim ? { kind: "lost", holder: written.claim, detail: written.detail } : written;
  }
  const tips = written.kind === "written" ? written.tips : /* @__PURE__ */ new Map();
  const moves = [...tips].map(([branch, to]) => ({ branch, to, from: found.remote.get(branch) ?? null }));
  try {
    const pushed = await pushAndNote(ledger, options, moves);
    if (pushed === "pushed" || pushed === "unclear" && await arrived(ledger, options, tips)) {
      return { kind: "claimed", claim: request.claim, tips };
    }
  } catch (error) {
    await giveBack(ledger, before, tips);
    throw error;
  }
  await giveBack(ledger, before, tips);
  return null;
}
async function arrived(ledger, options, tips) {
  await fetchLedgers(ledger.store, options);
  for (const [branch, tip] of tips) {
    return holds(ledger.store.git, `${trackingPrefix(options.remote)}${branch}`, tip);
  }
  return false;
}
async function giveBack(ledger, before, tips) {
  const { store: store2 } = ledger;
  const moves = [...tips].flatMap(([branch, from]) => {
    const to = before.get(branch) ?? null;
    return [
      { ref: `${store2.namespace}/${branch}`, to, from },
      { ref: `${localMirror}${branch}`, to, from }
    ];
  });
  await moveRefs(store2.repository, moves).catch(() => "lost");
}
var deepened, retryMs;
var init_sync = __esm({
  "src/ledger/sync.ts"() {
    "use strict";
    init_errors();
    init_claim();
    init_move_refs();
    init_read_refs();
    init_reconcile();
    init_remote_refs();
    deepened = 1e3;
    retryMs = 3e4;
  }
});

// src/commands/shared-claim.ts
async function claimEverywhere(project, request, options, ports) {
  const remote = options["remote"] ?? "origin";
  const shared = options["offline"] !== true && await sharesLedgers(project, remote, ports);
  return shared ? claimOnRemote(project.ledger, request, { remote }) : claimTask(project.ledger, request);
}
async function sharesLedgers({ ledger, repository }, remote, ports) {
  if (await remoteHasLedgers(ledger, remote)) return true;
  const known = await repository.git.run(["config", "--get", `remote.${remote}.url`]);
  if (known.code !== 0) return false;
  try {
    await fetchLedgers(ledger.store, { remote });
  } catch (error) {
    if (!isGzaError(error)) throw error;
    ports.progress(
      `warning: ${remote} could not be asked for its ledgers, so this claim holds only here (${error.message.split("\n")[0]})`
    );
    return false;
  }
  return remoteHasLedgers(ledger, remote);
}
var init_shared_claim = __esm({
  "src/commands/shared-claim.ts"() {
    "use strict";
    init_errors();
    init_claim();
    init_remote_refs();
    init_sync();
  }
});

// src/commands/claim.ts
var claim_exports = {};
__export(claim_exports, {
  command: () => command9,
  heldBy: () => heldBy,
  holderName: () => holderName
});
function refuseAlias(holder, ports) {
  const agent = agentName(ports);
  if (!agent || agent === holder) return;
  throw new GzaError("refused", `an agent claims under its own name: ${agent}, not ${holder}`);
}
function heldBy(claim2, { program }) {
  return new GzaError("lost", `${claim2.task} is held by ${claim2.holder} until ${toSecond(claim2.until)}`, {
    hint: `${program} agents shows who holds what; ${program} release ${claim2.task} takes it back.`,
    data: { holder: claim2.holder, until: claim2.until }
  });
}
async function holderName({ repository }, ports) {
  const agent = agentName(ports);
  if (agent) return agent;
  const named = ports.env["GIT_AUTHOR_NAME"]?.trim();
  if (named) return named;
  const result = await repository.git.run(["config", "user.name"]);
  return result.stdout.toString("utf8").trim() || ports.env["USER"] || "someone";
}
var command9;
var init_claim2 = __esm({
  "src/commands/claim.ts"() {
    "use strict";
    init_errors();
    init_parse_duration();
    init_task_line();
    init_time();
    init_actor();
    init_change_task();
    init_find_task();
    init_lane_branch_name();
    init_project();
    init_shared_claim();
    command9 = {
      spec: {
        name: "claim",
        summary: "take a task for a while, so that nobody else works on it",
        arguments: [{ name: "id", required: true, completes: "id" }],
        details: "When the remote has ledgers, the claim must be accepted there too, unless --offline.",
        options: [
          { name: "for", type: "text", value: "<time>", help: "how long: 90s, 30m, 2h, 1d (default 1h)" },
          { name: "as", type: "text", value: "<name>", help: "holder; else the agent or your git user.name" },
          { name: "offline", type: "flag", help: "claim here only" },
          { name: "remote", type: "text", value: "<name>", help: "the remote to ask (default origin)" }
        ],
        examples: [{ command: "gza claim task-a3f8 --for 30m", shows: "task-a3f8: claimed by ann until \u2026" }]
      },
      run: async ({ args, options }, ports) => {
        const project = await openProject(ports);
        const view = findTask(project.board, args[0]);
        const holder = options["as"] ?? await holderName(project, ports);
        const seconds = parseDuration(options["for"] ?? "1h");
        refuseAlias(holder, ports);
        const mine = view.claim?.holder === holder;
        if (view.claim && !mine) throw heldBy(view.claim, ports);
        if (view.status === "blocked") {
          throw new GzaError("blocked", `Task #${view.id} is ${blockedText(view)}`, {
            hint: `gza why ${view.id}`
          });
        }
        const at = ports.now();
        const claim2 = {
          id: view.claim?.id ?? ports.random(),
          task: view.id,
          lane: laneBranch(project, view),
          holder,
          at,
          until: addSeconds(at, seconds)
        };
        const adopted = await definitionNow(project, view.id, stampOf(ports), at);
        const also = adopted ? { also: async () => [{ branch: project.view.base, events: [adopted] }] } : {};
        const claimed = await claimEverywhere(project, { claim: claim2, at, ...also }, options, ports);
        if (claimed.kind === "lost") throw heldBy(claimed.holder, ports);
        if (claimed.kind === "refused") throw refusalError(claimed);
        return taskOutcome(
          project,
          view.id,
          ports,
          () => `${view.id}: claimed by ${shorten(holder)} until ${toSecond(claim2.until)}`
        );
      }
    };
  }
});

// src/commands/commands.ts
function lazily(name2) {
  return async () => ({ command: (await Promise.resolve().then(() => __toESM(require("./lazy.js"), 1))).lazyVerbs[name2] });
}
function findVerb(name2) {
  return [...verbs2, ...hiddenVerbs].find((verb) => verb.name === name2 || verb.aliases?.includes(name2));
}
var verbGroups, verbs2, hiddenVerbs;
var init_commands = __esm({
  "src/commands/commands.ts"() {
    "use strict";
    verbGroups = [
      {
        title: "File and change tasks",
        verbs: [
          { name: "add", summary: "file a task", load: () => Promise.resolve().then(() => (init_add(), add_exports)) },
          { name: "edit", summary: "change a task", load: lazily("edit") },
          { name: "delete", aliases: ["rm"], summary: "drop a task", load: lazily("delete") },
          { name: "note", summary: "append a note to a task", load: () => Promise.resolve().then(() => (init_note(), note_exports)) },
          { name: "done", summary: "mark a task complete", load: () => Promise.resolve().then(() => (init_done(), done_exports)) },
          { name: "import", summary: "file the tasks of a checklist or plan", load: lazily("import") },
          { name: "breakdown", summary: "task files from a plan", load: lazily("breakdown") },
          { name: "score", summary: "how complex tasks are, and why", load: lazily("score") },
          { name: "split", summary: "a large task into a chain of smaller ones", load: lazily("split") }
        ]
      },
      {
        title: "See what there is",
        verbs: [
          { name: "list", aliases: ["ls"], summary: "open tasks", load: () => Promise.resolve().then(() => (init_list(), list_exports)) },
          { name: "ready", summary: "tasks that nothing blocks", load: () => Promise.resolve().then(() => (init_ready(), ready_exports)) },
          { name: "next", summary: "what runs next, and how many are blocked", load: () => Promise.resolve().then(() => (init_next(), next_exports)) },
          { name: "show", summary: "one task, whole", load: () => Promise.resolve().then(() => (init_show2(), show_exports)) },
          {
            name: "status",
            summary: "the state of all, a group or a milestone",
            load: () => Promise.resolve().then(() => (init_status(), status_exports))
          },
          { name: "summary", summary: "progress as numbers, for people and machines", load: lazily("summary") },
          { name: "report", summary: "one web page: board, graph, timeline, cost", load: lazily("report") },
          { name: "watch", summary: "the board, live", load: lazily("watch") },
          { name: "groups", summary: "groups with their counts", load: lazily("groups") },
          { name: "milestones", summary: "milestones with their state", load: lazily("milestones") },
          { name: "tree", summary: "tasks under their parents", load: lazily("tree") },
          { name: "where", summary: "the current position in a plan", load: lazily("where") },
          { name: "context", summary: "what is put before an agent", load: lazily("context") },
          { name: "graph", summary: "the dependency graph", load: lazily("graph") },
          { name: "why", summary: "why a task runs or waits", load: lazily("why") },
          { name: "log", summary: "tasks with their commits", load: lazily("log") },
          { name: "pr", summary: "the task list for a pull request", load: lazily("pr") },
          { name: "agents", summary: "who holds what, until when", load: lazily("agents") }
        ]
      },
      {
        title: "Let agents work",
        verbs: [
          { name: "work", summary: "the next ready task, those named, or all", load: lazily("work") },
          { name: "run", summary: "all ready tasks, here, one after the other", load: lazily("run") },
          { name: "review", summary: "a review of a task\u2019s work, now", load: lazily("review") },
          { name: "improve", summary: "the last review addressed, with your guidance", load: lazily("improve") },
          { name: "resume", summary: "go on with what was stopped", load: lazily("resume") },
          { name: "escalations", summary: "what waits for a person, and why", load: lazily("escalations") },
          { name: "prompt", summary: "what an agent would be sent", load: lazily("prompt") },
          { name: "demo", summary: "the whole loop in a scratch repository", load: lazily("demo") }
        ]
      },
      {
        title: "Steer",
        verbs: [
          { name: "claim", summary: "take a task for a while", load: () => Promise.resolve().then(() => (init_claim2(), claim_exports)) },
          { name: "release", summary: "give a claimed task back", load: lazily("release") },
          { name: "assign", summary: "say who alone may do a task", load: lazily("assign") },
          { name: "approve", summary: "approve a plan or a reviewed head", load: lazily("approve") },
          { name: "retry", summary: "the failed phase again, afresh", load: lazily("retry") },
          { name: "skip", summary: "done elsewhere: satisfies dependents", load: lazily("skip") },
          { name: "reset", summary: "attempts back to 0", load: lazily("reset") },
          { name: "unblock", summary: "clear a stop for a person", load: lazily("unblock") },
          { name: "pause", summary: "hold a task back", load: lazily("pause") },
          { name: "reopen", summary: "open a closed task again", load: lazily("reopen") }
        ]
      },
      {
        title: "Set up and keep in order",
        verbs: [
          {
            name: "init",
            summary: "make a repository ready",
            load: lazily("init")
          },
          { name: "check", summary: "validate tasks and configuration", load: lazily("check") },
          {
            name: "doctor",
            summary: "what would keep gza from working on GitHub",
            load: lazily("doctor")
          },
          { name: "config", summary: "settings in force, and where from", load: lazily("config") },
          { name: "sync", summary: "share state with a remote", load: lazily("sync") },
          { name: "fsck", summary: "replay the history, compare, repair", load: lazily("fsck") },
          { name: "completion", summary: "shell completion", load: lazily("completion") }
        ]
      }
    ];
    verbs2 = verbGroups.flatMap((group) => group.verbs);
    hiddenVerbs = [
      { name: "demo-agent", summary: "the scripted agent of the demo", load: lazily("demo-agent") }
    ];
  }
});

// src/commands/global-options.ts
var globalOptions;
var init_global_options = __esm({
  "src/commands/global-options.ts"() {
    "use strict";
    globalOptions = [
      { name: "json", type: "flag", help: "print JSON for scripts" },
      { name: "help", short: "h", type: "flag", help: "show this help" },
      { name: "color", type: "flag", help: "colour even in a pipe; --no-color for none" }
    ];
  }
});

// src/core/command-spec.ts
function choicesText(choices) {
  const named = choices.filter((choice) => choice !== "").join(", ");
  return choices.includes("") ? `${named}, or "" for none` : named;
}
function shownChoices({ choices }) {
  return choices?.filter((choice) => choice !== "") ?? [];
}
var init_command_spec = __esm({
  "src/core/command-spec.ts"() {
    "use strict";
  }
});

// src/core/text/help.ts
function overviewText(program, groups, style) {
  const width = Math.max(...groups.flatMap((group) => group.verbs.map((verb) => verb.name.length))) + 2;
  const sections = groups.map(
    (group) => [
      style.bold(group.title),
      ...group.verbs.map((verb) => `  ${verb.name.padEnd(width)}${verb.summary}`)
    ].join("\n")
  );
  return [
    `${style.bold(program)}: tasks in files and git refs, run by coding agents, reviewed, in pull requests`,
    `usage: ${program} <command> [arguments]`,
    ...sections,
    `${program} <command> --help tells more; every command takes --json.
Exit status: 0 done, 1 the world failed, 2 a mistake or a refusal, 3 blocked or held by someone else.`
  ].join("\n\n");
}
function calledAs(program, command10) {
  return command10.replaceAll(/(?<=^|[|(] ?)gza(?= )/g, program);
}
function usageLine(program, spec) {
  const args = spec.arguments.map(argumentText);
  return [program, spec.name, ...args, ...spec.options.length > 0 ? ["[options]"] : []].join(" ");
}
function argumentText({ name: name2, required, many: many2 }) {
  const text3 = `<${name2}>${many2 ? "\u2026" : ""}`;
  return required ? text3 : `[${text3}]`;
}
function verbHelpText(program, spec, globals, style) {
  const options = [...spec.options, ...globals];
  const heads = options.map(optionHead);
  const width = Math.max(...heads.map((head2) => head2.length)) + 2;
  const optionLines = options.map(
    (option, at) => `  ${heads[at].padEnd(width)}${optionHelp(option)}`
  );
  return [
    `${style.bold(`${program} ${spec.name}`)}: ${spec.summary}`,
    `usage: ${usageLine(program, spec)}`,
    ...spec.details ? [spec.details] : [],
    [style.bold("Options"), ...optionLines].join("\n"),
    ...spec.examples.length > 0 ? [
      [
        style.bold("Examples"),
        ...spec.examples.map((one) => `  ${calledAs(program, one.command)}
      ${one.shows}`)
      ].join("\n")
    ] : []
  ].join("\n\n");
}
function optionHead(option) {
  const short = option.short ? `-${option.short}, ` : "";
  const value = option.type === "flag" ? "" : ` ${option.value ?? "<value>"}`;
  return `${short}--${[option.name, ...option.aliases ?? []].join(", --")}${value}`;
}
function optionHelp(option) {
  const choices = option.choices ? ` (${choicesText(option.choices)})` : "";
  return option.help + choices + (option.type === "many" ? "; may be given several times" : "");
}
var init_help = __esm({
  "src/core/text/help.ts"() {
    "use strict";
    init_command_spec();
  }
});

// src/commands/help.ts
var help_exports = {};
__export(help_exports, {
  overview: () => overview,
  verbHelp: () => verbHelp
});
function overview(ports) {
  return {
    json: { commands: verbs2.map(({ name: name2, summary }) => ({ name: name2, summary })) },
    text: overviewText(ports.program, verbGroups, ports.style)
  };
}
function verbHelp(spec, ports) {
  const { name: name2, summary, arguments: args, options } = spec;
  return {
    json: {
      name: name2,
      summary,
      usage: usageLine(ports.program, spec),
      arguments: args,
      options,
      examples: spec.examples,
      for_people: spec.forPeople === true
    },
    text: verbHelpText(ports.program, spec, globalOptions, ports.style)
  };
}
var init_help2 = __esm({
  "src/commands/help.ts"() {
    "use strict";
    init_help();
    init_commands();
    init_global_options();
  }
});

// src/main.ts
var main_exports = {};
__export(main_exports, {
  main: () => main,
  runWords: () => runWords
});
module.exports = __toCommonJS(main_exports);
init_commands();
init_global_options();

// src/commands/refuse-agents.ts
init_errors();
var agentVariables = ["GZA_AGENT", "ZAGI_AGENT"];
function refuseAgents(what, { env, program }, id = "<id>") {
  const variable = agentVariables.find((one) => env[one]);
  if (!variable) return;
  throw new GzaError("refused", `${what} is for people; ${variable} is set, so an agent is at work`, {
    hint: `An agent may add tasks, append notes and mark its task done:
  ${program} note ${id} "what should change and why"`
  });
}

// src/main.ts
init_errors();
init_nearest_word();

// src/core/parse-arguments.ts
init_command_spec();
init_nearest_word();
function parseArguments(words4, table) {
  const parsed = { args: [], options: {}, problems: [] };
  const rest = [...words4];
  for (let word2 = rest.shift(); word2 !== void 0; word2 = rest.shift()) {
    if (word2 === "--") {
      parsed.args.push(...rest.splice(0));
    } else if (word2.startsWith("--")) {
      takeLong(word2, rest, table.options, parsed);
    } else if (/^-[A-Za-z]/.test(word2)) {
      takeShort(word2, rest, table.options, parsed);
    } else {
      parsed.args.push(word2);
    }
  }
  checkCount(parsed, table.arguments);
  return parsed;
}
function takeLong(word2, rest, options, parsed) {
  const equals = word2.indexOf("=");
  const name2 = word2.slice(2, equals < 0 ? void 0 : equals);
  const value = equals < 0 ? void 0 : word2.slice(equals + 1);
  const negated = name2.startsWith("no-") ? findLong(options, name2.slice(3)) : void 0;
  const option = findLong(options, name2) ?? (negated?.type === "flag" ? negated : void 0);
  if (!option) {
    const known = options.flatMap((one) => [one.name, ...one.aliases ?? []]);
    const near = nearestWord(name2, known);
    const meant = near ? findLong(options, near) : void 0;
    if (meant && meant.type !== "flag" && value === void 0 && !isOption(rest[0], options)) rest.shift();
    parsed.problems.push(`unknown option --${name2}${near ? `: did you mean --${near}?` : ""}`);
    return;
  }
  if (option.type === "flag") {
    if (value !== void 0) parsed.problems.push(`--${name2} takes no value, found "${value}"`);
    else parsed.options[option.name] = option !== negated;
    return;
  }
  store(option, value ?? takeValue(rest, options), parsed, `--${name2}`);
}
function takeValue(rest, options) {
  return isOption(rest[0], options) ? void 0 : rest.shift();
}
function isOption(word2, options) {
  const name2 = word2?.startsWith("--") ? word2.slice(2).split("=")[0] : void 0;
  return name2 !== void 0 && (findLong(options, name2) ?? findLong(options, name2.replace(/^no-/, ""))) !== void 0;
}
function findLong(options, name2) {
  return options.find((one) => one.name === name2 || one.aliases?.includes(name2));
}
function takeShort(word2, rest, options, parsed) {
  for (let at = 1; at < word2.length; at += 1) {
    const letter = word2[at];
    const option = options.find((one) => one.short === letter);
    if (!option) {
      parsed.problems.push(`unknown option -${letter}`);
      return;
    }
    if (option.type === "flag") {
      parsed.options[option.name] = true;
      continue;
    }
    const attached = word2.slice(at + 1).replace(/^=/, "");
    store(option, attached || takeValue(rest, options), parsed, `-${letter}`);
    return;
  }
}
function store(option, value, parsed, shown2) {
  if (value === void 0) {
    parsed.problems.push(`${shown2} needs a value`);
    return;
  }
  if (option.choices && !option.choices.includes(value)) {
    const near = nearestWord(value, shownChoices(option));
    parsed.problems.push(
      `${shown2} takes one of ${choicesText(option.choices)}; found "${value}"${near ? `, did you mean ${near}?` : ""}`
    );
    return;
  }
  if (option.type === "number") {
    const number2 = Number(value);
    if (value.trim() === "" || !Number.isFinite(number2) || number2 < 0) {
      parsed.problems.push(`${shown2} takes a number of 0 or more, found "${value}"`);
    } else {
      parsed.options[option.name] = number2;
    }
    return;
  }
  if (option.type === "many") {
    const before = parsed.options[option.name] ?? [];
    parsed.options[option.name] = [...before, value];
    return;
  }
  parsed.options[option.name] = value;
}
function checkCount(parsed, table) {
  for (const [at, { name: name2, required }] of table.entries()) {
    if (required && parsed.args[at] === void 0) parsed.problems.push(`<${name2}> is missing`);
  }
  const last = table.at(-1);
  if (!last?.many && parsed.args.length > table.length) {
    const extra = parsed.args.slice(table.length).map((word2) => `"${word2}"`);
    parsed.problems.push(`unexpected ${extra.join(", ")}`);
  }
}

// src/core/text/error.ts
init_errors();
function printError(error, style) {
  if (!isGzaError(error)) {
    const where = error instanceof Error ? error.stack ?? error.message : String(error);
    return `${style.red("Error:")} this is a bug in gza, sorry. Nothing more was changed.
${where}
`;
  }
  const hint = error.hint ? `
${indent(error.hint)}` : "";
  return `${style.red("Error:")} ${error.message}${style.dim(hint)}
`;
}
function indent(text3) {
  return text3.split("\n").map((line3) => `  ${line3}`).join("\n");
}

// src/main.ts
init_help();

// src/core/text/style.ts
var same = (text3) => text3;
var plain3 = {
  bold: same,
  dim: same,
  red: same,
  green: same,
  yellow: same,
  blue: same,
  cyan: same
};
var code = (open3, close2) => (text3) => `\x1B[${open3}m${text3}\x1B[${close2}m`;
var coloured = {
  bold: code(1, 22),
  dim: code(2, 22),
  red: code(31, 39),
  green: code(32, 39),
  yellow: code(33, 39),
  blue: code(34, 39),
  cyan: code(36, 39)
};

// src/main.ts
init_kept_answer();

// src/ports.ts
var import_node_crypto6 = lateBuiltin(() => require("node:crypto"));
var import_node_path14 = require("node:path");
init_errors();
init_time();
var stdinBytesMax = 10 << 20;
function processPorts() {
  const { env, argv } = process;
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  return {
    cwd: currentFolder(),
    env,
    now: () => printTime(Date.now()),
    random: () => (0, import_node_crypto6.randomBytes)(8).toString("hex"),
    program: (0, import_node_path14.basename)(argv[1] ?? "").startsWith("git-tasks") ? "git tasks" : "gza",
    stdin: readStdin,
    // Asked late: to open the stream takes longer than many a verb that needs neither.
    get style() {
      return wantsColour() ? coloured : plain3;
    },
    get columns() {
      return process.stdout.isTTY ? process.stdout.columns : null;
    },
    progress: (line3) => process.stderr.write(`${line3}
`),
    signal: stop.signal
  };
}
function currentFolder() {
  try {
    return process.cwd();
  } catch (cause) {
    throw new GzaError("world", "the current folder is gone", { hint: "cd to one that is there.", cause });
  }
}
function wantsColour() {
  const { argv, env } = process;
  if (argv.includes("--no-color") || env["NO_COLOR"]) return false;
  return argv.includes("--color") || env["TERM"] !== "dumb" && process.stdout.isTTY;
}
async function readStdin() {
  if (process.stdin.isTTY) return null;
  const chunks = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    bytes += chunk.length;
    if (bytes > stdinBytesMax)
      throw new GzaError("input", `standard input is over ${stdinBytesMax} bytes, the limit`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

// src/print.ts
var import_node_fs13 = require("node:fs");
init_errors();
async function print2(descriptor, text3) {
  const bytes = Buffer.from(text3);
  let at = 0;
  while (at < bytes.length) {
    try {
      at += (0, import_node_fs13.writeSync)(descriptor, bytes, at);
    } catch (error) {
      const { code: code2 } = error;
      if (code2 === "EPIPE") return;
      if (code2 !== "EAGAIN") throw unwritten(error);
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

// src/main.ts
init_version();
async function main(words4) {
  const json2 = words4.includes("--json") && !words4.slice(0, words4.indexOf("--json")).includes("--");
  try {
    const outcome2 = await runWords(words4, processPorts());
    const text3 = json2 ? `${JSON.stringify(outcome2.json, null, 2)}
` : withBreak(outcome2.text);
    if (outcome2.holds) keepAnswer(words4, outcome2.holds, text3);
    await print2(1, text3);
    return outcome2.exit ?? 0;
  } catch (error) {
    await printFailure(error, json2);
    return exitCode(error);
  }
}
async function printFailure(error, json2) {
  const forPeople = () => print2(2, printError(error, process.stderr.isTTY ? coloured : plain3));
  if (!json2) return forPeople();
  return print2(1, `${JSON.stringify({ error: errorJson(error) }, null, 2)}
`).catch(forPeople);
}
async function runWords(words4, ports) {
  const [name2, ...rest] = verbFirst(words4);
  if (name2 === "--version" || name2 === "-V" || name2 === "version") {
    return { json: { version }, text: `gza ${version}` };
  }
  if (name2 === void 0 || name2 === "--help" || name2 === "-h" || name2 === "help") {
    const { overview: overview2, verbHelp: verbHelp2 } = await Promise.resolve().then(() => (init_help2(), help_exports));
    const about = name2 === "help" ? rest.find((word2) => !word2.startsWith("-")) : void 0;
    return about === void 0 ? overview2(ports) : verbHelp2((await load(about, ports)).spec, ports);
  }
  const command10 = await load(name2, ports);
  const invocation = parse(command10, rest, ports);
  if (invocation.options["help"]) return (await Promise.resolve().then(() => (init_help2(), help_exports))).verbHelp(command10.spec, ports);
  if (command10.spec.forPeople) refuseAgents(command10.spec.name, ports, invocation.args[0]);
  return command10.run(invocation, ports);
}
function verbFirst(words4) {
  const isGlobal = (word2) => ["--json", "--color", "--no-color"].includes(word2);
  const at = words4.findIndex((word2) => !isGlobal(word2));
  return at < 1 ? [...words4] : [...words4.slice(at), ...words4.slice(0, at)];
}
async function load(name2, ports) {
  const verb = findVerb(name2);
  if (verb) return (await verb.load()).command;
  const near = nearestWord(
    name2,
    verbs2.map((one) => one.name)
  );
  throw new GzaError("usage", `unknown command "${name2}"${near ? `: did you mean ${near}?` : ""}`, {
    hint: `${ports.program} --help lists all commands.`
  });
}
function parse(command10, words4, ports) {
  const { spec } = command10;
  const [example] = spec.examples;
  const parsed = parseArguments(words4, {
    arguments: words4.includes("--help") || words4.includes("-h") ? [] : spec.arguments,
    options: [...spec.options, ...globalOptions]
  });
  if (parsed.options["help"]) return parsed;
  if (parsed.problems.length > 0) {
    throw new GzaError("usage", parsed.problems.join("\n"), {
      hint: `${ports.program} ${spec.name} --help shows what it takes${example ? `, for example:
  ${calledAs(ports.program, example.command)}` : "."}`
    });
  }
  return parsed;
}
function errorJson(error) {
  const message = error instanceof Error ? error.message : String(error);
  if (!isGzaError(error)) return { code: "bug", message };
  return { code: error.code, message, ...error.hint ? { hint: error.hint } : {}, ...error.data };
}
function withBreak(text3) {
  return text3 === "" || text3.endsWith("\n") ? text3 : `${text3}
`;
}
// Annotate the CommonJS export names for ESM import in node:
0 && (module.exports = {
  main,
  runWords
});
