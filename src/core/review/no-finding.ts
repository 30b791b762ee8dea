/** What stands where a finding would, and is none: "None.", "0", "No blockers found", "fixed in the last round". */

const none =
  /^[\s[(:–—|-]*(?:✅\s*)?(?:none\b(?! of)|n\/a\b|nil\b|nothing\b|0\b|zero\b|no\b(?:\s*[.)!]*$|[\s-]+(?:\w+[\s-]+){0,4}?(?:blockers?|issues?|findings?|problems?|concerns?|items?|changes?|bugs?|defects?|vulnerabilit(?:y|ies)|fix(?:es)?|comments?|remarks?|notes?|questions?|suggestions?|actions?|objections?|such)\b)|[-–—]+\s*$|\(?empty|\[\s*\]|\{\s*\}|all (?:clear|resolved|fixed|addressed|good)\b|not applicable|i (?:found|see|have) (?:none|no)\b|there (?:are|were|is) (?:none|no)\b|(?:did|do|could) not (?:find|see|identify|spot) any)/;
const exception =
  /\b(?:except|but|apart|besides|other than|however|aside|beyond|save for|although|though|yet)\b/;
const settled =
  /\b(?:fixed|resolved|addressed|corrected|closed|gone|settled|done|cleared|no longer|✅|retracted|withdrawn)\b|✅|✔|☑/;
const unsettled =
  /\b(?:not|never|still|remains?|remaining|unresolved|partial\w*|only|must|should|needs?|to be|would|unless|until|once|if|before|except|but|please)\b/;
const sign = /^[^\p{L}\p{N}([{]+/u;

/** `text`: in lower case. */
export function isNoFinding(text: string): boolean {
  const said = text.slice(0, 2000).replace(sign, '').replace(/\s+/g, ' ');
  const start = said.slice(0, 400);
  return said === '' || (none.test(start) && !exception.test(start)) || saysSettled(said);
}

/** Was found before and is settled now. */
export function saysSettled(text: string): boolean {
  return settled.test(text) && !unsettled.test(text);
}
