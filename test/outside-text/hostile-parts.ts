/** What functions take that want more than a text, with hostile text in it. */
import { board, item, viewOf } from '../core/world.ts';

export const lines = (text: string) => text.split('\n');
/** No path in a patch may be longer. */
export const paths = (text: string) => text.match(/[^]{1,1000}/g) ?? [];
export const never = () => false;
export const given = (text: string) => ({ id: 'a', title: text, content: text, acceptance_criteria: [text] });
export const task = (text: string) => item(given(text)).task;
export const view = (text: string) => viewOf(board([given(text)]), 'a');
export const blockOf = (text: string) => ({ lines: [], blocks: [{ info: '', line: 1, text }], charsCut: 0 });
export const boardFacts = (text: string) => ({ board: board([given(text)]), decisions: [], notices: [text] });
export const finding = (text: string) => ({
  severity: 'blocker',
  file: 'a.ts',
  line: 1,
  claim: text,
  evidence: text,
  fix: text,
  fingerprint: '0123456789abcdef',
});
export const check = (text: string) => ({
  name: 'tests',
  command: 'npm test',
  ok: false,
  reason: text,
  seconds: 1,
  results: null,
  output: text,
});
const said = (text: string) => ({ id: 1, author: 'ada', isOurs: false, isBot: false, text });
export const thread = (text: string) => ({
  kind: 'line',
  file: text,
  line: 1,
  isResolved: false,
  said: [said(text), { ...said(text), isOurs: true }, said(text)],
});

export const context = (text: string) => ({
  task: task(text),
  step: 'improve',
  cycle: 1,
  nonce: '0123456789abcdef',
  cyclesMax: 3,
  attempt: 2,
  lane: { branch: 'gza/a', base: 'main' },
  commits: 'engine',
  plan: { id: 'p', path: text, text },
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
