import { isRecord } from '../shape.ts';

const runsScripts = /(?:^|[\s;&|/])(?:npm|npx|pnpm|yarn|bun)\b/;

/** Files that these commands name, also by the scripts of package.json where they run such. */
export function checkedFiles(commands: readonly string[], packageJson: string | null): string[] {
  const scripts = commands.some((one) => runsScripts.test(one)) ? scriptsIn(packageJson) : [];
  const words = [...commands, ...scripts].flatMap((one) => one.split(/[\s;&|()<>'"`=,]+/));
  return [...new Set(words.map((word) => word.replace(/^(?:\.\/)+/, '')))].filter((word) =>
    /[./]/.test(word),
  );
}

function scriptsIn(packageJson: string | null): string[] {
  try {
    const json: unknown = JSON.parse(packageJson ?? '');
    const scripts = isRecord(json) ? json['scripts'] : undefined;
    return isRecord(scripts) ? Object.values(scripts).filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
