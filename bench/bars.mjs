/** The bars this project sets itself, as ratios within one run. */
import { findResult } from './table.mjs';

const bars = [
  { verb: 'start', program: 'gza', size: 1_000, max: 1.3, name: 'gza --version' },
  { verb: 'ready', program: 'gza', size: 1_000, max: 1.6 },
  { verb: 'ready', program: 'gza', size: 10_000, max: 2.5 },
  { verb: 'add', program: 'gza', size: 10_000, max: 3 },
  { verb: 'ready', program: 'gza, a YAML file each', size: 1_000, max: 1.6 },
  { verb: 'ready', program: 'gza, a YAML file each', size: 10_000, max: 3 },
  { verb: 'ready', program: 'gza, 50 in a YAML file', size: 1_000, max: 1.6 },
  { verb: 'ready', program: 'gza, 50 in a YAML file', size: 10_000, max: 3 },
];

export function barsText(results) {
  const lines = bars.flatMap((bar) => {
    const one = findResult(results, bar);
    const node = findResult(results, { size: bar.size, verb: 'start', program: 'node -e 0' });
    if (!one || one.failed || !node) return [];
    const what = `${bar.name ?? `${bar.program}: ${bar.verb}`} at ${bar.size.toLocaleString('en')}`;
    return [line(what, `bare node`, one.wallMs / node.wallMs, one.cpuMs / node.cpuMs, bar.max)];
  });
  return `Bars (wall, CPU):\n\n${[...lines, ...peerBar(results), ...growthBar(results)].join('\n')}\n`;
}

function line(what, of, wall, cpu, max) {
  return `- ${what}: ${wall.toFixed(2)}, ${cpu.toFixed(2)} times ${of}; at most ${max}: ${wall <= max ? 'met' : 'NOT met'}`;
}

function peerBar(results) {
  const ours = findResult(results, { size: 10_000, verb: 'ready', program: 'gza' });
  const others = results.filter(
    ({ size, verb, program, failed }) =>
      size === 10_000 && verb === 'ready' && !failed && !/^(gza|git)/.test(program),
  );
  if (!ours || others.length === 0) return [];
  const fastest = others.reduce((a, b) => (a.wallMs < b.wallMs ? a : b));
  const times = fastest.wallMs / ours.wallMs;
  return [
    `- gza: ready at 10,000: ${times.toFixed(1)} times less than ${fastest.program}, the fastest peer; at least 5: ${times >= 5 ? 'met' : 'NOT met'}`,
  ];
}

function growthBar(results) {
  return ['gza', 'gza, after a change'].flatMap((program) => {
    const [small, large] = [10_000, 100_000].map((size) =>
      findResult(results, { size, verb: 'ready', program }),
    );
    if (!small || !large || small.failed || large.failed) return [];
    const times = large.wallMs / small.wallMs;
    return [
      `- ${program}: ready at 100,000 takes ${times.toFixed(1)} times as long as at 10,000; at most 10: ${times <= 10 ? 'met' : 'NOT met'}`,
    ];
  });
}
