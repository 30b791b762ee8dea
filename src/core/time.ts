/**
 * Times are ISO 8601 texts in UTC, so that they sort as texts and print the same everywhere. Only parseTime
 * and printTime may use Date, and neither reads the clock: the caller has one.
 */
export function parseTime(iso: string): number {
  return Date.parse(iso);
}

/** With milliseconds, so that tasks filed in one go keep their order: `2026-01-02T03:04:05.678Z`. */
export function printTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** For people: `2026-01-02T03:04:05Z`. */
export function toSecond(iso: string): string {
  return iso.replace(/\.\d+Z$/, 'Z');
}

export function addSeconds(iso: string, seconds: number): string {
  return printTime(parseTime(iso) + seconds * 1000);
}

/** `90 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function printDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  const days = Math.floor(hours / 24);
  return hours % 24 ? `${days} d ${hours % 24} h` : `${days} d`;
}
