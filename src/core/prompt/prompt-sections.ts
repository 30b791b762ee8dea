/**
 * Turns a step's context into the passages of its prompt. Each passage is cleaned, labelled and limited in
 * length. Its items are indented, so that no text can pass for another item.
 */
import { cleanLine, cleanText, fence, fenceData, showHidden } from '../markdown/neutralise.ts';
import type { Finding } from '../review/finding.ts';
import { donePromise } from '../spool/promise.ts';
import { answersSchemaText, findingsSchemaText, printFinding } from '../text/review.ts';
import type { Section } from './build-prompt.ts';
import type { PromptName, PromptSection } from './prompt-names.ts';
import { dataRule, promptRules } from './prompt-rules.ts';
import type {
  DependencyResult,
  DiffFile,
  EarlierFinding,
  HumanComment,
  StepContext,
  StepDiff,
} from './step-context.ts';

type PromptSections = Readonly<Record<PromptSection, Section>>;

export function promptSectionsOf(context: StepContext, name: PromptName): PromptSections {
  const parts = { ...ownParts(context, name), ...stateParts(context), ...givenParts(context) };
  const show = `\`git tasks show ${taskId(context)}\``;
  const entries = Object.entries(parts).map(([section, given]) => [
    section,
    { text: '', keep: 'start', where: show, wrap: (text: string) => text, ...given, name: section },
  ]);
  return Object.fromEntries(entries) as PromptSections;
}

type Parts = Partial<Omit<Section, 'name'>>;
type PartsOf<Name extends PromptSection> = Record<Name, Parts>;

/** The passages that define the step itself. */
function ownParts(
  context: StepContext,
  name: PromptName,
): PartsOf<'task' | 'criteria' | 'rules' | 'data' | 'result' | 'ralph'> {
  const id = taskId(context);
  const { task, checks, protectedPaths, ralph, nonce } = context;
  const rules = promptRules(name, {
    nonce,
    id,
    checks: inlineCode(checks),
    protectedPaths: inlineCode(protectedPaths),
    allow: inlineCode(task.allow ?? []),
  });
  return {
    task: { text: taskWords(context), isRequired: true, wrap: fence },
    criteria: { text: criteriaWords(context), isRequired: true, wrap: fence },
    rules: { text: rules, isRequired: true },
    data: { text: dataRule, isRequired: true },
    result: { text: promptResult(name, { id, isRalph: ralph !== null, nonce }), isRequired: true },
    ralph: { text: ralphWords(context), isRequired: true },
  };
}

/** Passages from people and earlier runs. */
function stateParts(
  context: StepContext,
): PartsOf<
  'guidance' | 'verification' | 'strategy' | 'resume' | 'review' | 'earlier' | 'comments' | 'notes'
> {
  const id = taskId(context);
  const { verification } = context;
  return {
    guidance: { text: bounded(context.guidance ?? ''), wrap: fence },
    verification: {
      text: verification === null ? '' : lastBounded(verification.text, showHidden),
      keep: 'end',
      where: 'in the output of the checks, run again',
      wrap: data(verification?.isOk === true ? 'The checks succeeded' : 'The checks failed'),
    },
    strategy: { text: bounded(context.strategy ?? ''), wrap: fence },
    resume: { text: bounded(context.resumeHint ?? ''), wrap: data('Left by the last run') },
    review: {
      text: reviewWords(context),
      where: `\`.gza/reviews/${id}-review-${Math.max(1, context.cycle)}.md\``,
      wrap: data('The review: findings, then its whole text'),
    },
    earlier: {
      text: context.earlierFindings.map(earlierWords).join('\n'),
      where: `\`.gza/reviews/${id}-review-*.md\``,
      wrap: data('Earlier findings'),
    },
    comments: {
      text: context.humanComments.map(commentWords).join('\n'),
      where: 'on the pull request',
      wrap: data('Comments'),
    },
    notes: {
      text: context.notes.map((note) => item(bounded(note))).join('\n'),
      keep: 'end',
      wrap: data('Notes'),
    },
  };
}

/** Passages about the work that the step builds on. */
function givenParts(context: StepContext): PartsOf<'files' | 'plan' | 'diff' | 'dependencies' | 'tasks'> {
  const { plan } = context;
  return {
    files: { text: fileWords(context) },
    plan: {
      text: bounded(plan?.text ?? ''),
      where: `\`${cleanLine(plan?.path ?? '', 200)}\``,
      wrap: data(plan ? planName(plan) : 'Plan'),
    },
    diff: diffSection(context.diff),
    dependencies: {
      text: context.dependencies.map(dependencyWords).join('\n'),
      where: '`git tasks show <id>` of each',
      wrap: data('Results of dependencies'),
    },
    tasks: {
      text: bounded(context.outline),
      where: '`git tasks context --all`',
      wrap: data('Tasks around this one'),
    },
  };
}

/** A plan that a person wrote is named by its path only. */
function planName({ id, path }: NonNullable<StepContext['plan']>): string {
  return `Plan ${cleanLine(id, 200)}${path === id ? '' : `, in ${cleanLine(path, 200)}`}`;
}

function data(label: string): Section['wrap'] {
  return (text) => fenceData(text, label);
}

/** The lane's diff. The short form lists each file's numbers and the command that shows the diff. */
function diffSection(diff: StepDiff | null): Pick<Section, 'text' | 'where' | 'wrap'> & { short?: string } {
  if (diff === null) return { text: '', where: '', wrap: (text) => text };
  const summary = diff.files.map(fileLine).join('\n');
  const range = `${revision(diff.base)}...${revision(diff.head)}`;
  const where = `\`git diff ${range}\`, by file: \`git diff ${range} -- <file>\``;
  const label = `Diff ${range}, ${countOf(diff.files)}`;
  const wrap = (text: string) => fenceData(text, label);
  const isWhole = diff.text !== null && !diff.isTooLarge && diff.text.length <= rawCharsMax;
  if (isWhole) return { text: showHidden(diff.text ?? '').trimEnd(), short: summary, where, wrap };
  return { text: summary, where, wrap: (text) => `${wrap(text)}\nToo large to send. Read it: ${where}.` };
}

function fileLine({ path, added, removed }: DiffFile): string {
  const numbers = added === null ? 'binary' : `+${added} -${removed ?? 0}`;
  return `${cleanLine(path, 500)} (${numbers})`;
}

function countOf(files: readonly DiffFile[]): string {
  return `${files.length} file${files.length === 1 ? '' : 's'}`;
}

/** Restricted to characters that are safe in a command line. */
function revision(name: string): string {
  return /^[\w][\w./-]{0,200}$/.test(name) ? name : 'HEAD';
}

/** Restricted to characters that are safe in a command line. */
export function taskId({ task }: StepContext): string {
  return task.id.replace(/[^\w.-]/g, '').slice(0, 64);
}

const wordsMax = 40;

export function inlineCode(words: readonly string[]): string {
  const shown = words.slice(0, wordsMax).map((word) => `\`${cleanLine(word, 500)}\``);
  const more = words.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/** Longer texts are cut before cleaning, because they could never be shown whole. */
const rawCharsMax = 300_000;
const tooLong = '[too long to be read whole]';

function bounded(text: string): string {
  if (text.length <= rawCharsMax) return cleanText(text).trim();
  return `${cleanText(text.slice(0, rawCharsMax)).trim()}\n${tooLong}`;
}

/** For logs, whose end is the most useful part. */
function lastBounded(text: string, clean: (text: string) => string): string {
  if (text.length <= rawCharsMax) return clean(text).trim();
  return `${tooLong}\n${clean(text.slice(-rawCharsMax)).trim()}`;
}

function taskWords({ task }: StepContext): string {
  const asked = bounded(task.content);
  const title = cleanLine(task.title);
  const story = task.user_story === undefined ? '' : `User story: ${bounded(task.user_story)}`;
  // Show the title too, unless the text begins with it.
  const heading = asked.startsWith(title.replace(/…$/, '')) ? '' : title;
  return [heading, asked, story].filter((part) => part !== '').join('\n\n');
}

function criteriaWords({ task }: StepContext): string {
  return (task.acceptance_criteria ?? [])
    .map((text, index) => item(bounded(text), `${index + 1}. `))
    .join('\n');
}

/** A list item. Its later lines are indented, so that none looks like the next item. */
function item(text: string, mark = '- '): string {
  return `${mark}${text.replace(/\n/g, `\n${' '.repeat(mark.length)}`)}`;
}

function fileWords({ task }: StepContext): string {
  const lists: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['Create', task.files_to_create],
    ['Modify', task.files_to_modify],
    ['Tests, which must pass:', task.test_files],
  ];
  return lists
    .flatMap(([label, files]) => (files ?? []).map((file) => `- ${label} ${inlineCode([file])}`))
    .join('\n');
}

function ralphWords({ ralph }: StepContext): string {
  if (ralph === null) return '';
  return `This is round ${ralph.round} of at most ${ralph.max}. Each round begins in a fresh session and ends with the checks. What earlier rounds did is in the work tree: look at it first, and go on from there.`;
}

/** The parsed findings, blockers first, then the whole text of the review, because it may say more. */
function reviewWords({ review }: StepContext): string {
  if (review === null) return '';
  const { findings, text } = review;
  if (findings.length === 0) return bounded(text);
  const isBlocker = (finding: Finding) => finding.severity === 'blocker';
  const ordered = [...findings.filter(isBlocker), ...findings.filter((one) => !isBlocker(one))];
  const list = ordered.map((finding) => bounded(printFinding(finding))).join('\n');
  return `${list}\n\nThe whole review, with all that is no finding above:\n\n${bounded(text)}`;
}

function earlierWords({ cycle, finding, answer }: EarlierFinding): string {
  const said = answer === null ? 'not answered' : `${answer.answer}: ${answer.evidence}`;
  const lines = [bounded(printFinding(finding)), `  - Review ${cycle}; answered: ${cleanLine(said, 2000)}`];
  return lines.join('\n');
}

function commentWords({ author, file, line, text, fingerprint, about }: HumanComment): string {
  const place = file === null ? '' : ` on ${cleanLine(file)}${line === null ? '' : `:${line}`}`;
  const name = fingerprint === undefined ? '' : `[${cleanLine(fingerprint, 16)}] `;
  const on = about === undefined ? '' : `, about the finding ${cleanLine(about, 16)}`;
  return item(`${name}${cleanLine(author, 60)}${place}${on}:\n${bounded(text)}`);
}

function dependencyWords(one: DependencyResult): string {
  const facts = [
    `${one.type}, ${cleanLine(one.status, 40)}`,
    one.branch === null ? '' : `branch ${cleanLine(one.branch)}`,
    one.commit === null ? '' : `commit ${cleanLine(one.commit, 64)}`,
  ];
  const head = `${cleanLine(one.id, 64)}: ${cleanLine(one.title)} (${facts.filter((fact) => fact !== '').join(', ')})`;
  return item([head, bounded(one.summary), bounded(one.text ?? '')].filter((part) => part !== '').join('\n'));
}

interface ResultWords {
  readonly id: string;
  readonly isRalph: boolean;
  readonly nonce: string;
}

export function promptResult(name: PromptName, words: ResultWords): string {
  switch (name) {
    case 'plan':
      return planResult;
    case 'explore':
      return exploreResult;
    case 'review':
      return findingsSchemaText(words.nonce);
    case 'improve':
      return `${summary}\n\n${answersSchemaText()}\n- Every finding and every comment with a fingerprint gets exactly one answer. A follow-up that you leave is "disputed", with the reason.`;
    case 'implement':
      return [believed(words), summary, words.isRalph ? promise : '']
        .filter((part) => part !== '')
        .join('\n\n');
    case 'task':
      return words.isRalph ? `${summary}\n\n${promise}` : summary;
  }
}

const summary = `End with a short summary: what you changed and why, how you verified it (commands and what they said), and what is
left open. Claim nothing that you did not see.`;

const promise = `When everything is done and verified, and only then, print this on a line of its own:

${donePromise}

If it is not, leave the work in a good state and end without that line: the next round goes on from it.`;

function believed({ id }: ResultWords): string {
  return `When you believe that the task is done: \`git tasks done ${id}\`. Whether it is, the checks decide.`;
}

const exploreResult = `Your last message is the exploration, in Markdown: it is stored, and later tasks are given it. In this order:

1. The answer, in a few sentences.
2. What you found, each point with its evidence (\`file:line\`, a command and what it printed).
3. Options with their cost and risk, and the one you would take.
4. What you could not find out.`;

const planResult = `Your last message is the plan, in Markdown: it is stored, and the tasks that build on this one are given it. In this order:

1. The goal, and what is out of scope.
2. The approach, and why not the obvious alternative.
3. The steps in order, with the files that each creates or modifies.
4. How it is verified: tests, commands, what must hold.
5. Risks and open questions. A question that only a person can answer is said to be one.

If the work should be several tasks, propose them in one fenced block at the end. Each must be small enough for one
pull request, and verifiable on its own:

\`\`\`yaml
tasks:
  - id: add-session-store
    title: Store sessions in the database
    type: implement
    prompt: |
      What to do, with all that someone needs who knows only this text and the plan.
    acceptance_criteria:
      - A session survives a restart.
    files_to_create: [src/session-store.ts]
    files_to_modify: [src/server.ts]
    test_files: [test/session-store.test.ts]
  - id: expire-sessions
    title: Expire old sessions
    type: implement
    prompt: |
      …
    depends_on: [add-session-store]
\`\`\``;
