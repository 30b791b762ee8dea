// Put into the action that tests build where answers never come: limits of one to five minutes last ten seconds.
const plain = globalThis.setTimeout;
const isNetworks = (ms) => ms >= 60_000 && ms <= 300_000;
const sooner = (ms) => (isNetworks(ms) ? 10_000 : ms);

const later = (work, ms, ...rest) => plain(work, sooner(ms), ...rest);

export { later as setTimeout };
export const timeoutSoon = (ms) => AbortSignal['timeout'](sooner(ms));
