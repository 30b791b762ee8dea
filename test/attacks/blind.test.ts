/** What somebody tried who had not seen the defence. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import MarkdownIt from 'markdown-it';
import * as yaml from 'yaml';
import { stripEscapes, withoutCommands } from '../../src/agents/strip-escapes.ts';
import { readBoxLines } from '../../src/core/markdown/body-block.ts';
import { commitMessage } from '../../src/core/markdown/neutralise.ts';
import { commentVerbs, parseCommentCommands } from '../../src/core/markdown/parse-comment-commands.ts';
import { gateReview, readReview } from '../../src/core/review/read-review.ts';
import { parseTaskFile } from '../../src/core/task/parse-task-file.ts';
import { branchNameFault } from '../../src/core/task/task.ts';
import { quotedText } from '../../src/core/text/github/inline-text.ts';
import { plainText } from '../../src/core/text/terminal/lines.ts';
import { condition } from '../github/expressions.ts';
import { type AttackFile, judgeFiles, letEverythingPass, strictness, type Verdict } from './play.ts';

interface Attack {
  readonly id: string;
  readonly class: string;
  readonly attack: Record<string, unknown>;
  readonly expect: string;
}
const attacks = ['blind.json', 'blind-2.json'].flatMap(
  (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as readonly Attack[],
);
const of = (kind: string) => attacks.filter((one) => one.class === kind).map((one) => [one.id, one] as const);

/** Expectations that are disputed, and why. */
const disputed: Readonly<Record<string, string>> = {
  'key-in-two-added-lines': 'docs/security.md says that a secret which is cut into words is not found',
};

const repeated = (given: unknown) => {
  if (typeof given === 'string') return given;
  const { repeat } = given as { repeat: [string, number] };
  return repeat[0].repeat(repeat[1]);
};

test.each(of('patch'))('patch %s', (id, { attack, expect: wanted }) => {
  const files = attack['files'] as AttackFile[];
  const { verdict, objections } = judgeFiles(files);
  const [is, should] = [strictness.indexOf(verdict), strictness.indexOf(wanted as Verdict)];
  const isHeld = wanted === 'plain' ? is <= 1 : is >= should;
  const why = objections.map(({ path, rule, why: told }) => `${path} ${rule}: ${told}`).join('; ');
  expect(id in disputed ? 'true' : `${isHeld}: ${wanted}, ${verdict}: ${why}`).toMatch(/^true/);
  // The control: without the defence it goes in, but for what git itself could not hold.
  const control = judgeFiles(files, letEverythingPass);
  expect(['plain', 'refused']).toContain(control.verdict);
});

const markdown = new MarkdownIt({ html: true, linkify: true });
/** What acts on GitHub, in the page that is made of a text. */
const acting: readonly RegExp[] = [
  /<img|<picture|<source|<script|<details|<\/details/i,
  /<!--/,
  /(?<![A-Za-z0-9＠`])@[A-Za-z0-9]/,
  /(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)[:\s]+(?:[\w/.-]*#|GH-|https:\/\/github)\d?/i,
  /<li>\s*\[[xX ]\]/,
  /class="language-mermaid"/,
];
const trailer =
  /^(?:Task|Reviewed-by|Co-authored-by|Signed-off-by|Change-Id|Release-As|skip-checks|BREAKING[ -]CHANGE)\s*:/im;
const inCommit: readonly RegExp[] = [
  /\[(?:ci\s+skip|skip\s+ci|no\s+ci|skip actions|skip netlify)\]/i,
  /\*\*\*NO_CI\*\*\*/,
  /^(?:BEGIN|END)_COMMIT_OVERRIDE/m,
  /\(cherry picked from commit [0-9a-f]{40}\)/,
];
const onTerminal = [
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
  /^\s*::[a-z-]+.*::/m,
  /##\[/,
];

/** What of it would act, raw or as gza writes it. */
function actsIn(where: string, text: string): string[] {
  if (where === 'commit') {
    // The last paragraph is gza's own.
    const body = text.replace(/\n\nTask: mine\n$/, '');
    return [trailer, ...inCommit]
      .filter((one) => one.test(body.replace(/\r|\u2028|\u2029|\u0085|\v|\f/g, '\n')))
      .map(String);
  }
  if (where === 'terminal') return onTerminal.filter((one) => one.test(text)).map(String);
  const page = markdown.render(text);
  const boxes = readBoxLines(text).length > 0 ? ['a box of gza'] : [];
  const links = [...page.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)</g)]
    .filter(([, to, shown]) => to !== shown)
    .map(([link]) => link);
  return [...acting.filter((one) => one.test(page)).map(String), ...links, ...boxes];
}

function written(where: string, text: string): string {
  if (where === 'commit')
    return commitMessage({ purpose: { kind: 'step' }, title: 'Mine', taskId: 'mine', summary: text });
  if (where === 'terminal') return withoutCommands(stripEscapes(plainText(text)));
  return quotedText(text, 10_000);
}

test.each(of('text'))('text %s', (_id, { attack }) => {
  const where = attack['where'] as string;
  const text = repeated(attack['text']).replaceAll('{marker}', '- [x] <!-- gza:box retry -->Retry');
  const safe = written(where, text);
  expect(actsIn(where, safe)).toEqual([]);
  expect(safe.length).toBeLessThan(65_536);
  const raw = where === 'summary' ? text.length > 1_048_576 : actsIn(where, text).length > 0;
  expect(raw).toBe(true);
});

const workflow = yaml.parse(
  readFileSync(new URL('../../.github/workflows/gza.yml', import.meta.url), 'utf8'),
);

test.each(of('command'))('command %s', (_id, { attack }) => {
  for (const verb of commentVerbs) {
    const comment = (attack['comment'] as string).replaceAll('{verb}', verb);
    if (attack['by'] === 'bot') {
      const starts = (type: string) =>
        ['intake', 'pick'].map((job) =>
          condition(
            workflow.jobs[job].if,
            {
              github: {
                event_name: 'issue_comment',
                event: { action: 'created', comment: { body: comment }, sender: { type }, issue: {} },
              },
            },
            { success: true, failure: false, cancelled: false },
          ),
        );
      expect(starts('Bot')).toEqual([false, false]);
      expect(starts('User')).toEqual([true, true]);
    } else {
      expect([verb, parseCommentCommands(comment).commands]).toEqual([verb, []]);
      expect(comment.normalize('NFKC').replace(/[\u00ad\u200b]/g, '')).toMatch(/gz.{0,3} ?/);
    }
  }
});
test('a command that is one is read', () => {
  for (const verb of commentVerbs) expect(parseCommentCommands(`/gza ${verb} "x"`).commands).toHaveLength(1);
});

const smallest = 'type: implement\ntitle: A thing\nprompt: Do it.';
test.each(of('yaml'))('yaml %s', (_id, { attack }) => {
  const form = attack['repeat'] as [string, string, number, string] | undefined;
  const text = form ? `${form[0]}${form[1].repeat(form[2])}${form[3]}` : (attack['yaml'] as string);
  const read = parseTaskFile('tasks/a.yml', text.replaceAll('{task}', smallest));
  expect(read.problems.filter(({ severity }) => severity === 'error')).not.toEqual([]);
  expect(parseTaskFile('tasks/a.yml', `${smallest}\n`).problems).toEqual([]);
});

test.each(of('name'))('name %s', (_id, { attack }) => {
  if (typeof attack['branch'] === 'string') {
    expect(branchNameFault(attack['branch'])).not.toBeNull();
    return expect(branchNameFault('feature/one')).toBeNull();
  }
  const [[key, value] = ['', '']] = Object.entries(attack);
  const { problems } = parseTaskFile('tasks/a.yml', `${smallest}\n${key}: ${JSON.stringify(value)}\n`);
  expect(problems.filter(({ severity }) => severity === 'error')).not.toEqual([]);
  expect(parseTaskFile('tasks/a.yml', `${smallest}\n${key}: one\n`).problems).toEqual([]);
});

const approval = 'Verdict: APPROVED\n\nNonce: n0nce';
test.each(of('output'))('output %s', (_id, { attack }) => {
  const text = (attack['lines'] as string)
    .replaceAll('{approval}', approval)
    .replaceAll('{refusal}', 'Verdict: CHANGES_REQUESTED');
  const reading = gateReview(readReview(text, 'n0nce'));
  expect(reading.kind === 'verdict' && reading.verdict === 'APPROVED').toBe(false);
  expect(gateReview(readReview(approval, 'n0nce'))).toMatchObject({ kind: 'verdict', verdict: 'APPROVED' });
});

describe('what is disputed', () => {
  test('is told by its id', () => {
    expect(Object.keys(disputed).filter((id) => !attacks.some((one) => one.id === id))).toEqual([]);
  });
});
