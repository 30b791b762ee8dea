import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  addUsage,
  dollars,
  listedPrices,
  noUsage,
  priceOf,
  pricesAsOf,
  priceUsage,
  type Usage,
  usageSince,
} from '../../src/core/policy/cost.ts';

const price = { input: 3, cached_input: 0.3, output: 15 };

test('dollars are counted per million tokens, cached input by its own price', () => {
  const usage = { input: 1_000_000, cachedInput: 1_000_000, output: 100_000, reasoning: 50_000 };
  expect(dollars(usage, price)).toBeCloseTo(3 + 0.3 + 1.5, 10);
  expect(dollars(usage, { input: 3, output: 15 })).toBeCloseTo(3 + 3 + 1.5, 10);
  expect(dollars(noUsage, price)).toBe(0);
});

test('a model is found by its name, without its provider, and by the row its name begins with', () => {
  const table = {
    gpt: { input: 1, output: 1 },
    'gpt-5.5': { input: 2, output: 2 },
    'a/b': { input: 3, output: 3 },
  };
  expect(priceOf(table, 'gpt-5.5')).toBe(table['gpt-5.5']);
  expect(priceOf(table, 'openai/gpt-5.5')).toBe(table['gpt-5.5']);
  expect(priceOf(table, 'gpt-5.5-2026-08-01')).toBe(table['gpt-5.5']);
  expect(priceOf(table, 'gpt-4')).toBe(table.gpt);
  expect(priceOf(table, 'a/b')).toBe(table['a/b']);
  expect(priceOf(table, 'gpt-5.50')).toBe(table.gpt);
  for (const name of ['gpt5', 'toString', 'constructor', '', undefined])
    expect(priceOf(table, name)).toBeUndefined();
});

test('what is written into the cache has a price of its own where there is one', () => {
  const usage = { ...noUsage, input: 1_000_000, cacheWrite: 400_000 };
  expect(dollars(usage, { ...price, cache_write: 4 })).toBeCloseTo(0.6 * 3 + 0.4 * 4, 10);
  expect(dollars(usage, price)).toBeCloseTo(3, 10);
});

test('set prices go before those that providers list, and what has neither is unknown, not free', () => {
  const million = { ...noUsage, input: 1_000_000 };
  const models = { 'gpt-5.5': million, 'claude-opus-5-20260101': million, 'my-own': million };
  expect(priceUsage(models, { 'gpt-5.5': { input: 7, output: 1 } }, undefined)).toEqual({
    costUsd: 7 + 5,
    unpriced: { 'my-own': million },
    pricedAsOf: pricesAsOf,
  });
  // A row without a name is for all that no other names.
  const all = { '': { input: 1, output: 1 }, 'gpt-5.5': { input: 7, output: 1 } };
  expect(priceUsage(models, all, undefined)).toEqual({ costUsd: 9, unpriced: {} });
  // The model that was asked for stands for one that the agent does not name.
  expect(priceUsage({ '': million }, {}, 'openai/gpt-5.4').costUsd).toBe(2.5);
  expect(priceUsage({}, {}, 'gpt-5.5').costUsd).toBeNull();
});

test('the table of listed prices is dated, and no row is out of proportion', () => {
  expect(pricesAsOf).toMatch(/^\d{4}-\d\d-\d\d$/);
  for (const [model, { input, cached_input = 0, output }] of Object.entries(listedPrices)) {
    const isSane =
      cached_input > 0 && cached_input <= input / 4 && output >= 4 * input && output <= 10 * input;
    expect([model, isSane]).toEqual([model, true]);
  }
});

const count = fc.nat({ max: 10_000_000 });
const usages: fc.Arbitrary<Usage> = fc.record({
  input: count,
  cachedInput: count,
  output: count,
  reasoning: count,
});

test('what a run used is what was added since, and never less than nothing', () => {
  fc.assert(
    fc.property(usages, usages, (before, run) => {
      expect(usageSince(addUsage(before, run), before)).toEqual(run);
      expect(usageSince(run, undefined)).toEqual(run);
      for (const part of Object.values(usageSince(run, before))) expect(part).toBeGreaterThanOrEqual(0);
    }),
  );
});
