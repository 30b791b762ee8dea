/**
 * What a reviewer says of himself or herself. In an approval that is what was looked at, and that nothing was found;
 * all else ("I would feel better if …", "I no longer think …") is a doubt.
 */
const person =
  /\b(?:i|we) ((?:(?:have|had|did|do|was|am|are|were|been|would|will|could|can|may|might|should|must|need|to|also|only|now|then|not|no longer|never|just|still|really|personally|specifically|especially|carefully|briefly|locally|manually|temporarily|deliberately|even|first|both|further|additionally|already|fully|myself|initially) )*)([a-z-]+)/g;
const looked =
  /^(?!(?:assumed|skipped|skimmed|sampled|guessed|trusted|wanted|hoped|doubted|hesitated|changed|stopped|failed|feared|needed|missed|disliked|lacked|ignored|struggled|regretted|glanced|supposed|presumed)$)(?:[a-z-]+ed|verif\w+|check\w*|double-check\w*|ran|run|try|read|re-?read|review\w*|re-?review\w*|look\w*|walk\w*|reproduc\w+|confirm\w*|found|find|see|saw|like\w*|love\w*|appreciate\w*|approve|approving|re-?ran|went|gone|go|paid|consider\w*|wonder\w*|left|leave|note\w*|exercis\w+|inspect\w*|examin\w+|follow\w*|search\w*|grepp\w*|think|believe|agree|broke|built|build|step\w*|stepp\w*|used?|suspect(?:ed)?|spot-?check\w*|happy|fine|good|ok|confident|comfortable|particularly|expect\w*|understand|cross-check\w*|scann\w*|explor\w*|assess\w*|analy[sz]\w*|ask|made|make|have|had|focus\w*|took|take|especially|care|attempt\w*|stress\w*|benchmark\w*|set|prefer|recommend|rate|endorse|support|mention\w*|list\w*|withdraw|withdrew|know|knew|notice\w*|suggest\w*|assume\w*|concur|welcome|let|lets|hit|threw|put|get|got|sent|gave|give|complet\w*|finish\w*|done|no|nothing|none|neither|break|seen|accept\w*|stand|the|it|them|this|that|all|both|every\w*)$/;
const unread =
  /^(?:find|found|see|saw|spot\w*|identif\w+|notice\w*|think|break|expect|reproduc\w+|detect\w*|encounter\w*|come|discover\w*|have|observe\w*|get|trigger\w*|make|provoke|force|construct|consider|request|require|insist|object|mind|a|any|an)$/;
const softened =
  /\b(?:maybe|perhaps|optional\w*|nit\w*|later|someday|at some point|in (?:a )?(?:future|follow-?up|separate)|follow-?up|prefer|personally|slightly|suggest|consider|also)\b/;
const taken = /\bi (?:take|have to take|must take|took) (?:\w+ ){0,4}back\b/;

/** Whether the reviewer says something of himself or herself that is more than what was looked at. */
export function speaksOfSelf(sentence: string): boolean {
  if (taken.test(sentence)) return true;
  for (const [, before = '', verb = ''] of sentence.matchAll(person)) {
    if (isOdd(before, verb, sentence)) return true;
  }
  return false;
}

function isOdd(before: string, verb: string, sentence: string): boolean {
  if (/\bno longer\b/.test(before)) return !/^(?:see|find|have)$/.test(verb);
  if (/\b(?:not|never)\b/.test(before)) return !unread.test(verb);
  if (!/\b(?:would|will|should|must|need|might|may)\b/.test(before)) return !looked.test(verb);
  if (softened.test(sentence) || /\bcosmetic\b/.test(sentence)) return false;
  return !/^(?:approve|expect|recommend|merge|ship|call)$/.test(verb) && !/\b(?:happy|glad)\b/.test(sentence);
}
