/**
 * How outside text reaches the functions of src/. A function of src/core whose parameters are all text is called by
 * itself, with hostile text in each of them; what needs more stands here, by file and name.
 */
import { readFileSync } from 'node:fs';
import { board, item, viewOf } from '../core/world.ts';
import type { ExportedFunction } from './exported-functions.ts';

/** The arguments of one call. */
type Arguments = (text: string) => readonly unknown[];

const lines = (text: string) => text.split('\n');
/** No path in a patch may be longer. */
const paths = (text: string) => text.match(/[^]{1,1000}/g) ?? [];
const never = () => false;
const given = (text: string) => ({ id: 'a', title: text, content: text, acceptance_criteria: [text] });
const task = (text: string) => item(given(text)).task;
const view = (text: string) => viewOf(board([given(text)]), 'a');
const blockOf = (text: string) => ({ lines: [], blocks: [{ info: '', line: 1, text }], charsCut: 0 });
const boardFacts = (text: string) => ({ board: board([given(text)]), decisions: [], notices: [text] });
const finding = (text: string) => ({
  severity: 'blocker',
  file: 'a.ts',
  line: 1,
  claim: text,
  evidence: text,
  fix: text,
  fingerprint: '0123456789abcdef',
});
const check = (text: string) => ({
  name: 'tests',
  command: 'npm test',
  ok: false,
  reason: text,
  seconds: 1,
  results: null,
  output: text,
});
const said = (text: string) => ({ id: 1, author: 'ada', isOurs: false, isBot: false, text });
const thread = (text: string) => ({
  kind: 'line',
  file: text,
  line: 1,
  isResolved: false,
  said: [said(text), { ...said(text), isOurs: true }, said(text)],
});

/** Functions of src/core that take more than text. */
export const coreArguments: Readonly<Record<string, Arguments>> = {
  'body-block.ts mergeTicks': (text) => [text, text],
  'boxes.ts printBox': (text) => [{ name: 'approve', task: text }, text],
  'boxes.ts tickBoxes': (text) => [text, [{ name: 'approve', task: null }]],
  'find-json.ts findJson': (text) => [blockOf(text), text, 'a'],
  'keep-ends.ts keepEnds': (text) => [text, 1000, 1000],
  'keep-ends.ts joinEnds': (text) => [text, 10, text],
  'layers.ts layerOf': (text) => [text],
  'list-items.ts openItems': (text) => [[], text],
  'match-glob.ts matchGlob': (text) => ['**/*a*/**/b*', text],
  'milestones.ts milestoneOrder': (text) => [lines(text), lines(text)],
  'nearest-word.ts nearestWord': (text) => [text, ['approve', 'review', text]],
  'neutralise.ts neutraliseText': (text) => [text, 'commit'],
  'neutralise.ts neutraliseLine': (text) => [text, 'commit', 72],
  'one-line.ts oneLine': (text) => [text, 80],
  'parse-patch.ts parsePatch': (text) => [text],
  'part-affinity.ts criterionAffinity': (text) => [text, { words: new Set(['a']), talk: new Set(['a']) }],
  'part-affinity.ts fileAffinity': (text) => [text, { words: new Set(['a']), talk: new Set(['a']) }],
  'part-affinity.ts nameAffinity': (text) => [text, { words: new Set(['a']), talk: new Set(['a']) }],
  'plan-fields.ts readPlanFields': (text) => [lines(text), never],
  'price.ts priceOf': (text) => [{ 'claude-*': {} }, text],
  'prompt-words.ts lastBounded': (text) => [text, (one: string) => one],
  'shard-text.ts editShard': (text) => [text, new Map()],
  'spool.ts parseSpool': (text) => [
    text,
    { runTask: 'a', laneTasks: new Set(['a']), idsKnown: new Set(['a']), capLeft: 9 },
  ],
  'spool.ts provisionalId': (text) => [text, text, never],
  'template.ts parseTemplate': (text) => [{ text, file: 'a' }, ['a']],
  'text/inline-text.ts namedTitle': (text) => ['a', text, 200],
  'text/inline-text.ts quotedText': (text) => [text, 2000],
  'text/decision-words.ts decisionWords': (text) => [text, never],
  'text/review-body.ts reviewBody': (text) => [text, [{ path: text, line: 1, body: text }], 60_000],
  'fold-path.ts findCollisions': (text) => [paths(text), paths(text)],
  'parse-arguments.ts parseArguments': (text) => [lines(text), { options: [], arguments: [] }],
  'parse-findings.ts findingsOf': (text) => [blockOf(text), text],
  'patch.ts keepChanges': (text) => [text, []],
  'person-answer.ts answersToPeople': (text) => [[], [], text],
  'read-finding.ts readFinding': (text) => [
    { severity: text, file: text, claim: text, evidence: text, fix: text },
    text,
  ],
  'task-of.ts taskOf': (text) => [
    'a',
    { id: 'a', title: text, prompt: text, acceptance_criteria: lines(text).slice(0, 200) },
    {},
    () => {},
  ],
  'text/board-issue.ts fitBoardIssue': (text) => [text, boardFacts(text)],
  'text/watch.ts drawing': (text) => [text, text, true],
  'text/work.ts reviewText': (text) => [{ id: 'a', step: 'review', cycle: 1 }, text, text],
  'text/tracker-issue.ts issueLabel': (text) => ['gza: ', text],
};

/** Functions of src/core that get no text from outside, or only what was checked and bounded before. */
export const exempt: Readonly<Record<string, string>> = {
  'add-tasks-text.ts addTasksText': 'a file that readYaml has read',
  'add-tasks-text.ts isTaskList': 'a file that readYaml has read',
  'edit-task-text.ts editTaskText': 'a file that readYaml has read',
  'edit-task-text.ts openTaskDocument': 'a file that readYaml has read',
  'edit-task-text.ts removeTaskText': 'a file that readYaml has read',
  'edit-task-text.ts sameTasks': 'a file that readYaml has read',
  'match-glob.ts compileGlobs': 'patterns of which globProblem had nothing to say',
  'adjacency.ts adjacency': 'ids',
  'apply-claims.ts liveClaim': 'a time',
  'apply-step.ts addStep': 'a time',
  'apply-task.ts refuse': 'words of gza',
  'file-dependencies.ts keepAcyclic': 'ids',
  'file-dependencies.ts droppedWarning': 'ids',
  'find-cycles.ts findCycles': 'ids',
  'nearest-word.ts editDistance': 'words of at most 40 characters',
  'progress.ts verdictOn': 'a hash',
  'ready-order.ts readyOrder': 'ids',
  'report-graphs.ts reportGraphs': 'labels of tasks',
  'task-problem.ts taskProblem': 'words of gza',
  'text/doctor.ts printDoctor': "a repository's name",
  'text/help.ts overviewText': 'words of gza',
  'text/help.ts usageLine': 'words of gza',
  'text/help.ts verbHelpText': 'words of gza',
  'text/lists.ts count': 'words of gza',
  'text/lists.ts statusText': 'words of gza',
  'text/man.ts manPage': 'words of gza',
  'text/outline.ts positionPath': 'an id',
  'text/score.ts describeSplit': 'an id',
  'text/sync.ts syncText': 'the name of a remote',
  'text/work.ts completedText': 'an id and a verdict',
  'time.ts addSeconds': 'a time',
  'tops-of-stacks.ts topsOfStacks': 'names of branches',
  'wanted-issues.ts toldTasks': 'a time',
};

const context = (text: string) => ({
  task: task(text),
  step: 'improve',
  cycle: 1,
  cyclesMax: 3,
  attempt: 2,
  lane: { branch: 'gza/a', base: 'main' },
  commits: 'engine',
  plan: { id: 'p', text },
  dependencies: [
    {
      id: 'd',
      title: text,
      type: 'explore',
      status: 'completed',
      summary: text,
      commit: null,
      branch: null,
      text,
    },
  ],
  outline: text,
  diff: {
    text,
    isTooLarge: false,
    files: [{ path: text, added: 1, removed: 1 }],
    base: 'main',
    head: 'gza/a',
  },
  verification: { isOk: false, text },
  checks: ['npm test'],
  strategy: text,
  review: { text, findings: [finding(text)] },
  earlierFindings: [{ cycle: 1, finding: finding(text), answer: null }],
  humanComments: [{ author: 'ada', file: null, line: null, text }],
  guidance: text,
  notes: [text],
  protectedPaths: [],
  ralph: null,
  resumeHint: text,
});

/** What takes outside text inside of something else, and functions of other rooms: `file name` → its arguments. */
export const besides: Readonly<Record<string, Arguments>> = {
  'core/build-prompt.ts buildPrompt': (text) => [context(text)],
  'core/commit-message.ts commitMessage': (text) => [
    {
      purpose: { kind: 'wip', reason: text },
      title: text,
      taskId: text,
      summary: text,
      subjects: lines(text),
    },
  ],
  'core/conversation.ts peopleSaid': (text) => [[thread(text)], () => true, new Set()],
  'core/conversation.ts answeredIn': (text) => [[thread(text)]],
  'core/describe-event.ts describeEvent': (text) => [{ kind: 'note', at: '', id: 'a', text }],
  'core/finding.ts makeFindings': (text) => [[finding(text), finding(`${text}.`)]],
  'core/judge-run.ts judgeRun': (text) => [
    {
      name: 'tests',
      command: text,
      exitCode: 1,
      signal: null,
      endedBy: undefined,
      spawnError: undefined,
      seconds: 1,
      output: text,
      expectsTests: true,
    },
  ],
  'core/parse-config.ts parseConfig': (text) => [{ gza: text }],
  'core/retry-strategy.ts retryStrategy': (text) => [
    [{ error: text, verification: { ok: false, checks: [check(text)] }, summary: text, sameErrorTimes: 1 }],
  ],
  'core/score.ts scoreTask': (text) => [task(text)],
  'core/split.ts splitTask': (text) => [{ ...task(text), files_to_modify: ['a.ts', 'b.sql', 'c.css'] }, []],
  'core/breakdown.ts breakDown': (text) => [
    {
      file: 'plan.md',
      plan: text,
      group: 'a',
      criteria: [],
      taken: never,
      exists: never,
      score: {},
      split: false,
    },
  ],
  'core/text/command-answer.ts printAnswer': (text) => [
    { commentId: 1, outcomes: [{ command: text, kind: 'done', text, details: text }], problems: [] },
  ],
  'core/text/command-answer.ts whyAnswer': (text) => [
    [{ task: 'a', rule: 'a', because: text, change: text, action: { kind: 'wait' } }],
    never,
  ],
  'core/text/pull-body.ts printPullBlock': (text) => [
    { board: board([given(text)]), tasks: [view(text)], decisions: [] },
    60_000,
  ],
  'core/text/pull-title-and-labels.ts pullTitle': (text) => [[view(text)]],
  'core/text/review-comment.ts printInlineComment': (text) => [finding(text), 1],
  'core/text/review-comment.ts printReviewComment': (text) => [
    {
      verdict: 'CHANGES_REQUESTED',
      cycle: 1,
      cyclesMax: 3,
      findings: [finding(text)],
      inline: [],
      repeated: [],
    },
  ],
  'core/text/show.ts showText': (text) => [view(text)],
  'core/text/step-summary.ts printStepSummary': (text) => [
    {
      ...boardFacts(text),
      job: text,
      said: text,
      rows: [{ task: text, step: 'plan', outcome: text }],
      notices: [text],
    },
  ],
  'core/text/tracker-issue.ts issueText': (text) => [view(text), { blockedBy: [], link: text }],
  'core/title.ts titleOf': (text) => [text],
  'agents/failure-kind.ts failureKind': (text) => [{ message: text, stderr: text }],
  'agents/failure-kind.ts lastWords': (text) => [{ stderr: text, code: 1, signal: null }],
  'agents/json-line.ts jsonLine': (text) => [text],
  'agents/print-event.ts printEvent': (text) => [{ kind: 'tool', name: 'a', phase: 'start', detail: text }],
  'agents/redact.ts redact': (text) => [text, ['a secret value', text.slice(0, 60)]],
  'agents/redact-spool.ts redactSpool': (text) => [text, ['a secret value', text.slice(0, 60)]],
  'agents/split-command.ts splitCommand': (text) => [text],
  'agents/structured-text.ts structuredText': (text) => [text],
  'agents/tame.ts tame': (text) => [text],
  'agents/tame.ts withoutCommands': (text) => [text],
  'agents/words.ts words': (text) => [text],
  'engine/step-record.ts firstLine': (text) => [text],
  'forge/github/explain.ts wordsOf': (text) => [{ body: { message: text, errors: [text] } }],
  'git.ts gitFailure': (text) => [['push', text], { code: 1, stdout: Buffer.from(text), stderr: text }],
  'jobs/claim-life.ts parseCiRun': (text) => [text],
  'jobs/hand-over.ts hasOpenBoxes': (text) => [text],
  'jobs/parse-json.ts parseJson': (text) => [text],
  'jobs/runner-files.ts annotation': (text) => ['error', text],
  'jobs/told.ts readTold': (text) => [text],
  'jobs/verification-file.ts believedVerification': (text) => ['failure', text],
  'ledger/read-refs.ts isBranchName': (text) => [text],
  'ledger/read-refs.ts unreadableRepository': (text) => [text],
  'trackers/linear/entity-id.ts isEntityId': (text) => [text],
  'trackers/linear/entity-id.ts issueNumber': (text) => [text],
};

/** By which outside text is called where it comes in; a function with such a parameter stands in a table. */
const outsideNames = /^(?:text|line|body|said|output|markdown|message|stderr|stdout|note|answer|raw)$/;

/** In other rooms than core: they write what they are given and do not look at it, or read what gza wrote. */
export const trusted: ReadonlySet<string> = new Set([
  'backlog/edit-task-file.ts writeNewTaskFile',
  'backlog/snapshot.ts filesOfSnapshot',
  'backlog/snapshot.ts parseSnapshot',
  'engine/progress-lines.ts sayOf',
  'kept-answer.ts keepAnswer',
  'jobs/runner-files.ts writeSummary',
  'jobs/told.ts bodyTelling',
  'jobs/hand-over.ts tickDone',
]);

/** How to call a function with hostile text; 'exempt' where there is a reason, 'unknown' where nobody said. */
export function callsOf(one: ExportedFunction): readonly Arguments[] | 'exempt' | 'unknown' | 'no text' {
  const key = `${one.file} ${one.name}`;
  const own = besides[key];
  if (own !== undefined) return [own];
  const core = one.file.startsWith('core/') ? key.slice('core/'.length) : null;
  const texts = one.parameters.filter(({ kind }) => kind !== 'other');
  if (core === null) {
    const isOutside = !one.isAsync && texts.some(({ name }) => outsideNames.test(name));
    return isOutside ? (trusted.has(key) ? 'exempt' : 'unknown') : 'no text';
  }
  const listed = coreArguments[core];
  if (listed !== undefined) return [listed];
  if (core in exempt) return 'exempt';
  if (texts.length === 0) return 'no text';
  const needed = one.parameters.filter(({ isOptional, kind }) => !isOptional || kind !== 'other');
  if (needed.some(({ kind }) => kind === 'other')) return 'unknown';
  return needed.map(
    (_, hostile): Arguments =>
      (text) =>
        needed.map(({ kind }, at) => {
          const words = at === hostile ? text : 'a';
          return kind === 'texts' ? lines(words) : words;
        }),
  );
}

/** What a real agent printed, with hostile text in the place of all its words. */
export function hostileRecording(agent: string, text: string): string[] {
  const path = `${import.meta.dirname}/../fixtures/recorded/${agent}/writes.stdout`;
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(-10)
    .flatMap((line) => {
      if (!line.startsWith('{')) return [text];
      const keepsKind = (key: string, value: unknown) =>
        typeof value === 'string' && !/^(?:type|subtype|role|status|kind|name|phase)$/.test(key)
          ? text
          : value;
      return JSON.stringify(JSON.parse(line), keepsKind);
    });
}
