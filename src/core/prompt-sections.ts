/** From a step's context to the passages of its prompt: made harmless, labelled, each with its bound. */
import type { Section } from './budget-text.ts';
import { diffSection } from './diff-section.ts';
import { cleanLine, cleanText, fence, fenceData, showHidden } from './fence.ts';
import type { Finding } from './finding.ts';
import type { PromptName, PromptSection } from './prompt-names.ts';
import { promptResult } from './prompts/results.ts';
import { dataRule, promptRules } from './prompts/rules.ts';
import type { DependencyResult, EarlierFinding, HumanComment, StepContext } from './step-context.ts';
import { printFinding } from './text/review.ts';

/** More than can ever be shown is not even cleaned. */
const rawCharsMax = 1_000_000;

type Parts = Partial<Omit<Section, 'name' | 'wrap'>> & { readonly wrap?: Section['wrap'] };

export function promptSectionsOf(context: StepContext, name: PromptName): Record<PromptSection, Section> {
  const id = taskId(context);
  const show = `\`git tasks show ${id}\``;
  const { plan, review, verification, cycle } = context;
  const reviewFile = `\`.gza/reviews/${id}-review-${Math.max(1, cycle)}.md\``;
  const planId = plan === null ? '' : cleanLine(plan.id, 64);
  const data = (label: string) => (text: string) => fenceData(text, label);
  const made = (section: PromptSection, parts: Parts): Section => ({
    text: '',
    keep: 'start',
    where: show,
    wrap: (text) => text,
    ...parts,
    name: section,
  });
  const required = (section: PromptSection, text: string, wrap?: Section['wrap']): Section =>
    made(section, { text, isRequired: true, ...(wrap ? { wrap } : {}) });
  return {
    task: required('task', taskWords(context), fence),
    criteria: required('criteria', numbered(context.task.acceptance_criteria ?? []), fence),
    files: required('files', fileWords(context)),
    rules: required('rules', promptRules(name, ruleWords(context))),
    data: required('data', dataRule),
    result: required('result', promptResult(name, { id, isRalph: context.ralph !== null })),
    ralph: required('ralph', ralphWords(context)),
    guidance: made('guidance', { text: bounded(context.guidance ?? ''), wrap: fence }),
    review: made('review', {
      text: reviewWords(review),
      where: reviewFile,
      wrap: data('Findings of the review'),
    }),
    comments: made('comments', {
      text: context.humanComments.map(commentWords).join('\n'),
      where: 'the pull request',
      wrap: data('Comments'),
    }),
    verification: made('verification', {
      text: verification === null ? '' : showHidden(verification.text.slice(-rawCharsMax)).trim(),
      keep: 'end',
      where: 'run the checks again',
      wrap: data(verification?.isOk === true ? 'The checks succeeded' : 'The checks failed'),
    }),
    strategy: made('strategy', { text: bounded(context.strategy ?? '') }),
    resume: made('resume', { text: bounded(context.resumeHint ?? ''), wrap: data('Left by the last run') }),
    plan: made('plan', {
      text: bounded(plan?.text ?? ''),
      where: `\`.gza/plans/${planId}.md\``,
      wrap: data(`Plan ${planId}`),
    }),
    diff: made('diff', diffSection(context.diff)),
    earlier: made('earlier', {
      text: context.earlierFindings.map(earlierWords).join('\n'),
      where: `\`.gza/reviews/${id}-review-*.md\``,
      wrap: data('Earlier findings'),
    }),
    dependencies: made('dependencies', {
      text: context.dependencies.map(dependencyWords).join('\n'),
      where: '`git tasks show <id>` of each',
      wrap: data('Results of dependencies'),
    }),
    notes: made('notes', {
      text: context.notes.map((note) => item(bounded(note))).join('\n'),
      keep: 'end',
      wrap: data('Notes'),
    }),
    tasks: made('tasks', {
      text: bounded(context.outline),
      where: '`git tasks context --all`',
      wrap: data('Tasks around this one'),
    }),
  };
}

/** Fit for a command line. */
export function taskId({ task }: StepContext): string {
  return task.id.replace(/[^\w.-]/g, '').slice(0, 64);
}

export function inlineCode(words: readonly string[]): string {
  return words.map((word) => `\`${cleanLine(word)}\``).join(', ');
}

function bounded(text: string): string {
  return cleanText(text.slice(0, rawCharsMax)).trim();
}

function taskWords({ task }: StepContext): string {
  const asked = bounded(task.content);
  const title = cleanLine(task.title);
  const story = task.user_story === undefined ? '' : `User story: ${bounded(task.user_story)}`;
  // A title of its own says something that the text may not.
  const heading = asked.startsWith(title.replace(/…$/, '')) ? '' : title;
  return [heading, asked, story].filter((part) => part !== '').join('\n\n');
}

function numbered(items: readonly string[]): string {
  return items.map((text, index) => item(bounded(text), `${index + 1}. `)).join('\n');
}

/** Its later lines are indented, so that none of them looks like the next item. */
function item(text: string, mark = '- '): string {
  return `${mark}${text.replace(/\n/g, `\n${' '.repeat(mark.length)}`)}`;
}

function fileWords({ task }: StepContext): string {
  const lists: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['Create', task.files_to_create],
    ['Modify', task.files_to_modify],
    ['Tests to write or extend; they must pass', task.test_files],
  ];
  return lists
    .filter(([, files]) => files !== undefined && files.length > 0)
    .map(([label, files]) => `- ${label}: ${inlineCode(files ?? [])}`)
    .join('\n');
}

function ruleWords(context: StepContext) {
  const { task, checks, protectedPaths } = context;
  return {
    id: taskId(context),
    checks: inlineCode(checks),
    protectedPaths: inlineCode(protectedPaths),
    allow: inlineCode(task.allow ?? []),
  };
}

function ralphWords({ ralph }: StepContext): string {
  if (ralph === null) return '';
  return `This is round ${ralph.round} of at most ${ralph.max}. Each round begins in a fresh session and ends with the checks. What earlier rounds did is in the work tree: look at it first, and go on from there.`;
}

/** Blockers first, so that they are the last to be cut off. */
function reviewWords(review: StepContext['review']): string {
  if (review === null) return '';
  if (review.findings.length === 0) return bounded(review.text);
  const isBlocker = (finding: Finding) => finding.severity === 'blocker';
  const ordered = [...review.findings.filter(isBlocker), ...review.findings.filter((one) => !isBlocker(one))];
  return ordered.map((finding) => bounded(printFinding(finding))).join('\n');
}

function earlierWords({ cycle, finding, answer }: EarlierFinding): string {
  const said = answer === null ? 'not answered' : `${answer.answer}: ${answer.evidence}`;
  const lines = [bounded(printFinding(finding)), `  - Review ${cycle}; answered: ${cleanLine(said, 2000)}`];
  return lines.join('\n');
}

function commentWords({ author, file, line, text }: HumanComment): string {
  const place = file === null ? '' : ` on ${cleanLine(file)}${line === null ? '' : `:${line}`}`;
  return item(`${cleanLine(author, 60)}${place}:\n${bounded(text)}`);
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
