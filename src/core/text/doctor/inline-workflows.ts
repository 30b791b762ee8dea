/**
 * The whole workflow in a repository of its own, for runners that a called workflow of another owner cannot reach:
 * what is shipped, with each `$/` as what it stands for. The caller stays as it is, and holds all that people change.
 */
import { docsUrl, type Home, home } from './home.ts';

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

export interface InlineSeen {
  readonly missing: readonly string[];
  /** They say something else than what is shipped. */
  readonly others: readonly string[];
  /** The commit of gza that they name. */
  readonly pin: { readonly from: Home; readonly commit: string } | null;
}

/** `texts`: path → what stands there. `shipped`: what this gza brings along. */
export function inlineSeen(
  texts: ReadonlyMap<string, string>,
  shipped: (name: string) => string,
): InlineSeen {
  const all = Object.entries(inlinePaths);
  const bare = (text: string) => text.replace(/^(?:#.*\n)+/, '').replaceAll(pinned, 'uses: gza');
  const isOther = (name: string, text: string) =>
    bare(text) !== bare(inlineWorkflow(shipped(name), home, '0'.repeat(40)));
  const pins = [...texts.values()].flatMap((text) => [...text.matchAll(pinned)]);
  const [, repository = '', commit = '', ref = ''] = pins[0] ?? [];
  return {
    missing: all.flatMap(([, path]) => (texts.has(path) ? [] : [path])),
    others: all.flatMap(([name, path]) =>
      texts.has(path) && isOther(name, texts.get(path) ?? '') ? [path] : [],
    ),
    pin: commit === '' ? null : { from: { repository, ref }, commit },
  };
}

const pinned = /uses: ([\w.-]+\/[\w.-]+)\/action@([0-9a-f]{40}) # (\S+)/g;
