import { hiddenCharacter } from './hidden-characters.ts';

/** Why git or a file system could refuse or misread this branch name, or null. */
export function branchNameProblem(name: string): string | null {
  if (name === '' || name.length > 200) return 'a branch name has 1 to 200 characters';
  if (hiddenCharacter(name) || /[ ~^:?*[\\]/.test(name))
    return 'the branch name has a character that git forbids';
  if (name.startsWith('-') || name === '@' || name === 'HEAD')
    return `${JSON.stringify(name)} means something else to git`;
  if (name.includes('..') || name.includes('@{') || name.endsWith('.'))
    return 'the branch name reads as an expression';
  for (const part of name.split('/')) {
    if (part === '' || part.startsWith('.') || part.endsWith('.lock'))
      return 'a part of the branch name is no valid name';
  }
  return null;
}
