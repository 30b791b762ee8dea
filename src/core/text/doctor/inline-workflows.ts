/**
 * Copies of gza's workflows in the user's repository, for runners that another owner's workflow cannot use.
 * In the copies, each `$/` is replaced with the path or repository that it stands for. The caller workflow
 * stays separate: people edit only that one.
 */
import { docsUrl, type Home, home } from './home.ts';

/** Shipped file → path of its copy in the repository. */
export const inlinePaths = {
  'gza.yml': '.github/workflows/gza.jobs.yml',
  'gza-lane.yml': '.github/workflows/gza.lane.yml',
  'gza-agent.yml': '.github/workflows/gza.agent.yml',
  'gza-verify.yml': '.github/workflows/gza.verify.yml',
  'gza-land.yml': '.github/workflows/gza.land.yml',
} as const;

/** Whether the path is one of these copies, which only the caller starts. */
export function isInline(path: string): boolean {
  return Object.values<string>(inlinePaths).includes(path);
}

/** `commit`: the current commit of the ref in `from`. */
export function inlineWorkflow(shipped: string, from: Home, commit: string): string {
  const head = `# Written by \`gza init --github --inline\`, and rewritten by \`gza init --github --update\`: change gza.yml instead.
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
  /** Copies that differ from the shipped workflows. */
  readonly others: readonly string[];
  /** The commit of gza that the copies name; null if they name none. */
  readonly pin: { readonly from: Home; readonly commit: string } | null;
}

/** `texts`: path → text of the copy. `shipped`: reads a workflow that ships with this gza. */
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
