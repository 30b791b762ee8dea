/**
 * What an approving review leaves open in the author's own words: a question, a request, a criterion that is not
 * met, a guess, a fault told in passing. Shapes of sentences rather than names of faults; a sentence with a sign of
 * praise or evidence (accounted.ts) is left alone.
 */
import { isAccounted, isMildSentence, isWeighedMild, saysGood, saysNil } from './accounted.ts';
import { isDenied, isToldOf, saysSettled } from './is-denied.ts';
import { isTold } from './is-told.ts';
import { type Statement, sentencesOf } from './own-words.ts';

/** Said only after something that is not fine. */
const contrast =
  /^(?:otherwise|(?:apart|aside) from (?:that|this|those|these)|other than (?:that|this|those|these)|besides that|beyond that|that said|that aside|still,|even so|nonetheless|nevertheless|anyway|having said)\b|\b(?:on|for|in) the (?:happy|common|simple|normal|usual|main|first) (?:path|case|page)\b(?! and\b)|(?<!\b(?:none|nothing|issues|findings) )\bworth (?:knowing|mentioning)\b|\bheads[- ]up\b|\b(?:keep|bear) in mind\b|\bbe aware\b|\bbeware\b|\b(?:the rest|everything else|all else|the remainder|the other (?:parts?|files?|changes?|criteria|\w+ criteria))\b(?: of [^.;]{1,40})? (?:is|are|looks?|seems?|reads?|works?|holds?|does|do|checks?)\b|,? (?:though|however|anyway)[.!]?$|^functionally\b|\b(?:the |this )(?:fix|change|code|logic|feature|idea|approach|ui|api|refactor\w*|implementation)(?: part)? (?:itself|alone|as such)\b|\bwhich is (?:a (?:bit|little)|somewhat|slightly|rather|kind of|not (?:great|ideal|nice))\b|\b(?:unfortunately|sadly|regrettably|oddly|strangely|surprisingly|weirdly|alas)\b/;

const actions =
  'add|adjust|address|avoid|bump|catch|declare|disable|do not|document|enable|ensure|escape|extend|fix|handle|hash|include|increase|initiali[sz]e|invalidate|lower|make|merge|pin|please|prefer|reduce|reject|remember|remove|rename|replace|restore|revert|revisit|rework|rewrite|rotate|sanitize|skip|swap|switch|tighten|undo|use|validate|wait|wrap|await|(?:apply|bring|cap|change|check|clamp|clean|clear|close|cover|delete|drop|expose|extract|guard|inline|introduce|keep|limit|lock|mark|mention|mock|move|pass|protect|raise|refactor|release|return|split|squash|store|throw|treat|try|update)(?= (?:the|an?|it|this|that|these|those|all|any|both|each|every|its|your|up|back|out|no)\\b)';
const request = new RegExp(
  `^(?:also|and|then|just|so|but|oh|first|next|next time|before (?:merging|release|deploy\\w*|shipping)|in addition|finally|lastly|kindly|pls|you should|we should|i'd|let's|let us)?,? ?(?:${actions}) (?!(?:is|are|was|were|has|and|or|of|path|paths|looks?|works?|method|function|flow|endpoint|call|calls|test|tests|handling|logic|case)\\b)[\\w\\[(]`,
);
const obligation =
  /\b(?:please|let's|(?:my|one|the) (?:only |one |sole |single |main |last )?(?:wish|request|ask|concern|worry|complaint|gripe|objection|reservation|caveat|regret)\b(?! (?:was|is gone|is resolved))|(?:should|must|ought to) not|(?:should|must|has to|have to|needs?|ought to|had better|deserves?|wants?) (?:to )?(?:(?:probably|really|also|still|first|at least|ideally|rather) )?(?:be|have|get|put|add|use|go|move|return|check|close|handle|hold|happen|cover|come|do|fix|look|make|remove|rename|take|wait|an?|some|more|another)\b|make sure|be sure to|(?:would|'d) (?:rather|prefer|want|have (?:expected|liked))|would be (?:better|safer|good|nice|wise|worth)|(?:it is|worth) (?:worth|better|safer) to|you(?:'ll| will| may| might| would)? want to|has to go|must go|(?<!than )(?:i|we) (?:would )?(?:suggest|recommend|propose|urge|advise|expected)|worth (?:add|fix|chang|remov|test|check|handl|clos|guard)\w{0,3}ing|^(?:todo|fixme)\b|\b(?:todo|fixme)(?: ?:|s? (?:is|are|left|remain\w*)))/;
/** The obligation is the task's, and is met. */
const met =
  /\b(?:thanks?|kudos)\b|\bstandard for\b|\b(?:and|so|which) (?:it|they|this|that|the (?:code|change)) (?:is|are|does|do|now)\b|\b(?:as|than|where|what|which) (?:it|they|one|we|(?:the|an?)(?: \w+){1,2}) (?:should|must|needs?)|\b(?:task|spec\w*|ticket|criteri\w+|issue|requirements?|plan|documentation|docs|contract|callers?|rfc) (?:say|state|ask|demand|require|want|call)s?\b|\b(?:no|nothing|none|(?<!(?:should|must|to) )not|neither|without|never|whether)\b|^before\b|\b(?:previously|used to|no longer|has been|have been|was|were)\b/;

const numbers = 'one|two|three|four|five|six|seven|eight|nine|ten|\\d{1,3}';
const shortOf = new RegExp(
  `\\b(${numbers}) (?:out )?of (?:the |its |our )?(?:\\w+ )?(${numbers}) (?:acceptance |requested )?(?:criteria|points|items|requirements|tasks|tests|cases|checks|steps|things|goals|hold|are|is|were)\\b|\\b(?:all|every(?:thing)?|each|any) (?:\\w+ ){0,3}but (?:the )?(?:one|two|three|last|first)\\b|\\b(?:most|nearly all|almost all|the majority|half|some|part) of (?:what|the (?:\\w+ )?(?:task|criteria|plan|ticket|spec|requirements?|points|items|issue|steps))`,
);
const noValue =
  /^(?:(?:i|we) (?:could|can|did|do) not|not (?:yet )?\w{2,12}(?:ed|un|en|ne)|not? (?:there|yet|done|met|found|implemented|present|covered|tested|satisfied|fulfilled|included|supported|addressed|started|started yet|working)|missing|absent|todo|tbd|pending|open|partial(?:ly)?|partly|incomplete|half|later|skipped|unmet|unclear|unknown|unverified|untested|not sure|(?:no|none yet)(?= ?[.,;(–—-]|$)|fail(?:s|ed|ing)?|broken|wrong|left out|deferred|❌|✗|✘)\b/;

/** A fault told as what happens. */
const fault = new RegExp(
  [
    // What is done without care, or beyond measure.
    'silently|(?:throws|fails|gives|dies|crashes) (?:\\w+ )?(?:a |an )?(?:different|another|other|new) (?:error|exception)|^(?:an? )?(?:possible )?(?:race|leak|crash|deadlock|bug|hole|gap|regression|injection|overflow)s? (?:in|on|at|when|between|if)|for now|for the time being|cves?|a second time|over and over|thousands of',
    'still (?:pass|passes|accepted?|accepts|valid|active|usable|readable|reachable|running|logged|sent|visible|called|allowed|allows|get|gets|sees?|runs?|uses?|reads?|returns?|points?)',
    '(?:switched|turned) off|disabled|commented out|(?:block|handler|catch|body) is empty',
    '(?:met|works?|done|fixed|handled|implemented|checked|validated|holds?|enforced|closed|released|escaped|supported) only (?:for|if|when|on|in|with)|only (?:met|works?|done|fixed|handled|implemented|checked|validated|holds?|enforced|closed|released|escaped|supported|half|partly|partially)',
    '(?:sql|quer(?:y|ies)|commands?|html|shell|url|where clause) (?:\\w+ ){0,3}(?:put together|concatenated|built|interpolated|assembled|glued) (?:\\w+ ){0,2}(?:from|with|by|out of)|looks like a real|hand-?rolled|trusts it',
    'forever|indefinitely|endlessly|without (?:an? )?(?:end|limit|bound)|no upper (?:bound|limit)',
    '(?:is|are|gets?|goes|being|was|were) (?:\\w+ ){0,2}(?:set|sent|stored|saved|written|called|used|returned|run|started|opened|created|parsed|deleted|passed|read|built|logged|kept|served|accepted|executed|merged|released|cached|computed|cast|trusted|interpolated|concatenated) (?:\\w+ ){0,3}without (?!chang|alter|touch|break|affect|any change|regress)',
    // Where or when it goes wrong.
    '(?:in|on) (?:safari|firefox|chrome|edge|ios|android|mobile|production|busy|slow|big|large|long)|under (?:load|contention|pressure|stress|heavy \\w+)|from the (?:second|third|next) \\w+|for (?:users|people|customers|clients|anyone|teams) (?:in|with|who|without|on|that)|at scale|sometimes|occasionally|now and then|in (?:some|rare|many|certain) cases|on (?:every|each) (?:request|render|call|key\\w*|run|start)|after (?:an hour|a while|a day|some time|a few \\w+|the deploy\\w*|a restart)',
    '(?:shows?|comes?|appears?|happens?|turns?|counted|sent|charged|runs?|logged) (?:up |back |in |out )?again|already gone|(?:went|goes|gone) missing|half (?:a|an|of|the)|a fraction|at 100 ?%|spins|empty (?:in|on|for|after)|zero(?:ed|es)? out',
    // Unease.
    'worr(?:y|ies|ying|ied|isome)|weird\\w*|odd(?:ly)?|strange\\w*|funny|suspicious\\w*|smells?|hack(?:y|ish)?|fragile|brittle|risky|dangerous\\w*|confusing\\w*|misleading\\w*|surpris\\w+|awkward\\w*|questionable|dubious|sloppy|shaky|a (?:shame|pity|stretch|gamble|risk|danger|trap|mess)|uneas\\w+|scar(?:y|es)|not (?:great|ideal|pretty|nice|perfect|happy|convinced|sure|thrilled)',
    'un(?!changed|covered|modif\\w+|touched|til|less|der|i[tqvfo]|related|ambiguous|affected|known|used|do|ix|expected|aware|like|install|packs?|mount|subscri|lock|load|set|reachable|zip|wrap|link|escape[sd]? |necessar|cons|ders)\\w{3,}|mis(?:match|read|count|us|behav|tak|plac|pars|rout|interpret|configur|handl|align)\\w*',
    // What stays or goes that should not.
    '(?:stays?|remains?|keeps?|kept|left) (?:\\w+ )?(?:behind|valid|active)|(?:stays?|remains?|keeps?|kept|left|is|are) (?:\\w+ )?(?:open|locked|blocked|dangling|orphaned|half[- ]\\w+|stuck|in memory|on disk|unlocked|out of sync|on (?:for|in) \\w+|growing|going|running|waiting|spinning|retrying|alive|valid (?:forever|after)|readable (?:by|for|to)|visible (?:to|for|after)|reachable (?:by|from|without))',
    '(?:is|are|was|were|gets?|been) (?:\\w+ ){0,2}(?:left out|forgotten|lost|dropped|swallowed|overwritten|duplicated|counted twice|double[- ]counted|cut off|truncated|mixed up|swapped|leaked|not there|nowhere|shadowed|clobbered|discarded|bypassed|mangled|garbled|corrupted|missed)',
    // What happens and must not.
    '(?:throws|crashes|fails|breaks|dies|panics|errors(?: out)?|blows up|falls over|hangs|times out|explodes|chokes|returns (?:null|undefined|nan|nothing|0|zero|the wrong|an? (?:wrong|empty|stale|old))) (?:on|when|for|if|as soon|after|at|in|whenever|under|because|once)',
    '(?:throws|raises|returns|gives|yields|produces|prints|shows|results in|ends in|leads to) (?:an? )?(?:typeerror|referenceerror|rangeerror|nullpointer\\w*|500|nan|garbage|unhandled|uncaught|infinite|undefined|null pointer|stack overflow|segfault|internal server error|wrong|incorrect|stale|duplicate)',
    '(?:drops|loses|leaks|swallows|overwrites|misses|forgets|skips|clobbers|duplicates|corrupts|shadows|truncates|mutates|blocks|eats|trusts|double-\\w+|hides|wipes|exposes|discards|ignores) (?:the|a|an|any|every|all|each|its|their|errors?|data|rows?|events?|items?|records?|whatever|user|what)',
    '(?:crashes|deadlocks|livelocks|segfaults|overflows|underflows|misbehaves|regresses)',
    // What somebody can do and must not.
    "(?:can|could|may|might|will|would) (?:\\w+ ){0,2}(?:the same|twice|more than once|negative|anyone|everyone|each other|someone else|another (?:user|tenant|customer|account)|others?'?s?\\b|forever|both|arbitrary|at the same time|again and again|deadlock|overlap|interleave|collide|pile up|run out)",
    "(?:any|every|all|each|another|other|someone else) ?(?:\\w+ )?(?:user|customer|tenant|visitor|client|account|person|people|caller|anonymous \\w+)s?'?s? (?:can|could|may|sees?|gets?|is able|has access|\\w+ (?:to|for) anonymous)",
    '(?:to|for|by) (?:anonymous|unauthenticated|unauthori[sz]ed|anyone|everyone|everybody|the (?:whole )?(?:world|public))',
    '(?:for free|money back|pays? twice|charged twice|plain (?:text|http)|clear ?text|world[- ]readable|in the clear)',
    // What nobody does.
    '(?:nothing|nobody|no one|no \\w+ (?:test|tests)|no (?:test|caller|code|check|code path|one|line|job|handler)) (?:ever |really |actually |else )?(?!was|is|this|its|needs|changes|else)(?:\\w+s|are|do|have)(?! (?:changed?|affected|touched|removed|lost|broken|missing|needed|used|relies|rely|depends?|found|left|present|real))',
    '(?:there (?:is|are)|see|saw|find|found|has|have|had|with|got|gets?|comes? with|offers?|provides?|sees?|takes?) no (?!dead|unused|needless|other|table|exclusive|global)(?:\\w+ ){0,2}(?:tests?|check|checks|validation|lock|limit|guard|confirmation|timeout|escape|escaping|bound|cap|rollback|cleanup|index|permission|auth\\w*|protection|fallback|retry|retries|backoff|handling|handler|coverage|assertions?|transaction|owner|default|upper|ttl|expiry|expiration|undo|docs|documentation|way|means|code(?! (?:that|which|path)))',
    '(?:never) (?!again|null|undefined|negative|empty|logs?|stored?|logged|leaves?|throws?|reach\\w*|fail\\w*|hit|exceeds?|goes|silent\\w*|lost|sees?|saw|the|in|had|occurs?|happens?|printed|sent|blocks?|touch\\w*|mutate\\w*|lose|loses|leaks?)\\w+',
    // What is not so.
    '(?:does|do|is|are|has|have|was|were) not (?:\\w+ )?(?:been )?(?:enforced|checked|handled|validated|escaped|awaited|closed|released|there|done|met|covered|tested|sorted|honou?red|respected|configurable|implemented|included|wired|registered|idempotent|atomic|thread-safe|reset|cleared|rolled|work|exist|happen|survive|scale|hold (?:for|when|up|if|true)|apply|match|agree|fit|add up|stop|end|expire|recover|clean|free|close|reach|arrive|cover|handle|check|validate|escape|wait|await|notice|see|know|compile|terminate|reflect|say|fire|run|updated?|synced|what)',
    '(?:wrong|incorrect|stale|unsafe|off by one|one too (?:many|few|short|long|early|late)|too (?:early|late|soon|often|many|few|broad|permissive|loose|wide)|the wrong way|backwards|upside down|inverted|reversed|undefined behaviou?r|unbounded|unescaped|unvalidated|unhandled|untested|racy|insecure|guessable|predictable|flaky)',
  ]
    .map((shape) => `(?:${shape})`)
    .join('|')
    .replace(/^/, '\\b(?:')
    .concat(')\\b'),
  'g',
);

const answered =
  /^(?:a(?:nswer)?: |[–—→-]|(?:yes|no|i \w+ed|none|nothing|not|never|always|it|they|that|this|all|i (?:checked|verified|tried)|the (?:code|change|diff|tests?)|both)\b|✅)/;

/** A question, a request, or a criterion that is not met. */
function leavesOpen(sentence: string, kind: Statement['kind'], next: string): string | null {
  if (/\?["')\]]*$/.test(sentence))
    return kind !== 'heading' && !answered.test(next) ? 'asks a question' : null;
  if (kind === 'heading') return null;
  if (kind === 'row') return isUnmetRow(sentence) ? 'says that not all is done' : null;
  if (sentence.startsWith('☐')) return 'says that not all is done';
  if (request.test(sentence)) return 'asks for something';
  if (obligation.test(sentence) && !met.test(sentence)) return 'asks for something';
  if (isShort(sentence)) return 'says that not all is done';
  const value = /^(?!a(?:nswer)?:)[^:.?!]{1,80}(?::| [–—-]|:? ->| →)\s(.{1,60})$/u.exec(sentence)?.[1];
  return value !== undefined && noValue.test(value) && !noFault.test(sentence)
    ? 'says that not all is done'
    : null;
}

function isUnmetRow(row: string): boolean {
  const cells = row.split('|').map((cell) => cell.trim());
  if (saysSettled(row)) return false;
  return cells.some((cell) => cell.length < 60 && noValue.test(cell)) && !noFault.test(`${cells.join(' ')}:`);
}

/** "Blockers: no", "Breaking changes: no". */
const noFault =
  /\b(?:block\w*|issues?|bugs?|problems?|findings?|concerns?|errors?|regressions?|breaking|vulnerab\w+|leaks?|races?|risks?|changes?|follow-?ups?|nits?|discussions?|needed|required|failures?|questions?|warnings?|todos?|dependenc\w+)\b[^:]{0,40}(?::| [–—-])/;

function isShort(sentence: string): boolean {
  const found = shortOf.exec(sentence);
  return found !== null && (found[1] === undefined || found[1] !== found[2]);
}

/** Where a fault is told. */
function faultsIn(sentence: string): readonly RegExpMatchArray[] {
  const empty = emptyTest.exec(sentence);
  if (empty !== null) return [empty];
  return saysGood(sentence) ? [] : [...sentence.matchAll(fault)];
}

/** A test that shows nothing. */
const emptyTest =
  /\b(?:pass(?:es)?|green) (?:both )?(?:with (?:and|or) )?without\b(?! (?:modif|chang|adapt|any|warn|touch|edit))|\bmocks? the \w+ under test\b|\bmarked (?:it|as )?\.?(?:it|skip\w*|todo|only)\b|\basserts? on the mock\b|\btests? (?:also )?pass(?:es)? (?:also )?(?:on|against) (?:the )?(?:main|master|base|old)\b/;

/** What the author does not know. */
const guess =
  /\b(?:probably|presumably|supposedly|apparently|seemingly|hopefully|maybe|perhaps|possibly|i (?:trust|guess|suppose|hope|wonder|imagine|suspect|doubt|gather|take it|bet)|(?:hard|difficult|impossible|too early|not easy) to (?:say|tell|know|judge|see|be sure)|beyond me|(?:should|ought to) (?:\w+ )?(?:work|pass|be (?:fine|ok|okay|good|safe|correct|right|enough)|go through)|(?:from|by) reading alone|from what i|not (?:my|an?) (?:area|expert|field)|(?:has|have|is|are) not (?:\w+ )?(?:yet|finished|completed)|who knows|no idea|as far as|i believe|time will tell|fingers crossed|benefit of the doubt|gut feeling|at (?:first )?(?:a )?glance|skim\w*|assum(?:e|ing|es|ption)|in theory|on paper|sampled|quick(?:ly)? (?:read|look|looked|pass|scan|scanned)|in my head|(?:i|we) leave|no network|the author (?:knows|says|assure[sd]|told|will|promise[sd]|is aware)|without (?:seeing|running|trying|testing|knowing))\b/;
/** "…, so two branches share one entry." */
const outcome =
  /(?:,|;|—|–|\band) (?:and )?(?:so|hence|therefore|thus|meaning|which means|as a result|consequently|which (?!is|was|does|has|allows|lets|makes|keeps|helps|improves|removes|reduces|simplifies|speeds|handles|means)\w+s)\b (?!that\b|far\b|i\b|we\b)(.{8,})/;

function isGuess(sentence: string): boolean {
  return guess.test(sentence);
}

/** A consequence that is neither good nor over nor denied. */
function isOutcome(sentence: string): boolean {
  const said = outcome.exec(sentence)?.[1];
  return said !== undefined && !saysGood(sentence) && !harmlessOutcome.test(said);
}

const harmlessOutcome =
  /\b(?:no|not|none|nothing|never|neither|without|cannot|only|would fail|surfaces|keeps?|was|were|had|came|gave|did|works?|still|same|each|now|default|old|existing|any)\b/;

/** "Apart from these it is fine", where these were only remarks. */
function isRemainder(sentence: string, before: string): boolean {
  return (
    /^(?:otherwise|(?:apart|aside) from|other than|besides|beyond)\b/.test(sentence) && isMildSentence(before)
  );
}

function isContrast(sentence: string): boolean {
  const at = sentence.search(
    /\b(?:but|though|although|however|yet|except|unless|only that)\b(?! (?:(?:most|much|all|the (?:rest|bulk|majority)) of (?:it|that|this|the diff) is|not(?! (?:in|on|for|when|with|at|by|the|if)\b)|only))/,
  );
  return contrast.test(sentence) || (at > 0 && !isAccounted(sentence.slice(at)));
}

const place =
  /^[[(]?(?:it\b(?:,? (?:and )?it\b)*[)\]]?(?: \([^()]{1,40}\))? ?[:–—-]|[\w./-]{1,120}\.[a-z]{1,5}(?::\d[\d:-]{0,12}))/;

/** "`src/a.ts:14`: …" is a finding unless it says why it is none. */
function isBareFinding({ text, kind }: Statement): boolean {
  return kind === 'item' && place.test(text) && !saysGood(text) && !described.test(text);
}

/** What the change does. */
const described =
  /(?:[:–—-] |^\S+ )(?:new|now|adds?|added|moves?|moved|renames?|renamed|removes?|introduces?|extracts?|replaces?|updates?|updated|changes?|changed|implements?|wires?|registers?|uses?|reads?|writes?|splits?|calls?|creates?|exports?|exposes|reverts?|starts?|stops?|waits?|defines?|contains?|documents?|switch\w*|bumps?|refactor\w*|simplif\w+|deletes?|deleted|converts?|wraps?|drops?|done|met|covered|verified|yes|only|the new|small|just|docs|ok)\b|\bso (?:that )?[^.]{0,60}\b(?:not|no longer|never|can not)\b|(?:is|are) (?:written|closed|released|freed) (?:once|in)\b/;

function isPresent({ 0: words, index = 0, input = '' }: RegExpMatchArray): boolean {
  const end = index + words.length;
  if (/\b(?:no|not|nothing|never|nobody)\b[^,;:]{0,30}$/.test(input.slice(Math.max(0, index - 60), index)))
    return false;
  return !isDenied(input, index, end) && !isToldOf(input, index, end);
}

/** What the statement leaves open; null when nothing. Not for what stands under "Follow-ups" and the like. */
export function openMatter(
  one: Statement,
  next: Statement | undefined,
  before: Statement | undefined,
): string | null {
  if (one.kind === 'row') return leavesOpen(one.text, 'row', '');
  const sentences = sentencesOf(one.text);
  for (const [index, sentence] of sentences.entries()) {
    if (isMildSentence(sentence) || isMildSentence(sentences[index - 1] ?? '') || saysNil(sentence)) continue;
    if (isWeighedMild(sentences[index + 1])) continue;
    const open = leavesOpen(sentence, one.kind, sentences[index + 1] ?? next?.text ?? '');
    if (open === 'asks a question') return open;
    if (isTold(sentence) || sentence.endsWith('?')) continue;
    if (open !== null) return open;
    if (isContrast(sentence) && !isRemainder(sentence, sentences[index - 1] ?? before?.text ?? ''))
      return 'speaks of what is not fine';
    if (isGuess(sentence)) return 'is not sure';
    if (isOutcome(sentence) || faultsIn(sentence).some(isPresent)) return 'tells of a fault';
  }
  return !isMildSentence(one.text) && isBareFinding(one) ? 'names a place and what is there' : null;
}
