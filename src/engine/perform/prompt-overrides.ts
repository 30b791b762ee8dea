/** A repository's own prompts, from the base branch: never from the work under review. */
import { type PromptOverrides, promptTemplates } from '../../core/prompt/build-prompt.ts';
import type { Repository } from '../../workspace/repository.ts';

const bytesMax = 200_000;

export async function readPromptOverrides(
  repository: Repository,
  commit: string,
  dir = '.gza/prompts',
): Promise<PromptOverrides> {
  const listed = await repository.run([
    'ls-tree',
    '--name-only',
    '-z',
    commit,
    `${dir.replace(/\/+$/, '')}/`,
  ]);
  const paths = new Set(listed.stdout.toString('utf8').split('\0'));
  const overrides: Record<string, { text: string; file: string }> = {};
  for (const name of Object.keys(promptTemplates)) {
    const file = `${dir.replace(/\/+$/, '')}/${name}.md`;
    if (listed.code !== 0 || !paths.has(file)) continue;
    const text = await repository.run(['cat-file', 'blob', `${commit}:${file}`], {
      outputBytesMax: bytesMax,
    });
    if (text.code === 0) overrides[name] = { text: text.stdout.toString('utf8'), file };
  }
  return overrides;
}
