/**
 * What is said once in a conversation when somebody commands who may not. It repeats nothing of what they wrote, and
 * is found again by its mark.
 */
import { docsUrl } from '../doctor/home.ts';
import { codeText } from './inline-text.ts';

export const whoMayCommandMark = '<!-- gza:who-may-command -->';

/** `needed`: what a command needs by its name, where gza.yaml says so. */
export function whoMayCommand(needed: Readonly<Record<string, string>>): string {
  const more = Object.entries(needed)
    .filter(([, role]) => role !== 'write')
    .map(([verb, role]) => `${codeText(verb, 20)} needs ${role} access`);
  const except = more.length > 0 ? ` (${more.join(', ')})` : '';
  return [
    `👎 means that a command was not obeyed: gza takes commands from people with write access to this repository${except}. One of them can comment the same. \`commands\` in \`gza.yaml\` on the default branch says [who may give which](${docsUrl('github.md')}#commands).`,
    'This is said once in a conversation; later ones get the 👎 alone.',
    whoMayCommandMark,
  ].join('\n\n');
}
