/**
 * The whole workflow in a repository of its own, for runners that a called workflow of another owner cannot reach:
 * what is shipped, with each `$/` as what it stands for. The caller stays as it is, and holds all that people change.
 */
import { docsUrl, type Home } from './home.ts';

/** The shipped file → where it stands in the repository. */
export const inlinePaths = {
  'gza.yml': '.github/workflows/gza.jobs.yml',
  'gza-lane.yml': '.github/workflows/gza.lane.yml',
  'gza-agent.yml': '.github/workflows/gza.agent.yml',
  'gza-verify.yml': '.github/workflows/gza.verify.yml',
  'gza-land.yml': '.github/workflows/gza.land.yml',
} as const;

/** It is called, and listens to nothing itself. */
export function isInline(path: string): boolean {
  return Object.values<string>(inlinePaths).includes(path);
}

/** `commit` is what the ref of `from` is now. */
export function inlineWorkflow(shipped: string, from: Home, commit: string): string {
  const head = `# Written by \`gza init --github --inline\`, and anew by \`gza init --github --update\`: change gza.yml instead.
# ${docsUrl('github.md', from)}
`;
  return (
    head +
    shipped
      .replace(/^(?:#.*\n)+/, '')
      .replaceAll(/uses: \$\/\.github\/workflows\/gza-(\w+\.yml)/g, 'uses: ./.github/workflows/gza.$1')
      .replaceAll(/uses: \$\/(\S+)/g, `uses: ${from.repository}/$1@${commit} # ${from.ref}`)
  );
}
