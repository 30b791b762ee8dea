// Put into the action that tests build where answers never come: limits of one to five minutes last six seconds.
const { setTimeout: plain } = globalThis;
const { timeout } = AbortSignal;
const sooner = (ms) => (ms >= 60_000 && ms <= 300_000 ? 6_000 : ms);

const later = (work, ms, ...rest) => plain(work, sooner(ms), ...rest);

export { later as setTimeout };
export const timeoutSoon = (ms) => timeout.call(AbortSignal, sooner(ms));
