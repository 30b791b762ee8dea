/** Whether a sentence speaks of a fault only to say that there is none, or that it is gone. English, and careful. */

const verb =
  /\b(?:is|are|was|were|makes?|will|would|can|could|may|might|means|causes?|leads?|leaves?|lets?|allows?|becomes?|results?)\b/;
const negator =
  /\b(?:no(?! (?:doubt|question|less|matter|wonder)\b)|not(?! (?:only|just|least|merely)\b)|none|nothing|nobody|never|without|zero|0(?![.\d])|neither|nor|free (?:of|from)|lack of|absence of|clear of|hardly)\b|\bnon-?$/g;
const remedy =
  /\b(?:fix(?:es|ed|ing)|prevent(?:s|ed|ing)?|avoid(?:s|ed|ing)?|resolv(?:es|ed|ing)|eliminat(?:es|ed|ing)|address(?:es|ed|ing)|remov(?:es|ed|ing)|clos(?:es|ed|ing)|guard(?:s|ed|ing)?|protect(?:s|ed|ing|ion)?|mitigat(?:es|ed|ing)|handl(?:es|ed|ing)|cover(?:s|ed|ing)?|catch(?:es|ing)?|caught|detect(?:s|ed|ing)?|reject(?:s|ed|ing)?|rul(?:es|ed) out|solv(?:es|ed)|looked for|look(?:ing)? for|check(?:s|ed|ing)? (?:for|against)|search(?:ed)? for|test(?:s|ed|ing)? for|considered|instead of|rather than|repro\w*|produced|regression tests?|safe (?:from|against)|immune to|no longer|previous(?:ly)?|prior|earlier|old|former(?:ly)?|used to|originally|would have|had been|before this|reported|the issue|the (?:original|reported|initial))\b/g;
const denial = /\b(?:not|never|no|without|fails? to|failed to|does little to|nothing)\b[^,;:.]{0,30}$/;
const gone =
  /^[^.;]{0,100}?\b(?:is|are|was|were|been|being|now|both|all|fully|properly|correctly)\s+(?:now |all |both |fully |properly |correctly |already |also |since )?(?:fixed|resolved|addressed|corrected|closed|handled|eliminated|removed|gone|prevented|mitigated|avoided|cleared|covered|impossible|settled|done|replaced|patched|plugged)\b|^[^.;]{0,100}\bnow (?:pass|passes|succeeds?|works?|green)\b/;
const unsettled =
  /\b(?:not|never|still|remains?|remaining|unresolved|partial\w*|only|must|should|needs?|to be|would|unless|until|once|if|before|except|but|please)\b/;
const noneAfter =
  /^(?:\s*(?:issues?|bugs?|findings?|items?|problems?|concerns?|s))?\s*(?:found|identified|remaining|remain|left|outstanding|open)?\s*(?::\s?[-–—]+$|[.·:=|–—-]{0,40}\s*[[(]?(?:∅|none\b(?! of)|0\b|zero\b|no\b(?= (?:issues?|findings?|blockers?)|\s*[.)]|$)|n\/a|nil\b|nothing\b|\[\s*\]|✅))/;
/** "… is not warranted." */
const unneeded =
  /^ (?:is|are|was|were|seems) not (?:\w+ )?(?:warranted|needed|necessary|required|justified|called for|present|possible)\b/;
const boundary =
  /[;:(]|\s[–—-]\s|\band (?=(?:should|must|needs?|has to|have to)\b)|\b(?:but|however|which|because|although|though|yet|except|so)\b/g;

/** `at` and `end`: where the words about the fault stand in the sentence. */
export function isDenied(sentence: string, at: number, end: number): boolean {
  const after = spaced(sentence.slice(end, end + 200));
  if (noneAfter.test(after) || unneeded.test(after)) return true;
  const settled = gone.exec(after);
  if (
    settled !== null &&
    !unsettled.test(settled[0]) &&
    !unsettled.test(after.slice(settled[0].length, 80))
  ) {
    return true;
  }
  if (noneSuch.test(spaced(sentence.slice(Math.max(0, at - 160), at)))) return true;
  return isDeniedBefore(clauseBefore(spaced(sentence.slice(Math.max(0, at - 240), at))));
}

/** Each run of white space as one: patterns with several optional gaps would try all ways to share a long one. */
function spaced(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** "No security or other issues that …": the list and the clause belong to what there is none of. */
const noneSuch =
  /(?<!\bnot )\b(?:no|zero|not any|nothing|none|never any|(?:not|never) (?:see|find|found|spot|identify|identified|notice|noticed|have|aware of) (?:any|a|anything))\b[^.;:!?]{0,100}\b(?:issues?|problems?|findings?|concerns?|reasons?|defects?|bugs?|changes?|things?|inputs?|evidence|signs?|risks?|anything|nothing|none|blockers?) (?:here |there |left |in this (?:change|diff|pr) )?(?:that|which|to|worth|serious enough|i)\b(?:(?!\bbut\b)[^.;:]){0,60}$/;

/** What stands before in the same clause; commas of a list do not end it. */
function clauseBefore(text: string): string {
  let from = 0;
  for (const match of text.matchAll(boundary)) from = match.index + match[0].length;
  const parts = text.slice(from).split(',');
  let clause = parts.pop() ?? '';
  while (parts.length > 0 && isListed(clause)) clause = `${parts.pop() ?? ''},${clause}`;
  return clause;
}

function isListed(part: string): boolean {
  return (
    part.split(' ').length <= 7 && !verb.test(part) && !/\b(?:this|that|it|there|the|and then)\b/.test(part)
  );
}

function isDeniedBefore(clause: string): boolean {
  const remedies = [...clause.matchAll(remedy)];
  const negators = [...clause.matchAll(negator)].filter((match) => !isSpent(clause, match));
  const last = remedies.at(-1);
  if (last !== undefined) {
    // "does not prevent": the remedy itself is denied.
    return !denial.test(clause.slice(0, last.index));
  }
  return negators.length > 0 && !unsaid.test(clause);
}

/** What one will not say is not denied. */
const unsaid =
  /\b(?:not|never|hardly) (?:say|claim|guarantee|confirm|be (?:sure|certain)|sure|certain|convinced|clear|true|prove|promise|assume|rule out|exclude)\b/;
const noSuch =
  /^ (?:\w+ ){0,3}(?:issues?|problems?|findings?|concerns?|reasons?|defects?|bugs?|changes?|things?|cases?|inputs?|paths?|ways?|callers?|evidence|signs?|risks?|scenarios?|place)(?: \w+){0,3} (?:that|which|to|where|of)\b/;

/** "No validation leads to a crash" denies the validation, not the crash. */
function isSpent(clause: string, { 0: word, index }: RegExpExecArray): boolean {
  const gap = clause.slice(index + word.length);
  if (word === 'none' || word === 'nothing' || word === 'nobody') return false;
  if (
    word === 'not' &&
    /^ (?:think|believe|see|find|found|consider|expect|notice|spot|identify)\b/.test(gap)
  ) {
    return false;
  }
  return verb.test(gap) && !(word !== 'without' && noSuch.test(gap));
}

const noneSaid =
  /^[\s[(:–—|-]*(?:✅\s*)?(?:none\b(?! of)|n\/a\b|nil\b|nothing\b|0\b|zero\b|no\b(?:\s*[.)!]*$|[\s-]+(?:\w+[\s-]+){0,4}?(?:blockers?|issues?|findings?|problems?|concerns?|items?|changes?|bugs?|defects?|vulnerabilit(?:y|ies)|fix(?:es)?|comments?|remarks?|notes?|questions?|suggestions?|actions?|objections?|such)\b)|[-–—]+\s*$|\(?empty|\[\s*\]|\{\s*\}|all (?:clear|resolved|fixed|addressed|good)\b|not applicable|i (?:found|see|have) (?:none|no)\b|there (?:are|were|is) (?:none|no)\b|(?:did|do|could) not (?:find|see|identify|spot) any)/;
const exception =
  /\b(?:except|but|apart|besides|other than|however|aside|beyond|save for|although|though|yet)\b/;

/** "None.", "0", "No blockers found": nothing stands under this title. */
export function saysNone(text: string): boolean {
  const start = spaced(text.slice(0, 400));
  return noneSaid.test(start) && !exception.test(start);
}

/** Of what the change mends, or of what happens in a case: "if the commit fails, …". */
export function isToldOf(sentence: string, at: number, end: number): boolean {
  const before = sentence.slice(Math.max(0, at - 160), at);
  const after = sentence.slice(end, end + 80);
  return (
    /\b(?:was|were|had|did)\b[^,;:.]*$|\b(?:suspected|feared|wondered|thought)\b[^;:.]*$/.test(before) ||
    /\b(?:works|succeeds|holds|falls back|(?:is|are) used|applies|exits|stays|passes)\b[^,;:]{0,40}\b(?:when|if|where)\b[^,;:]*$/.test(
      before,
    ) ||
    /^[^.,;]{0,60}\b(?:came|was|were|arose|stemmed|happened|occurred|resulted|existed|used to|had)\b/.test(
      after,
    ) ||
    /(?:^|[,;:(] ?|\b(?:and|or|even|so|that|what happens|whether|only) )(?:if|when|whenever|while|in case|where|should|unless)\b[^,;:]*$/.test(
      before,
    )
  );
}

/** Was found before and is settled now. */
export function saysSettled(text: string): boolean {
  const settled =
    /\b(?:fixed|resolved|addressed|corrected|closed|gone|settled|done|cleared|no longer|✅|retracted|withdrawn)\b|✅|✔|☑/.exec(
      text,
    );
  return settled !== null && !unsettled.test(text);
}
