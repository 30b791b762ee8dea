import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { openLiveLines } from '../src/engine/loop/work-run.ts';

function terminal() {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => text };
}

/** What a terminal shows at last: lines that were moved over are gone. */
function shown(text: string): string[] {
  const lines: string[] = [];
  for (const part of text
    .replaceAll('\u001b', '^')
    .split(/(\^\[\d+F\^\[J)|\n/)
    .filter((one) => one !== undefined)) {
    const up = /^\^\[(\d+)F/.exec(part);
    if (up) lines.splice(lines.length - Number(up[1]));
    else if (part !== '') lines.push(part);
  }
  return lines;
}

test('on a terminal each running task has one line below those that stay, cut to the width', async () => {
  const { stream, text } = terminal();
  const lines = openLiveLines(stream, 20);
  lines.say('Running task #a');
  lines.live('a', 'implement: reading a file with a long name');
  lines.live('b', 'review: looks');
  await sleep(200);
  expect(shown(text())).toEqual([
    'Running task #a',
    '  … a implement: re',
    '  … b review: looks'.slice(0, 19),
  ]);
  lines.say('Task b ended');
  lines.live('b', null);
  await sleep(200);
  expect(shown(text())).toEqual(['Running task #a', 'Task b ended', '  … a implement: re']);
  lines.close();
  expect(shown(text())).toEqual(['Running task #a', 'Task b ended']);
});

test('in a pipe there are only lines that stay, and none where nothing is to be said', () => {
  const { stream, text } = terminal();
  const lines = openLiveLines(stream, null);
  lines.live('a', 'implement: reading');
  lines.say('one');
  lines.close();
  expect(text()).toBe('one\n');
  openLiveLines(null, 80).say('nothing');
});

test('in a pipe what runs for long is named now and then, ever more seldom, until it ends', async () => {
  const { stream, text } = terminal();
  const lines = openLiveLines(stream, null, { aliveMs: 50 });
  lines.live('a', 'implement');
  lines.live('a', 'implement: reads');
  await sleep(600);
  lines.live('a', null);
  const seen = text().split('\n').filter(Boolean);
  expect(new Set(seen)).toEqual(new Set(['  … a implement: reads']));
  expect(seen.length).toBeLessThanOrEqual(4);
  await sleep(200);
  expect(text().split('\n').filter(Boolean)).toHaveLength(seen.length);
  lines.close();
});

test('a stream that takes no more is noticed once, and is not written to again', async () => {
  const stream = new PassThrough();
  let noticed = 0;
  const lines = openLiveLines(stream as unknown as NodeJS.WriteStream, null, {
    onClosed: () => (noticed += 1),
  });
  stream.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  await sleep(10);
  lines.say('one');
  lines.say('two');
  await sleep(10);
  expect(noticed).toBe(1);
});
