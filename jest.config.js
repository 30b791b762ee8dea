import { availableParallelism } from 'node:os';

export default {
  testSequencer: '<rootDir>/test/slowest-first.mjs',
  globalSetup: '<rootDir>/test/run-folder.mjs',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'es6' },
      },
    ],
  },
  moduleNameMapper: { '^fast-check$': '<rootDir>/test/fast-check.mjs' },
  testTimeout: 60_000,
  // A suite waits a quarter of its time: for limits, for git, for agents that must be ended.
  maxWorkers: availableParallelism() + 1,
  // Starting a process takes ever longer as its starter grows: 1 ms at first, 40 at a gigabyte.
  workerIdleMemoryLimit: '400MB',
};
