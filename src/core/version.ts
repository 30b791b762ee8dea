declare const __GZA_VERSION__: string | undefined;

/** Filled in by the build; `source` when the sources run as they are. */
export const version: string = typeof __GZA_VERSION__ === 'undefined' ? 'source' : __GZA_VERSION__;
