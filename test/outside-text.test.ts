/**
 * No text from outside may keep gza busy: sixteen times the text may take about sixteen times as long, never 256. What
 * grows is found by measuring, so that no pattern and no loop is trusted; a new function of src/ that takes outside
 * text fails the first test until it is called here.
 */
import { describe, expect, test } from '@jest/globals';
import { agentNamed } from '../src/agents/agent-named.ts';
import { GzaError } from '../src/core/errors.ts';
import { openLineSplitter, openRedactor } from '../src/system/redacted-log.ts';
import { callsOf, hostileRecording } from './outside-text/calls.ts';
import { type ExportedFunction, exportedFunctions } from './outside-text/exported-functions.ts';
import { allShapes, type Shape, shapes } from './outside-text/hostile.ts';

const isSoak = process.env['GZA_TEST_SEED'] === 'random';
const drawn = isSoak ? allShapes : shapes;
/** Ascending, so that what is slow is found with a text that is short. */
const sizes = isSoak ? [1_600, 6_400, 25_600, 51_200] : [1_600, 6_400];
/** Below that, growth cannot be told from noise, and nobody waits. */
const noiseMs = 12;
/** Of the time for a sixteenth of the text: 16 would be linear, 256 quadratic. */
const ratioMax = 100;
/** Other programs, the compiler and the collector of garbage disturb; what is slow each of so many times is slow. */
const triesMax = 25;

/** What this thread took, however busy the machine is and whatever else this process does meanwhile. */
function timeOf(run: () => void): number {
  const [before, began] = [process.cpuUsage(), performance.now()];
  try {
    run();
  } catch (error) {
    // A refusal is an answer.
    if (!(error instanceof GzaError)) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return Math.min((user + system) / 1000, performance.now() - began);
}

/** What grew faster than it may: one sentence, or null. */
function growth(run: (text: string) => void, { name, make }: Shape): string | null {
  const timeFor = (length: number) => {
    const text = make(length);
    return timeOf(() => run(text));
  };
  for (const size of sizes) {
    let time = timeFor(size);
    let part = Number.POSITIVE_INFINITY;
    let tries = 0;
    while (time > noiseMs && !(time <= ratioMax * part && tries > 0)) {
      if (tries === triesMax)
        return `${name}: ${time.toFixed(1)} ms for ${size} characters, and ${part.toFixed(2)} for a sixteenth`;
      tries += 1;
      part = Math.min(part, timeFor(size / 16));
      time = Math.min(time, timeFor(size));
    }
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

describe('a text that is sixteen times as long takes about sixteen times as long', () => {
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
