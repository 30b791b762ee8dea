// Put into the action that tests build where answers never come: limits of one to five minutes last six seconds.
const { setTimeout: plain } = globalThis;
const sooner = (ms) => (ms >= 60_000 && ms <= 300_000 ? 6_000 : ms);

const later = (work, ms, ...rest) => plain(work, sooner(ms), ...rest);

export { later as setTimeout };

export function timeoutSoon(ms) {
  const ending = new AbortController();
  plain(() => ending.abort(new Error('it took too long')), sooner(ms)).unref();
  return ending.signal;
}
