/** ISO 8601 of a time that came as seconds or milliseconds since 1970; undefined for what cannot be one. */
export function isoTime(time: number | undefined): string | undefined {
  if (time === undefined || !(time > 0)) return undefined;
  const ms = time < 1e11 ? time * 1000 : time;
  return ms < 8.64e15 ? new Date(ms).toISOString() : undefined;
}
