/** How often the last error has come by now, itself included: numbers, times and addresses in it may differ. */
export function sameErrorTimes(errors: readonly string[]): number {
  const last = errors.at(-1);
  if (last === undefined) return 0;
  const key = errorKey(last);
  return errors.filter((error) => errorKey(error) === key).length;
}

const errorCharsMax = 4000;

function errorKey(error: string): string {
  return error
    .slice(0, errorCharsMax)
    .toLowerCase()
    .replace(/\b0x[\da-f]+\b|\b[\da-f]{7,40}\b|\d+(?:\.\d+)?(?:ms|s)?/g, '#')
    .replace(/\s+/g, ' ')
    .trim();
}
