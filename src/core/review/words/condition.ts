/** Conditions on an approval, and what may stand after one. */

const approval =
  /\b(?:approv(?:e|ed|al|ing|es|able)|lgtm|ship(?:ping)? (?:it|this)|(?:good|ready|safe|fine|ok|okay|clear|happy|free|clean|mergeable|all set|suitable) (?:for me )?(?:to (?:merge|ship|land|go|be merged|approve|release|deploy)|for (?:merge|merging|release|production))|(?:can|could|should|may|will) (?:then |now |safely |be |go ahead and ){0,3}(?:merged?|land(?:ed)?|shipped|ship|released?|go in)|mergeable|sign(?:ing|ed|s)?[ -]?off|no objections?|comfortable|^yes|^merge|green[- ]light|thumbs[- ]up|good to go|go ahead|accept this|acceptable|i(?:'m| am) (?:fine|ok|okay|happy|good) with|looks (?:good|fine|great|ok|okay|solid)|(?:is|are|this is|all) (?:good|fine|great|ok|okay|solid))\b/;
const domainApproval =
  /\bapproval (?:flow|workflow|queue|button|status|step|gate|state|request|rule|process|policy|screen|page|event|record|table|logic|chain)s?\b|\b(?:an?|each|every|the|auto|pre|un)[- ]?approved (?:\w+ )?(?:user|order|request|item|post|comment|invoice|expense|plan|list|vendor|state|status|task|record|entry)s?\b|\bapproved[_ ](?:at|by|on)\b(?! the (?:understanding|condition|assumption|premise|basis|proviso))|\b(?:order|request|item|post|comment|invoice|expense|user|vendor)s?\b[^.;]{0,60}\b(?:be|is|are|was|were) approved\b/g;
const hedge =
  /\b(?:if|once|the moment|hinges?|depends?|given that|premise|on the basis|own risk|rests on|when|unless|after|until|till|provided|providing|pending|assuming|assume|assumes|subject to|condition|conditions|conditional|conditionally|conditioned|contingent|as (?:soon|long) as|so long as|except|however|though|although|modulo|barring|apart from|aside from|other than|only|before|with the (?:caveat|understanding|expectation|proviso)|caveats?|in principle|in theory|in spirit|tentative\w*|provisional\w*|leaning|would|could|might|may|almost|nearly|mostly|not|never|hesitant\w*|hesitation|reluctant\w*|wait|waiting|needs?|must|should|fix|fixed|fixing|fixes|please|address|addressed|requires?|required|remaining|otherwise|requests?|later|then|and (?:add|fix|remove|update|rename|change|make|run|rebase)|given that|contingency|follow(?:ing)? (?:a|the) fix|minus|short of|bar|in exchange|on the (?:condition|understanding|assumption)|with (?:changes|fixes|modifications|reservations|conditions|the following))\b/;
const but = /\bbut\b/;
const harmless =
  /\bnothing (?:that |which )?(?:would|could|might|must|needs to|has to|should)(?: \w+){1,3}|\bno (?:reason|grounds?|need|cause)s? (?:not )?to \w+|\b(?:no|zero|0|without|not|nothing|none|non)[\s-]+(?:(?:a|an|any|of|these|them|those|which|is|are|that|more|further|remaining|outstanding|open|other|new|critical|major|serious|significant|additional|code|worth|real|merge|the|follow-?up|required|here) ){0,6}(?:blockers?|blocking|blocks?|issues?|findings?|changes?|problems?|concerns?|objections?|comments?|suggestions?|reservations?|conditions?|holding|hesitations?|caveats?|questions?|regressions?|reasons?|complaints?|action|needed|required|necessary|requests?)\b(?: (?:are |is |were )?(?:needed|required|requested|found|remain(?:ing)?|left|necessary|from me|on my side))?|\bnon-? ?blocking\b|\b(?:can|may|could) (?:wait|be (?:done|addressed|handled|deferred|picked up|left)(?: \w+)? (?:later|separately|in (?:a )?(?:follow-?up|later|separate|future)[^.]{0,30}))\b|\b(?:if you (?:like|want|wish|prefer)|when (?:you|someone) (?:have|has|gets?) (?:a |the )?(?:time|moment|chance)|optional(?:ly)?|follow-?ups?|at your (?:discretion|leisure)|whenever convenient|should you wish|not only|as[- ]is|no later than)\b|\b(?:fixed|addressed|resolved) (?:all|every|both|each|the (?:previous|earlier)|in (?:this|the|cycle|round))\b|\b(?:all|every|both|each)(?: \w+){0,6} (?:is|are|was|were|have been|has been|now)(?: \w+)? (?:fixed|addressed|resolved|met|covered|handled|done)\b/g;
const goodBut =
  /\bbut\b[^.]{0,80}\b(?:non|optional|none|nothing|no|not|nits?|minor|follow-?ups?|well|correct|clean|clear|safe|fine|thorough|sound|tested|small|simple|consistent|readable|later|harmless|trivial|cosmetic|acceptable|reasonable|optional|taste|style)\b/;

const reviewWork =
  '(?:fix(?:ed|es)?|addressed|resolved|rebased|green|merged|documented|confirmed|covered|squashed|reverted|(?:is|are|been|gets?|be|tests?) added|tests? (?:pass|passes|land|exist)|test passes|ci (?:is|passes|goes)|the (?:nits?|comments?|blockers?|issues?|findings?|points?|items?|above|changes?) (?:is|are|have|has|gets?)|(?:that|this|it|those|these) (?:is|are|has been|have been) (?:done|fixed|addressed|in|sorted|changed|updated|removed|renamed|handled|cleared))';
const ifDone = new RegExp(
  `(?<!\\b(?:at|only|just|exactly|than|more) )\\b(?:once(?! (?:at|per|a|in|on|and|when)\\b|[,.;])|provided|providing|assuming|as soon as|as long as|so long as|subject to|contingent on|conditional on|pending|modulo|on (?:the )?condition)\\b[^.]{0,120}\\b${reviewWork}\\b`,
);
const conditional =
  /^unless\b|^with (?:the|that|this|these|those)\b[^,]{0,60}(?:ed|done|gone|in place),(?=.*\b(?:approv\w+|good|fine|ok|okay|happy|merge|ship|ready|lgtm|yes)\b)|^should (?:the|this|that|it|ci|tests?|a|any|all|these|everything)\b|\bat your own risk\b|\b(?:conditional (?:approval|approve|on)|conditionally|subject to|contingent (?:on|upon)|(?:with|on|under) the (?:caveat|understanding|proviso|condition|expectation|assumption|premise|basis that)|on (?:the )?condition|assuming (?:ci|tests?|the|that|you|this|no)|provided (?:that|the|you|ci|tests?)|pending (?:ci|the|a|an|tests?|confirmation|green|fix)|modulo\b|contingent|my approval (?:assumes|depends|is|stands only|requires|holds)|(?:the|this) approval (?:assumes|depends|is conditional|stands only|requires|holds)|condition(?:s)? (?:for|of|on) (?:approval|merg\w+|this)|merge (?:once|after|when|if|only|provided|as soon as)|(?:merge|merged|approve|approved|lgtm|ship it|ship) (?:only )?(?:once|after|if|when|provided|assuming|pending|with the|as soon as|modulo|except|but))\b/;

/** "Nothing else apart from the missing check." */
const goodExcept =
  /\b(?:nothing|no|none|all|everything|tested|covered|works?|done|good|fine|great|solid|ok|okay|lgtm|looks|correct|approved?|complete)\b[^.;]{0,80}\b(?:apart from|other than|except(?:ing)?(?: for| that)?|aside from|save for|barring|besides|with the exception of) (?!(?:that|this|those|these|(?:the |a few |some |two |three |one |an? )?(?:\w+ )?(?:nits?|minor|small|tiny|optional|stylistic|cosmetic|style|naming|follow-?ups?|non|above|suggestions?|typos?))\b)|^(?:apart from|other than|except for|aside from|save for|with the exception of) (?!(?:that|this|those|these|(?:the |a few |some |two |three |one |an? )?(?:\w+ )?(?:nits?|minor|small|tiny|optional|stylistic|cosmetic|style|naming|follow-?ups?|non|above|suggestions?|typos?))\b)/;
const mergeThen =
  /\b(?:(?:i'd|i would|you (?:can|may|could)|we (?:can|could|may)|feel free to|happy to|ok to|okay to|fine to|go ahead and) merge|merge (?:this|it|the (?:pr|change|branch)))\b[^.;]{0,40}\b(?:once|after|when|if|only|provided|assuming|as soon as|until|unless|but)\b|\b(?:and|then) (?:then )?merge\b|\b(?:one|two|three|a few|some|several|\d) (?:\w+ )?(?:things?|items?|points?|changes?|fix(?:es)?) (?:to|that|which|must|needs?|left|remaining|i need|i want|first|before)\b/;
/** "Fine once the lock is released." */
const goodOnce =
  /\b(?:fine|good|ok|okay|great|happy|all set|acceptable|solid|yes|sure|nice|works for me|no objections?)\b,?(?: [\w-]+){0,4},? (?:once(?! (?:per|a|an|in)\b)|if|assuming|provided|providing|after|when|as soon as|as long as|pending|modulo|until|subject|except|apart from)\b|\b(?:safe|ready|done|complete|mergeable|correct|there|works|approval|verdict)\b,?(?: [\w-]+){0,4},? (?:once(?! (?:per|a|an|in)\b)|assuming|provided|as soon as|as long as|pending|modulo|subject to)\b/;

const wordCharsMax = 2000;

/** Whether the sentence makes an approval depend on something. */
export function hasCondition(sentence: string, isMildPlace: boolean): boolean {
  const text = sentence.slice(0, wordCharsMax).replace(domainApproval, ' ');
  const plain = text.replace(harmless, ' ');
  if (goodExcept.test(text) || (!isMildPlace && mergeThen.test(plain))) return true;
  if (conditional.test(plain) || goodOnce.test(plain) || (!isMildPlace && ifDone.test(plain))) return true;
  const given = approval.exec(text);
  if (given === null) return false;
  const isWeak = /^(?:looks|is|are|this is|all|acceptable|i'm|i am)/.test(given[0]);
  const rest = plain.replace(/^[^\p{L}]*(?:\w+ ){0,3}verdict(?: is)?\s?[:=–—-]*/u, '');
  if (isWeak) return weakHedge.test(rest);
  return hedge.test(rest) || (but.test(rest) && !goodBut.test(text));
}

/** "Looks good" is said of details too: there only a plain condition counts. */
const weakHedge =
  /^(?:once|if|when|after|provided|assuming|with)\b|\b(?:once|provided|assuming|as soon as|as long as|if you|but (?:please|the|there|it|i|you|we|first)|must|needs? to|has to|have to|except|apart from|aside from|other than)\b/;

const tail =
  /^(?:oh|p\.? ?s|one (?:more|other|last|final)|one thing|by the way|btw|second thoughts|while|also,|but|however|except|although|wait|actually|unless|until)\b/;
const tailWord =
  /\b(?:but|however|except|although|though|wait|actually|unless|until|once|must|needs? to|should|please|have to|has to|verdict|quoted|pasted|copied|template|example|not mine|instead|first|condition|above|asked me|told me|remember to|make sure|be sure|ensure|don't forget|do not forget)\b|\?\s*$|\?\s/;

/** What someone is to do. */
const order =
  /^(?:just |also |then |only |and |oh,? (?:and )?|now |but |so )*(?:fix|add|remove|rename|update|run|rotate|check|verify|change|revert|rebase|squash|bump|merge|wait|test|confirm|address|resolve|handle|move|replace|restore|drop|use|make|ensure|remember|double-check|hold|do not|keep|set|bound|split|rework)\b(?! (?:is|are|was|were|looks?|works?|itself|verified|passes|passed|added|coverage|and|for|in|of|by)\b|[,.:])/;

/** After the verdict only a plain remark may stand. */
export function speaksInTail(sentence: string, isAdded: boolean): boolean {
  const plain = sentence
    .slice(0, wordCharsMax)
    .replace(harmless, ' ')
    .replace(/\b(?:listed|noted|described|mentioned|named|shown) above\b/g, ' ');
  if (/^[^\p{L}]*(?:\w+ ){0,3}verdict\b/u.test(plain)) return false;
  return tail.test(plain) || order.test(plain) || (isAdded && tailWord.test(plain));
}

const openWord =
  /(?:^|\s)(?:the|a|an|of|and|or|but|to|in|with|that|which|because|is|are|was|if|when|for|not|no|this|on|at|by|from|as|so|its|their|would|will|can|could|should|must|does|has|have|than|into|where|while|since|unless|until|however|then|also|i|we|my|our)$/;

/** Whether the statement stops in the middle: a comma, or a word that wants another. */
export function isOpenEnd(text: string, next: string | undefined): boolean {
  const end = text.slice(-200).trimEnd();
  if (/: ?[–—]$/.test(end)) return false;
  if (/[,([{–—]$/.test(end)) return text.length > 12 || next === undefined;
  return openWord.test(end) && text.split(' ', 6).length >= 5;
}
