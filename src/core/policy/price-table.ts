/**
 * What the providers' own pages said on a day: dollars for a million tokens of input, cached input and output, of
 * prompts of usual length. It prices what an agent leaves unpriced, such as a run that was ended; `prices` in gza.yaml
 * goes before it. A price that is announced to rise stands here as it will be.
 */
import type { Price, PriceTable } from './price.ts';

export const pricesAsOf = '2026-10-10';

const rows = `
claude-fable-5-1      10    0.25   50
claude-fable-5        10    1      50
claude-opus-5-5       4     0.2    20
claude-opus-5         5     0.5    25
claude-opus-4-8       5     0.5    25
claude-opus-4-7       5     0.5    25
claude-opus-4-6       5     0.5    25
claude-opus-4-5       5     0.5    25
claude-opus-4-1       15    1.5    75
claude-opus-4         15    1.5    75
claude-sonnet-5-5     2     0.1    10
claude-sonnet-5       2     0.2    10
claude-sonnet-4-6     3     0.3    15
claude-sonnet-4-5     3     0.3    15
claude-sonnet-4       3     0.3    15
claude-haiku-5-5      0.5   0.05   2.5
claude-haiku-4-5      1     0.1    5
gpt-6.1-sol           2     0.1    10
gpt-6-sol             2     0.2    10
gpt-5.6-sol           4     0.4    20
gpt-5.6-terra         2     0.2    12
gpt-5.6-luna          0.2   0.02   1.2
gpt-5.5-pro           30    3      180
gpt-5.5               5     0.5    30
gpt-5.4-pro           30    3      180
gpt-5.4-mini          0.75  0.075  4.5
gpt-5.4-nano          0.2   0.02   1.25
gpt-5.4               2.5   0.25   15
gpt-5.3-codex         1.75  0.175  14
gpt-5.2               1.75  0.175  14
gpt-5.1-codex-mini    0.25  0.025  2
gpt-5.1               1.25  0.125  10
gpt-5-mini            0.25  0.025  2
gpt-5-nano            0.05  0.005  0.4
gpt-5                 1.25  0.125  10
gpt-4.1-mini          0.4   0.1    1.6
gpt-4.1-nano          0.1   0.025  0.4
gpt-4.1               2     0.5    8
gemini-3.8-flash      1.5   0.15   7.5
gemini-3.7-flash      1.5   0.15   7.5
gemini-3.6-flash      1.5   0.15   7.5
gemini-3.5-flash-lite 0.3   0.03   2.5
gemini-3.5-flash      1.5   0.15   9
gemini-3.1-pro        2     0.2    12
gemini-3.1-flash-lite 0.25  0.025  1.5
gemini-3-pro          2     0.2    12
gemini-3-flash        0.5   0.05   3
gemini-2.5-pro        1.25  0.125  10
gemini-2.5-flash-lite 0.1   0.01   0.4
gemini-2.5-flash      0.3   0.03   2.5
`;

/** Anthropic charges a quarter more for what it writes into its cache. */
const cacheWrite = 1.25;

export const listedPrices: PriceTable = Object.fromEntries(rows.trim().split('\n').map(rowOf));

function rowOf(row: string): [string, Price] {
  const [name = '', ...numbers] = row.split(/ +/);
  const [input = 0, cached_input = 0, output = 0] = numbers.map(Number);
  const written = name.startsWith('claude-') ? { cache_write: input * cacheWrite } : {};
  return [name, { input, cached_input, output, ...written }];
}
