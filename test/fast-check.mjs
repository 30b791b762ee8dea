// What a test gets when it imports fast-check. A run in CI draws the same values each time, so that it fails for what
// a change broke; `npm run soak` draws new ones, and many more, to find what nobody thought of.
import { configureGlobal } from '../node_modules/fast-check/lib/fast-check.js';

const { GZA_TEST_SEED: seed, GZA_TEST_RUNS: runs } = process.env;

configureGlobal({
  ...(seed === 'random' ? {} : { seed: Number(seed ?? 20_261_118) }),
  ...(runs === undefined ? {} : { numRuns: Number(runs) }),
});

export * from '../node_modules/fast-check/lib/fast-check.js';
export { default } from '../node_modules/fast-check/lib/fast-check.js';
