/**
 * The words that make a task hard or unclear. Data: add a line, and a row of the corpus that needs it. Matched
 * in lower case on whole words; a `*` at the end stands for any ending.
 */
export interface Concept {
  readonly name: string;
  /** Counted once, however many of its words occur. */
  readonly points: number;
  readonly words: RegExp;
}

/** A name, its points and its words. */
export const concepts: readonly Concept[] = `
algorithm, 1: algorithm*, heuristic*, optimal, recursi*, graph traversal, topological, scoring, ranking,
  diffing, interpolat*, dynamic programming, big o
concurrency, 1: async, asynchronous*, concurren*, parallel, race condition*, deadlock*, mutex, locking,
  lock free, thread safe, thread safety, multithread*, atomic*, compare and swap
distribution, 1: distributed, consensus, eventual consistency, eventually consistent, replicat*, shard*,
  partition tolerance, leader election, crdt, two phase commit, saga, exactly once, idempoten*
language work, 1: parser, parsing, compiler, grammar, tokenizer, tokeniser, lexer, interpreter, type
  inference, abstract syntax, code generation
cryptography, 1: encrypt*, decrypt*, cryptograph*, key rotation, signing, signature verification, zero
  knowledge
data migration, 0.5: migrat*, backfill*, zero downtime, schema change, dual write*
security, 0.5: authenticat*, authoriz*, authoris*, oauth*, jwt, permission*, access control, rbac, csrf,
  sso, saml, sandbox*, multi tenant, tenant isolation
integration, 0.5: integrat*, webhook*, third party, external api, external service, payment*, stripe,
  grpc, message queue, kafka, rabbitmq
performance, 0.5: performance, optimiz*, optimis*, caching, cache invalidation, latency, throughput,
  memory leak*, profil* the, hot path, n+1, backpressure, rate limit*
transactions, 0.5: transaction*, rollback, consistency, isolation level, optimistic lock*, outbox
realtime, 0.5: realtime, real time, websocket*, streaming, server sent events, push notification*,
  collaborative editing
state, 0.5: state machine*, workflow engine, event sourcing, undo, conflict resolution, offline, retry,
  retries, retried, resumable, crash recovery
redesign, 0.5: refactor*, rewrite, rearchitect*, redesign*, decouple, extract into, replace the, backward*
  compatib*, plugin system, abstraction
machine learning, 1: machine learning, embeddings, neural, model training, vector search, recommendation
  engine, anomaly detection
low level, 1: kernel, memory layout, simd, ffi, garbage collect*, unsafe code, bytecode, wire protocol,
  binary format
time and money, 0.5: time zone*, timezone*, daylight saving, recurring, proration, currency, currencies,
  rounding, tax*, invoic*, double entry
`
  .trim()
  .split(/\n(?=\S)/)
  .map((line) => {
    const [, name = '', points = '', table = ''] = /^(.+), ([\d.]+): ([^]+)$/.exec(line) ?? [];
    return { name, points: Number(points), words: words(table) };
  });

export const vaguePoints = 0.5;

/** Each group counts once: saying it three ways is not three times as vague. */
export const vagueGroups: readonly RegExp[] = [
  words('etc, and so on, and more, and the like, among others, et cetera'),
  words('maybe, perhaps, possibly, might, if possible, ideally, probably, nice to have'),
  words('somehow, some way, something like, sort of, kind of, stuff, things, whatever'),
  words(`
    as needed, as appropriate, as necessary, where appropriate, if needed, where needed, when
    necessary, wherever
  `),
  words('improve, better, enhance, clean up, cleanup, nicer, polish, tidy up, modernize, modernise'),
  words(`
    user friendly, intuitive, robust, seamless*, scalable, flexible, easy to use, production ready,
    world class, fast enough, high quality
  `),
  words(`
    tbd, todo decide, to be determined, to be decided, not sure, unclear, figure out, investigate,
    look into, find out, explore options
  `),
  words(`
    various, several places, some of the, everything, everywhere, all the places, across the board,
    whole app, entire codebase
  `),
  words('appropriate, reasonable, proper, properly, suitable, correctly handle, handle all, all edge cases'),
];

/** Finds the first of them in words with one space between and around. */
function words(table: string): RegExp {
  const phrases = table.trim().replace(/\s+/g, ' ').replaceAll('+', '\\+').replaceAll('*', '\\S*');
  return new RegExp(` (${phrases.split(', ').join('|')}) `);
}
