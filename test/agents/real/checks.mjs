/**
 * What must hold for every agent. A check gives nothing when it does, `skipped` when it is not about that agent,
 * else what was found.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ledgerAgrees, unequal } from './ledger-check.mjs';
import { startModelServer } from './model-server.mjs';

const taskId = `task-${process.pid}`;
const canary = 'ghp_canary000000000000000000000000000000';
const answer = 'Done: that is all.';
const prices = {
  'gpt-5.5': { input: 2, output: 10 },
  'gpt-4.1': { input: 2, output: 10 },
  scripted: { input: 2, output: 10 },
  'gemini-2.5-pro': { input: 2, output: 10 },
};

/** One run in a new work tree and HOME, or in those of an earlier one. */
async function attempt(
  { gza, name, bin, program },
  script,
  { limits, tree, keep, always = false, keys = program.keys, costOf, proxy, boxed, ...request } = {},
) {
  const folder = tree ?? mkdtempSync(join(tmpdir(), `gza-real-${name}-`));
  const cwd = join(folder, 'repo');
  const home = join(folder, 'home');
  if (!tree) execFileSync('git', ['init', '-q', cwd]);
  const answerTo = (asked) =>
    asked.tools.length === 0 && !always ? { text: 'A title' } : script(asked, cwd);
  const server = await startModelServer(answerTo, costOf);
  const known = gza.agentNamed(name);
  const { launched = (launch) => launch, address = () => ({}) } = program;
  const launch = (request) => launched(known.launch(request), server.url);
  const adapter = { ...known, program: bin, launch };
  const caller = {
    PATH: process.env.PATH,
    // Its HOME is below /tmp, and Codex wants that apart.
    TMPDIR: '/var/tmp',
    GITHUB_TOKEN: canary,
    MY_OWN: 'kept out',
    ...keys,
    ...(Object.keys(keys).length > 0 ? address(server.url) : {}),
  };
  const environment = gza.agentEnvironment({
    caller,
    adapter,
    home,
    taskId,
    spool: join(folder, 'spool'),
  });
  const logPath = join(folder, 'agent.log');
  try {
    const run = await gza.runAgent({
      adapter,
      environment,
      logPath,
      prices,
      proxy,
      ...(boxed
        ? { sandbox: { isolation: 'required', network: ['model-only'], sandbox: { read: [] }, caller } }
        : {}),
      limits: { timeoutMs: 90_000, idleMs: 60_000, outputBytesMax: 32 << 20, graceMs: 8000, ...limits },
      request: {
        prompt: 'Please do what the task says.',
        cwd,
        home,
        access: 'full',
        model: program.model,
        ...request,
      },
    });
    const left = await gza.markedProcesses(`GZA_TASK=${taskId}`, new Set());
    const files = readdirSync(cwd).filter((file) => file !== '.git');
    const read = (file) => (existsSync(join(cwd, file)) ? readFileSync(join(cwd, file), 'utf8') : undefined);
    return {
      ...run,
      left,
      files,
      contents: Object.fromEntries(files.map((file) => [file, read(file)])),
      requests: server.requests,
      spent: server.spent,
      log: readLog(logPath),
      tree: folder,
    };
  } finally {
    await server.close();
    if (!keep) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const readLog = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

function told({ result, process, files, requests, log, left }) {
  return JSON.stringify({
    result: { ...result, text: result.text.slice(0, 200) },
    process,
    files,
    left,
    requests: requests.length,
    log: log.slice(-700),
  });
}

/** Whatever else a check is about: nothing may be left behind. */
const unless = (holds, run) => (holds && run.left.length === 0 ? undefined : told(run));

const writeByNode = (file) => `node -e "require('fs').writeFileSync('${file}', '')"`;

/** Tool calls in this order, then the answer. */
const inTurn =
  (...steps) =>
  ({ results }, cwd) =>
    steps[results] ? { tool: steps[results](cwd) } : { text: answer };

/** Where the run tells other tokens, or other dollars for them, than the server counted itself. */
function miscounted(run, { name }) {
  const { usage, costUsd, unpriced } = run.result;
  const sum = (what) => Object.values(run.spent).reduce((all, one) => all + one[what], 0);
  const [input, cached, output] = [sum('input'), sum('cached'), sum('output')];
  const tokens = usage && [usage.input, usage.cachedInput, usage.output].join();
  const isSame = tokens === [input - cached, cached, output].join();
  // Two may name a price of their own.
  const dollars = ['claude', 'opencode'].includes(name)
    ? costUsd > 0
    : Math.abs(costUsd - (input * 2 + output * 10) / 1e6) < 1e-9;
  if (isSame && dollars && Object.keys(unpriced).length === 0) return undefined;
  return `the server counted ${JSON.stringify(run.spent)}: ${told(run)}`;
}

async function countsWhole(agent, how) {
  const { program } = agent;
  const say = (nth) => () => program.shell(`echo turn ${nth}`);
  const script = inTurn(say(1), say(2), (cwd) => program.write(join(cwd, 'a.txt'), 'a'));
  const first = await attempt(agent, script, { ...how, costOf: unequal, keep: true });
  const { sessionId: resume, sessionTotals } = first.result;
  const again = { ...how, costOf: unequal, tree: first.tree, resume, sessionTotals };
  const second = await attempt(agent, () => ({ text: answer }), again);
  return miscounted(first, agent) ?? miscounted(second, agent);
}

async function countsEnded(agent, how) {
  const { program } = agent;
  const script = ({ results }) =>
    results < 3 ? { tool: program.shell(`echo turn ${results}`) } : { hang: true };
  const limits = { idleMs: 10_000, timeoutMs: 60_000 };
  const run = await attempt(agent, script, { ...how, costOf: unequal, limits });
  return run.result.kind === 'timeout' ? miscounted(run, agent) : told(run);
}

async function countsHelpers(agent, how) {
  const { program, name } = agent;
  if (!program.helper) return { skipped: 'none was tried' };
  const isHelper = ({ raw }) => !raw.includes('Please do what the task says.');
  const script = (asked) => {
    if (isHelper(asked))
      return asked.results === 0 ? { tool: program.shell('echo helped') } : { text: 'Helped.' };
    return asked.results === 0
      ? { tool: program.helper('Look around, then say that you helped.') }
      : { text: answer };
  };
  const whole = await attempt(agent, script, { ...how, costOf: unequal });
  const stuck = (asked) => (isHelper(asked) && asked.results > 0 ? { hang: true } : script(asked));
  const ended = await attempt(agent, stuck, {
    costOf: unequal,
    limits: { idleMs: 10_000, timeoutMs: 60_000 },
  });
  const helped = whole.requests.some(isHelper);
  return helped
    ? (miscounted(whole, agent) ?? miscounted(ended, agent))
    : `${name} asked no helper: ${told(whole)}`;
}

const patient = { timeoutMs: 150_000, idleMs: 140_000 };

/** As the providers of these say it. */
const noModel = ({ name }) =>
  name === 'claude'
    ? 'model: claude-nine'
    : name === 'gemini'
      ? 'models/gemini-nine is not found for API version v1beta, or is not supported for generateContent.'
      : 'The model `nine` does not exist or you do not have access to it.';

const tooLong = ({ name }) =>
  name === 'claude'
    ? 'prompt is too long: 210000 tokens > 200000 maximum'
    : name === 'gemini'
      ? 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'
      : "This model's maximum context length is 128000 tokens. However, your messages resulted in 210000 tokens.";

/** In a review: the one file that it is given, and no other, not even beside it. */
async function answersInFile(agent, how) {
  const { program, gza, name } = agent;
  if (!gza.agentNamed(name).writesAnswer) return { skipped: 'it is held to a schema by a flag' };
  const folder = mkdtempSync(join(tmpdir(), 'gza-answer-'));
  const answerFile = join(folder, 'answer.json');
  const run = (path) =>
    attempt(
      agent,
      inTurn((cwd) => program.write(path(cwd), '{"verdict":"APPROVED"}')),
      { ...how, access: 'read-only', answerFile, writable: [folder] },
    );
  try {
    const one = await run(() => answerFile);
    const isThere = existsSync(answerFile) && readFileSync(answerFile, 'utf8').includes('"APPROVED"');
    if (!isThere || one.result.text !== answer) return `no answer in the file: ${told(one)}`;
    const beside = await run(() => join(folder, 'other.json'));
    if (existsSync(join(folder, 'other.json'))) return `it wrote beside it: ${told(beside)}`;
    const inside = await run((cwd) => join(cwd, 'answer.json'));
    return unless(inside.files.length === 0, inside);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function reviews(agent, how) {
  const { program } = agent;
  const found = 'what-the-file-says';
  const first = await attempt(
    agent,
    inTurn((cwd) => program.write(join(cwd, 'here.txt'), found)),
    { keep: true },
  );
  const ask = inTurn((cwd) => program.read(join(cwd, 'here.txt')));
  const run = await attempt(agent, ask, { ...how, access: 'read-only', tree: first.tree });
  const seen = run.requests.some(({ raw, results }) => results === 1 && raw.includes(found));
  const noSandbox = run.result.kind === 'config' && /sandbox/.test(run.result.error);
  return unless(noSandbox || (seen && run.result.text === answer), run);
}

export const checks = {
  'counts to the token what the server counts': (agent) => countsWhole(agent, {}),

  'counts it without the model proxy, by what the agent tells': (agent) =>
    countsWhole(agent, { proxy: false }),

  'counts to the token when it is ended on the way': (agent) => countsEnded(agent, {}),

  'counts that without the model proxy': (agent) => countsEnded(agent, { proxy: false }),

  'counts what an agent of its own used': (agent) => countsHelpers(agent, {}),

  'counts that without the model proxy too': (agent) => countsHelpers(agent, { proxy: false }),

  'a ledger agrees with the server on every token and dollar': ledgerAgrees,

  'writes a file, and tells all about the run': async (agent) => {
    const { program } = agent;
    const run = await attempt(
      agent,
      inTurn((cwd) => program.write(join(cwd, 'hello.txt'), 'hi')),
    );
    const { result } = run;
    const holds =
      result.kind === 'ok' &&
      result.text === answer &&
      run.contents['hello.txt']?.trim() === 'hi' &&
      result.turns === 2 &&
      result.sessionId &&
      result.usage.output === 100 &&
      result.usage.cachedInput === 400 &&
      result.costUsd > 0 &&
      run.agent.version.includes(program.version) &&
      run.process.swept === 0;
    return unless(holds, run);
  },

  'a review may write its answer, into the one file that it is given': (agent) => answersInFile(agent, {}),

  'works in the sandbox, with nothing in reach but its model': async (agent) => {
    const { program, gza } = agent;
    const probed = await gza.probeSandbox();
    if ('why' in probed) return { skipped: probed.why };
    const secret = mkdtempSync(join(tmpdir(), 'gza-secret-'));
    writeFileSync(join(secret, 'file'), canary);
    const look = `cat ${secret}/file > seen.txt 2>&1; ls /proc | grep -c '^[0-9]' >> seen.txt; echo end >> seen.txt`;
    const run = await attempt(
      agent,
      inTurn(
        (cwd) => program.write(join(cwd, 'hello.txt'), 'hi'),
        () => program.shell(look),
      ),
      { boxed: true },
    );
    rmSync(secret, { recursive: true });
    const { 'hello.txt': hello = '', 'seen.txt': seen = '' } = run.contents;
    const isBlind = /No such file/.test(seen) && seen.includes('end') && !seen.includes(canary);
    const holds = run.result.kind === 'ok' && hello.trim() === 'hi' && isBlind;
    return unless(holds && /sandbox: (bubblewrap|unshare),/.test(run.log), run);
  },

  'reviews without being able to write': async (agent) => {
    const { program } = agent;
    const run = await attempt(
      agent,
      inTurn(
        (cwd) => program.write(join(cwd, 'by-tool.txt'), 'hi'),
        (cwd) => program.shell(`echo hi > ${join(cwd, 'by-shell.txt')}`),
        () => program.shell('git log --output=by-git.txt; git diff --output=by-diff.txt'),
        () => program.shell('git commit --allow-empty -m x && touch by-and.txt'),
        () => program.shell('git tasks list > by-redirection.txt'),
        () => program.shell('git tasks list; touch by-list.txt'),
        () => program.shell('git tasks note x "$(touch by-substitution.txt)"'),
      ),
      { access: 'read-only' },
    );
    return unless(run.files.length === 0 && ['ok', 'denied', 'config'].includes(run.result.kind), run);
  },

  'reviews what is there': (agent) => reviews(agent, {}),

  'reviews what is there in the sandbox, with one of its own inside': async (agent) => {
    const probed = await agent.gza.probeSandbox();
    return 'why' in probed ? { skipped: probed.why } : reviews(agent, { boxed: true });
  },

  'edits, and runs no command': async (agent) => {
    const { program, name } = agent;
    const outside = join(import.meta.dirname, `gza-outside-${process.pid}.txt`);
    const run = await attempt(
      agent,
      inTurn(
        (cwd) => program.write(join(cwd, 'hello.txt'), 'hi'),
        // Outside of the work tree for the one that has a sandbox instead of a list, which leaves temporary folders open.
        () => program.shell(writeByNode(name === 'codex' ? outside : 'forbidden.txt')),
      ),
      { access: 'edit' },
    );
    const escaped = existsSync(outside) || run.files.includes('forbidden.txt');
    rmSync(outside, { force: true });
    const noSandbox = run.result.kind === 'config' && /sandbox/.test(run.result.error);
    return unless(!escaped && (noSandbox || run.contents['hello.txt']?.trim() === 'hi'), run);
  },

  'answers in the form that was asked for': async (agent) => {
    const { name } = agent;
    if (!['claude', 'codex'].includes(name)) return { skipped: 'cannot be held to a form' };
    const verdict = { verdict: 'APPROVED' };
    const outputSchema = {
      type: 'object',
      properties: { verdict: { type: 'string' } },
      required: ['verdict'],
      additionalProperties: false,
    };
    const script = ({ results, tools }) =>
      tools.includes('StructuredOutput') && results === 0
        ? { tool: { name: 'StructuredOutput', input: verdict } }
        : { text: name === 'codex' ? JSON.stringify(verdict) : answer };
    const run = await attempt(agent, script, { access: 'read-only', outputSchema });
    return unless(run.result.kind === 'ok' && run.result.structured?.verdict === 'APPROVED', run);
  },

  'has the environment that was built for it': async (agent) => {
    const { program } = agent;
    const run = await attempt(
      agent,
      inTurn(() => program.shell('env > env.txt; git config user.name >> env.txt')),
    );
    const env = run.contents['env.txt'] ?? '';
    const key = Object.values(program.keys)[0];
    const holds =
      env.includes(`GZA_TASK=${taskId}\n`) &&
      /^GZA_AGENT=/m.test(env) &&
      /^GZA_SPOOL=/m.test(env) &&
      /^gza agent$/m.test(env);
    // The key is with the model proxy: only what asks the model in the agent's place knows it.
    const isHeld =
      !env.includes(key) && run.requests.every(({ headers }) => JSON.stringify(headers).includes(key));
    return unless(
      holds && isHeld && !env.includes(canary) && !env.includes('MY_OWN') && !run.log.includes(key),
      run,
    );
  },

  'takes a prompt of 300 KB': async (agent) => {
    const run = await attempt(agent, () => ({ text: answer }), {
      prompt: `-x ${'word '.repeat(60_000)} THE-END`,
    });
    return unless(run.result.kind === 'ok' && run.requests.some(({ raw }) => raw.includes('THE-END')), run);
  },

  'goes on with a session, counting only the new run': async (agent) => {
    const first = await attempt(agent, () => ({ text: 'The word is ZEBRA.' }), {
      prompt: 'FIRST',
      keep: true,
    });
    const { sessionId: resume, sessionTotals } = first.result;
    const second = await attempt(agent, () => ({ text: answer }), {
      prompt: 'SECOND',
      tree: first.tree,
      resume,
      sessionTotals,
    });
    const remembered = second.requests.some(
      ({ raw }) => raw.includes('SECOND') && raw.includes('FIRST') && raw.includes('ZEBRA'),
    );
    const same = JSON.stringify(first.result.usage) === JSON.stringify(second.result.usage);
    const close = Math.abs(first.result.costUsd - second.result.costUsd) < 1e-9;
    return unless(
      remembered && same && close && second.result.sessionId === resume && second.result.kind === 'ok',
      second,
    );
  },

  'says that a session is not there': async (agent) => {
    const run = await attempt(agent, () => ({ text: answer }), {
      resume: '00000000-0000-4000-8000-000000000000',
    });
    return unless(['session', 'crash', 'config'].includes(run.result.kind) && run.result.error, run);
  },

  '401: the key is wrong': async (agent) => {
    const run = await attempt(agent, () => ({ status: 401, message: 'invalid x-api-key' }));
    return unless(run.result.kind === 'auth', run);
  },

  'without a key': async (agent) => {
    if (['opencode', 'copilot'].includes(agent.name)) return { skipped: 'may have none' };
    const run = await attempt(agent, () => ({ text: answer }), { keys: {} });
    return unless(run.result.kind === 'auth' && run.requests.length === 0, run);
  },

  '429: too many requests': async (agent) => {
    const run = await attempt(agent, () => ({ status: 429 }), {
      limits: { timeoutMs: 120_000, idleMs: 110_000 },
    });
    return unless(run.result.kind === 'rate_limit', run);
  },

  '500: the model is broken': async (agent) => {
    const run = await attempt(agent, () => ({ status: 500 }), {
      limits: { timeoutMs: 120_000, idleMs: 110_000 },
    });
    return unless(['server', 'overloaded'].includes(run.result.kind), run);
  },

  '404: there is no such model': async (agent) => {
    const run = await attempt(agent, () => ({ status: 404, message: noModel(agent) }), { limits: patient });
    return unless(run.result.kind === 'model', run);
  },

  'the prompt is too long for the model': async (agent) => {
    // Some would have the model shorten it, which is too long for that as well.
    const run = await attempt(agent, () => ({ status: 400, message: tooLong(agent) }), {
      limits: patient,
      always: true,
    });
    return unless(run.result.kind === 'context', run);
  },

  'an empty answer': async (agent) => {
    const run = await attempt(agent, () => ({ text: '' }), { limits: patient });
    return unless(run.result.kind === 'empty', run);
  },

  'an answer that is filtered': async (agent) => {
    if (['gemini', 'copilot'].includes(agent.name)) return { skipped: 'does not say why an answer ended' };
    const run = await attempt(agent, () => ({ text: 'I', filtered: true }), { limits: patient });
    return unless(run.result.kind === 'refused', run);
  },

  '529 or 503: the model is overloaded': async (agent) => {
    const status = agent.name === 'claude' ? 529 : 503;
    const run = await attempt(agent, () => ({ status, message: 'Overloaded' }), { limits: patient });
    return unless(run.result.kind === 'overloaded', run);
  },

  'its program is killed': async (agent) => {
    const { program } = agent;
    // As the system does when memory is short.
    const kill = `node -e "const f=require('fs');for(const p of f.readdirSync('/proc'))if(/^[0-9]+/.test(p)&&p!=process.pid)try{if(f.readFileSync('/proc/'+p+'/environ','latin1').includes('GZA_TASK=${taskId}'))process.kill(+p,'SIGKILL')}catch{}"`;
    const run = await attempt(
      agent,
      inTurn(() => program.shell(kill)),
      { limits: patient },
    );
    return unless(run.result.kind === 'killed' && /killed by SIGKILL/.test(run.result.error), run);
  },

  '500 twice, then fine': async (agent) => {
    let failures = 0;
    const run = await attempt(agent, () => ((failures += 1) <= 2 ? { status: 500 } : { text: answer }));
    return unless(run.result.kind === 'ok', run);
  },

  'the stream is dropped': async (agent) => {
    const run = await attempt(agent, () => ({ drop: true }), {
      limits: { timeoutMs: 120_000, idleMs: 110_000 },
    });
    return unless(run.result.kind !== 'ok', run);
  },

  'the model hangs: ended for idleness, nothing left': async (agent) => {
    const run = await attempt(agent, () => ({ hang: true }), {
      limits: { idleMs: 10_000, timeoutMs: 60_000 },
    });
    const holds = run.result.kind === 'timeout' && run.process.killedBy === 'idle';
    return unless(holds, run);
  },

  'a tool never ends: ended at the time limit, nothing left': async (agent) => {
    const { program } = agent;
    const run = await attempt(
      agent,
      inTurn(() => program.shell('tail -f /dev/null & tail -f /dev/null')),
      {
        // Time enough for the slowest to start its tool on a busy machine.
        limits: { timeoutMs: 30_000, graceMs: 8000 },
      },
    );
    // Two write down what an answer cost only when the tools it asked for have run.
    const counted = ['codex', 'opencode'].includes(agent.name) || run.result.usage?.output === 50;
    return unless(run.result.kind === 'timeout' && counted && run.requests.length > 0, run);
  },

  'what it left in the background is ended': async (agent) => {
    const { program } = agent;
    const run = await attempt(
      agent,
      inTurn(() => program.shell('nohup setsid tail -f /dev/null >/dev/null 2>&1 &')),
    );
    return unless(run.result.kind === 'ok', run);
  },

  'reaches its turn limit': async (agent) => {
    const { program } = agent;
    const run = await attempt(agent, ({ results }) => ({ tool: program.shell(`echo turn ${results}`) }), {
      maxTurns: 3,
    });
    const holds =
      run.result.kind === 'max_turns' && run.result.usage.output >= 100 && run.requests.length < 20;
    return unless(holds, run);
  },

  'is ended at its budget in the middle of an answer, and shows why': async (agent) => {
    const run = await attempt(agent, () => ({ text: 'word '.repeat(20_000) }), { budgetUsd: 0.02 });
    const { kind, error, costUsd } = run.result;
    // One has a budget of its own, and words of its own for it.
    const shown = /gza: the budget of \$0\.02 is used up|Reached maximum budget/.test(
      run.log.split('# ended:')[0],
    );
    const holds =
      kind === 'budget' && error.includes('the budget of $0.02') && costUsd >= 0.02 && costUsd < 0.1;
    return unless(holds && shown && run.requests.length < 6, run);
  },

  'reaches its budget': async (agent) => {
    const { program } = agent;
    const run = await attempt(
      agent,
      ({ results }) => ({ tool: program.shell(`sleep 0.3; echo ${results}`) }),
      { budgetUsd: 0.008 },
    );
    return unless(
      run.result.kind === 'budget' && run.result.costUsd >= 0.008 && run.requests.length < 30,
      run,
    );
  },
};
