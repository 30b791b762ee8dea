/** What a sentence tells of that is not the change as it is now. English. */

/** Of the work before, or of what the change is there to mend. */
const told =
  /\b(?:root cause|my (?:own )?(?:review|verdict) (?:of|from)|supersedes|yesterday|the (?:bug|crash) was|previous(?:ly)?|earlier|prior|(?:the |my )?(?:last|first|second|initial) (?:review|round|cycle|pass|verdict|version)|round \d|cycle \d|review \d|before this (?:change|fix|patch|pr)|without (?:the|this) (?:change|fix|patch|pr)|(?:one|you|someone) (?:might|may|could) (?:ask|wonder|think|expect)|on (?:the )?(?:main|master|base)|old (?:code|behaviou?r|version|implementation)|pre-?existing|used to|would have|no longer|reverting the|reverted the|when (?:i )?revert\w*|if (?:i )?revert\w*|with the (?:fix|change) (?:reverted|removed)|(?:considered|wondered|asked myself|checked|looked at) (?:whether|if|(?:requesting |asking for )?changes)|before(?=[,:])|fails? without|fail(?:s|ed)? (?:on|before|against)\b[^.]{0,60}\bpass(?:es|ed)?|predates?|tracked in|would (?:\w+ )?fail (?:if|without|when|with)|known (?:issue|problem|limitation)|(?:my )?first (?:impression|thought|reading|instinct)|at first|initially|temporarily|deliberately|on purpose|i (?:broke|mutated|commented out))\b/;
const askedTwice =
  /\b(?:still|again|not (?:been )?(?:fixed|addressed|resolved)|remains?|unresolved|partially|persists?|but|however|must|should|needs?)\b/;

const atFirst =
  /\b(?:at first|at first (?:sight|glance)|first (?:impression|thought|reading|instinct)|(?:initially|first) (?:suspected|thought|feared|worried|wondered)|(?:i|we) (?:was|were) (?:\w+ )?(?:anxious|worried|afraid|sceptical|skeptical|concerned|curious|nervous|unsure)|(?:was|were) my (?:\w+ )?(?:worry|worries|concerns?|fear|question)|(?:considered|wondered|asked myself) (?:whether|if|(?:requesting |asking for )?changes))\b/;

export function isTold(sentence: string): boolean {
  if (/\b(?:not|unclear|unsure)\b[^.]{0,40}\bwhether\b/.test(sentence)) return false;
  if (atFirst.test(sentence)) return true;
  return told.test(sentence) && !askedTwice.test(sentence);
}

/** Breaking the code to see a test fail is good work. */
const mutation =
  /\b(?:whether|that) (?:the |any |a )?(?:\w+ )?(?:tests?|suite) (?:notices?|means?|catch(?:es)?|fails?|can fail|bites?|goes red)|\bi (?:\w+ )?(?:broke|mutated|inverted|flipped|removed|reverted|commented out|replaced|deleted|disabled)\b|\bmutat(?:ed|ion|ions|ing)\b/;
export function tellsOfMutation(text: string): boolean {
  return mutation.test(text);
}
