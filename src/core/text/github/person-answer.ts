/**
 * Replies to people's comments on a pull request: in the thread, or in one comment for those without a
 * thread.
 */
import { bodyCharsMax } from '../../markdown/body-block.ts';
import { answersMark, type PersonAnswer } from '../../review/conversation.ts';
import { inlineText, quotedText } from './inline-text.ts';

export function printReply({ answer, evidence, commit, fingerprint }: PersonAnswer): string {
  return [
    answer === 'fixed' ? `✅ **Fixed** in ${commit.slice(0, 12)}.` : '💬 **Not changed**, because:',
    quotedText(evidence, 2_000),
    answersMark([fingerprint]),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const rowsMax = 40;

/** All replies of one improve step. Each names the comment that it answers by its first line. */
export function printReplies(answers: readonly PersonAnswer[]): string {
  const shown = answers.slice(0, rowsMax);
  const rows = shown.map(({ author, gist, answer, evidence, commit }) => {
    const said = answer === 'fixed' ? `fixed in ${commit.slice(0, 12)}` : 'not changed';
    const why = evidence === '' ? '' : `: ${inlineText(evidence, 400)}`;
    return `- ${inlineText(author, 60)}, “${inlineText(gist, 120)}”: **${said}**${why}`;
  });
  const mark = answersMark(answers.map(({ fingerprint }) => fingerprint));
  return `${rows.join('\n').slice(0, bodyCharsMax - mark.length - 2)}\n\n${mark}`;
}
