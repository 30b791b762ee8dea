/**
 * No text from outside may keep gza busy: four times the text may take about four times as long, never sixteen. What
 * grows is found by measuring, so that no pattern and no loop is trusted; a new function of src/ that takes outside
 * text fails the first test until it is called here.
 */
import { describe, expect, test } from '@jest/globals';
import { agentNamed } from '../src/agents/agent-named.ts';
import { openLineSplitter } from '../src/agents/line-splitter.ts';
import { GzaError } from '../src/core/errors.ts';
import { openRedactor } from '../src/system/redact.ts';
import { callsOf, hostileRecording } from './outside-text/calls.ts';
import { type ExportedFunction, exportedFunctions } from './outside-text/exported-functions.ts';
import { allShapes, type Shape, shapes } from './outside-text/hostile.ts';

const drawn = process.env['GZA_TEST_SEED'] === 'random' ? allShapes : shapes;
const sizes = [400, 1_600, 6_400, 25_600];
/** Below that, growth cannot be told from noise. */
const noiseMs = 20;
/** Four would be linear, sixteen quadratic. */
const ratioMax = 8;
/** So slow that a text four times as long is not tried. */
const provenMs = 500;

/** Of this process, however busy the machine is. */
function timeOf(run: () => void): number {
  const before = process.cpuUsage();
  try {
    run();
  } catch (error) {
    // A refusal is an answer.
    if (!(error instanceof GzaError)) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const triesMax = 5;

function isTooMuch(time: number, before: number): boolean {
  return time > noiseMs && time > ratioMax * before;
}

/** What grew faster than it may: one sentence, or null. */
function growth(run: (text: string) => void, { name, make }: Shape): string | null {
  const timeFor = (length: number) => {
    const text = make(length);
    return timeOf(() => run(text));
  };
  let before = 0;
  for (const size of sizes) {
    let time = timeFor(size);
    // Other programs and the collector of garbage disturb: what is slow every time is slow.
    for (let tries = 0; isTooMuch(time, before) && tries < triesMax; tries += 1) {
      time = Math.min(time, timeFor(size));
      before = tries === 0 ? timeFor(size / 4) : Math.min(before, timeFor(size / 4));
    }
    // A step of the machine (a cache too small, code not yet compiled) is seen once; a quadratic cost again.
    const goesOn = () => time > provenMs || isTooMuch(timeFor(size * 4), time);
    if (isTooMuch(time, before) && goesOn() && goesOn())
      return `${name}: ${before.toFixed(1)} ms, and ${time.toFixed(1)} for four times as much (${size})`;
    before = time;
  }
  return null;
}

function grown(run: (text: string) => void): string[] {
  return drawn.flatMap((shape) => growth(run, shape) ?? []).slice(0, 5);
}

const functions = exportedFunctions();
const called = functions.flatMap((one) => {
  const calls = callsOf(one);
  return Array.isArray(calls) ? [{ one, calls }] : [];
});

test('each function that takes text from outside is called here, or has a reason why not', () => {
  const unknown = functions.filter((one) => callsOf(one) === 'unknown');
  expect(unknown.map(({ file, name }) => `${file} ${name}`)).toEqual([]);
  expect(called.length).toBeGreaterThan(150);
});

async function moduleOf({ file }: ExportedFunction): Promise<Readonly<Record<string, unknown>>> {
  return (await import(`../src/${file}`)) as Readonly<Record<string, unknown>>;
}

describe('a text that is four times as long takes about four times as long', () => {
  test.each(called.map(({ one, calls }) => [`${one.file} ${one.name}`, one, calls] as const))(
    '%s',
    async (_, one, calls) => {
      const run = (await moduleOf(one))[one.name] as (...given: readonly unknown[]) => unknown;
      for (const call of calls) expect(grown((text) => run(...call(text)))).toEqual([]);
    },
  );

  test.each(['claude', 'codex', 'opencode', 'gemini', 'copilot'])('what %s prints', (name) => {
    const request = { prompt: 'x', cwd: '/r', home: '/h', access: 'full', keys: {} } as const;
    const run = (text: string) => {
      const parser = agentNamed(name).parser(request);
      for (const line of hostileRecording(name, text)) parser.line(line, 'stdout');
      parser.finish({ code: 1, signal: null, now: 0, stderr: text });
    };
    expect(grown(run)).toEqual([]);
  });

  test('a stream in pieces', () => {
    const pieces = (text: string) => text.match(/[^]{1,4000}/g) ?? [];
    const run = (text: string) => {
      const redactor = openRedactor(['a secret value', 'eyJeyJeyJeyJeyJeyJeyJeyJ']);
      const splitter = openLineSplitter();
      for (const piece of pieces(text)) splitter.push(redactor.write(piece));
      splitter.push(redactor.end());
    };
    expect(grown(run)).toEqual([]);
  });
});
