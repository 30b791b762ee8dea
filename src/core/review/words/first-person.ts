/**
 * What a reviewer says of himself or herself that is more than what was looked at: a wish, a guess, something left
 * undone. In an approval that is a doubt.
 */
const person =
  /\b(?:i|we) ((?:(?:have|had|did|do|was|am|are|were|been|would|will|could|can|may|might|should|must|need|to|also|only|now|then|not|no longer|never|just|still|really|personally|first|both|already|fully|rather) )*)([a-z-]+)/g;
/** What is done instead of looking. */
const guessed =
  /^(?:assum(?:e|ed|ing)|skip(?:ped)?|skim(?:med)?|sampled?|guess(?:ed)?|trust(?:ed)?|want|hoped?|doubt(?:ed)?|hesitated?|stop(?:ped|ping)?|fear(?:ed)?|miss(?:ed)?|lack(?:ed)?|struggled?|regret(?:ted)?|glanced?|suppose[ds]?|presumed?|wonder|feel|felt|wish(?:ed)?|dislike[ds]?|count|taken|ignored?|out|lose|postponed?|rel(?:y|ied)|worry)$/;
/** Not to have found or done it is good. */
const unfound =
  /^(?:find|found|see|saw|spot\w*|identif\w+|notice\w*|think|break|expect\w*|reproduc\w+|detect\w*|encounter\w*|come|discover\w*|have|observe\w*|get|trigger\w*|make|provoke|force|construct|consider|request|require|insist|object|mind|need|lose|do|block|hold|ask|call|change|touch|worry|it|this|that|so|a|any|an|be)$/;
const softened =
  /\b(?:maybe|perhaps|optional\w*|nit\w*|later|someday|some day|at some point|some time|in (?:a )?(?:future|follow-?up|separate)|follow-?up|prefer|personally|slightly|suggest|consider|also|taste|cosmetics?|naming|called|leave it|feel like|either way)\b/;
const taken = /\bi (?:take|have to take|must take|took) (?:\w+ ){0,4}back\b/;

export function speaksOfSelf(sentence: string): boolean {
  if (taken.test(sentence)) return true;
  for (const [, before = '', verb = ''] of sentence.matchAll(person)) {
    if (isOdd(before, verb, sentence)) return true;
  }
  return false;
}

function isOdd(before: string, verb: string, sentence: string): boolean {
  if (/\bno longer\b/.test(before)) return !/^(?:see|find|have)$/.test(verb);
  // "I could not find out", "I did not get to it".
  if (
    /\bi (?:\w+ ){0,2}not (?:find out|get (?:to|around|through))\b|\bi (?:did|had) not (?:\w+ )?expect/.test(
      sentence,
    )
  )
    return true;
  if (/\b(?:not|never)\b/.test(before)) return !unfound.test(verb);
  if (/^(?:no|nothing|none)$/.test(verb)) return false;
  if (!/\b(?:would|should|must|need|might|may)\b/.test(before))
    return (
      (guessed.test(verb) && !/\bwe want\b/.test(sentence)) ||
      (verb === 'need' && !/\bneed(?:ed)? (?:no|nothing)\b/.test(sentence))
    );
  if (softened.test(sentence)) return false;
  return !/^(?:approve|expect|recommend|merge|ship|call)$/.test(verb) && !/\b(?:happy|glad)\b/.test(sentence);
}
