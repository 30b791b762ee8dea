/**
 * The words that make a task hard or unclear. Data: add a line, and a row of the corpus that needs it. Matched
 * in lower case on whole words; a `*` at the end stands for any ending.
 */
export interface Concept {
  readonly name: string;
  /** Counted once, however many of its words occur. */
  readonly points: number;
  readonly words: readonly string[];
}

export const concepts: readonly Concept[] = [
  {
    name: 'algorithm',
    points: 1,
    words: words(`
      algorithm*, heuristic*, optimal, recursi*, graph traversal, topological, scoring, ranking,
      diffing, interpolat*, dynamic programming, big o
    `),
  },
  {
    name: 'concurrency',
    points: 1,
    words: words(`
      async, asynchronous*, concurren*, parallel, race condition*, deadlock*, mutex, locking, lock
      free, thread safe, thread safety, multithread*, atomic*, compare and swap
    `),
  },
  {
    name: 'distribution',
    points: 1,
    words: words(`
      distributed, consensus, eventual consistency, eventually consistent, replicat*, shard*,
      partition tolerance, leader election, crdt, two phase commit, saga, exactly once, idempoten*
    `),
  },
  {
    name: 'language work',
    points: 1,
    words: words(`
      parser, parsing, compiler, grammar, tokenizer, tokeniser, lexer, interpreter, type inference,
      abstract syntax, code generation
    `),
  },
  {
    name: 'cryptography',
    points: 1,
    words: words(
      'encrypt*, decrypt*, cryptograph*, key rotation, signing, signature verification, zero knowledge',
    ),
  },
  {
    name: 'data migration',
    points: 0.5,
    words: words('migrat*, backfill*, zero downtime, schema change, dual write*'),
  },
  {
    name: 'security',
    points: 0.5,
    words: words(`
      authenticat*, authoriz*, authoris*, oauth*, jwt, permission*, access control, rbac, csrf, sso,
      saml, sandbox*, multi tenant, tenant isolation
    `),
  },
  {
    name: 'integration',
    points: 0.5,
    words: words(`
      integrat*, webhook*, third party, external api, external service, payment*, stripe, grpc,
      message queue, kafka, rabbitmq
    `),
  },
  {
    name: 'performance',
    points: 0.5,
    words: words(`
      performance, optimiz*, optimis*, caching, cache invalidation, latency, throughput, memory leak*,
      profil* the, hot path, n+1, backpressure, rate limit*
    `),
  },
  {
    name: 'transactions',
    points: 0.5,
    words: words('transaction*, rollback, consistency, isolation level, optimistic lock*, outbox'),
  },
  {
    name: 'realtime',
    points: 0.5,
    words: words(`
      realtime, real time, websocket*, streaming, server sent events, push notification*,
      collaborative editing
    `),
  },
  {
    name: 'state',
    points: 0.5,
    words: words(`
      state machine*, workflow engine, event sourcing, undo, conflict resolution, offline, retry,
      retries, retried, resumable, crash recovery
    `),
  },
  {
    name: 'redesign',
    points: 0.5,
    words: words(`
      refactor*, rewrite, rearchitect*, redesign*, decouple, extract into, replace the, backward*
      compatib*, plugin system, abstraction
    `),
  },
  {
    name: 'machine learning',
    points: 1,
    words: words(`
      machine learning, embeddings, neural, model training, vector search, recommendation engine,
      anomaly detection
    `),
  },
  {
    name: 'low level',
    points: 1,
    words: words(`
      kernel, memory layout, simd, ffi, garbage collect*, unsafe code, bytecode, wire protocol, binary
      format
    `),
  },
  {
    name: 'time and money',
    points: 0.5,
    words: words(`
      time zone*, timezone*, daylight saving, recurring, proration, currency, currencies, rounding,
      tax*, invoic*, double entry
    `),
  },
];

export const vaguePoints = 0.5;

/** Each group counts once: saying it three ways is not three times as vague. */
export const vagueGroups: readonly (readonly string[])[] = [
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

/** Separated by commas, so that the table stays readable. */
function words(table: string): string[] {
  return table.trim().replace(/\s+/g, ' ').split(', ');
}
