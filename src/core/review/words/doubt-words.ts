/**
 * Words that do not go with an approval. Each is matched in a sentence of the author's own; `isDeniable`: not when
 * the sentence says that there is none or that it is settled; `isMild`: not under a title like "Nits" either.
 */
export interface DoubtWords {
  readonly what: string;
  readonly pattern: RegExp;
  readonly isDeniable: boolean;
  readonly isMild?: true;
}

const work = '(?:pr|mr|change|changes|patch|diff|branch|merge|merging|release|code|commit|work|pull request)';

const verdictWords: readonly DoubtWords[] = [
  {
    what: 'asks for changes',
    pattern:
      /\b(?:approved?|lgtm|good|fine|ok(?:ay)?|ship it),? with (?:one|two|three|a few|some|these|those|the following|\d) (?:\w+ )?(?:changes?|fix(?:es)?|exceptions?|corrections?)\b|\b(?:request|requests|requesting|(?:i|we|have|i've|am|to) requested|requir(?:e|es|ing)|needs?|wants?) (?:\w+ ){0,2}changes\b|\bchanges? (?:(?:are|is|were|be|still|remain) )?(?:requested|required|needed|necessary)\b/,
    isDeniable: true,
  },
  {
    what: 'says that it needs work',
    pattern:
      /\b(?:needs?|requires?|wants?|deserves?) (?:(?:some|more|further|additional|another|a|an|bit|lot|of|little|one) ){0,4}(?:work|rework|reworking|discussion|revision|pass|look|round|iteration|input|decision|attention|fix|fixes|fixing)\b/,
    isDeniable: true,
  },
  {
    what: 'says that it is not ready',
    pattern:
      /\b(?:score|rating|grade|quality)\b[^.]{0,20}\b(?:[0-5](?:\.\d)? ?(?:\/|out of) ?10|[0-2](?:\.\d)? ?(?:\/|out of) ?5)\b|\b(?:far|a long way) from (?:being )?(?:done|ready|complete|finished|it)\b|\bnot (?:yet |quite |fully |really |be |been ){0,3}(?:ready|mergeable|approv\w+|acceptable|shippable|mergable|merge-ready|production[- ]ready|good to|safe to|ok to|okay to|comfortable|confident|convinced|happy|there yet)\b|\bno-go\b|\bnack\b|\bveto\b|\bon hold\b/,
    isDeniable: false,
  },
  {
    what: 'says not to merge',
    pattern: new RegExp(
      `\\b(?:do|should|must|can|could|would|will|shall|may|to) not (?:\\w+ )?(?:be )?(?:merged?|approved?|ship(?:ped)?|land(?:ed)?|released?|deploy(?:ed)?|accept(?:ed)?|sign off|recommend|endorse|go (?:in|out|live|ahead))\\b|\\b(?:unable|reluctant|hesitant) to (?:approve|recommend|sign)|\\bhold (?:off|the|this|up (?:the|this|on))\\b|\\b(?<!rollback: )\\b(?:revert|reject(?:s|ed|ing)?|blocks?|blocking|stop|withhold(?:ing)?|delay|postpone) (?:(?:the|this|that|my|our|it) )?(?:${work}|approval)\\b|\\bi(?:'d| would| must| have to)? (?:reject|decline|refuse|withhold|withdraw|retract|revoke|rescind)\\b(?! (?:that|this|the|my) (?:\\w+ )?(?:point|finding|concern|comment|objection|remark|blocker))|\\b(?:must|should|has to|needs to) be (?:rejected|reverted|blocked|held)\\b|\\bmerge[- ]block(?:er|ing)\\b|\\b(?:recommend\\w*|advise|vote|argue|lean\\w*|recommendation is|suggest) (?:strongly )?(?:against|rejecting|(?:to|not to|holding|waiting|not) \\w+)\\b|\\bagainst (?:merging|approving|shipping|landing|releasing|this)\\b|\\blet(?:'s| us) not\\b|\\b(?:go|goes|send|sent|sending) (?:this |it )?back (?:to|for)\\b|\\breservations?\\b|\\bto reject\\b|\\bplease (?:revise|rework|reconsider|resubmit)\\b`,
    ),
    isDeniable: true,
  },
  {
    what: 'names a blocker',
    pattern:
      /\b(?:merge-|release-)?block(?:er|ers)\b|(?<!non)(?<!non-)(?<!non )\bblocking (?:issue|bug|problem|concern|finding|comment|item|defect|point|change|matter|question|feedback)s?\b|\b(?:is|are|as|it's|that's|this|which) (?:(?!not?\b|non\b|never\b|hardly\b)\w+ )?blocking\b(?! (?:call|i\/o|io|read|write|wait|operation|queue|the (?:event|main|thread|loop|ui)))|\bblocking[.!]?$/,
    isDeniable: true,
  },
  {
    what: 'leaves the decision open',
    pattern:
      /\b(?:needs?|requires?|deserves?|warrants?|worth|awaiting|pending) (?:a |an |some |further |more |the |human |team |maintainer |product |security )*(?:decision|discussion|sign-?off|judg[e]?ment|review|confirmation|clarification|approval)\b|\b(?:maintainers?|owners?|humans?|a person|some(?:one|body)|any(?:one|body)|the team|product|you) (?:should|must|needs? to|has to|have to|ought to) (?:decide|confirm|discuss|weigh in|sign off|choose|approve|check|verify|read|look|judge|review)\b|\b(?:hand(?:ing|ed)?|pass(?:ing|ed)?|leav(?:e|ing)|left|defer(?:ring|red)?|up) (?:\w+ ){0,3}to (?:the |our )?(?:\w+ )?(?:team|owners?|maintainers?|experts?|dbas?|ops|colleagues?|someone|somebody)\b|\bto be (?:approved|confirmed|reviewed|checked|decided) by\b|\b(?:second|another|more|fresh) (?:pair|set) of eyes\b|\b(?:nobody|no one) (?:has )?(?:signed|agreed|approved|decided|confirmed|said)\b|\b(?:let us|let's|should|must|need to|want to|like to) (?:first )?discuss\b|\bopen questions?\b/,
    isDeniable: true,
  },
];

const severeNoun =
  '(?:bug|issue|flaw|defect|problem|concern|vulnerabilit(?:y|ies)|regression|gap|hole|finding|error|mistake|oversight|omission|shortcoming|breakage|fault|weakness|red flag)s?';

const severeWords: readonly DoubtWords[] = [
  {
    what: 'names a severe fault',
    pattern: new RegExp(
      `\\b(?:critical|major|serious|severe|significant|high[- ](?:severity|priority|risk|impact)|grave|show-?stopp(?:er|ing)|fatal|dangerous|nasty|glaring|fundamental|blocking|important|correctness|security|real|genuine|subtle|latent) (?:[\\w-]+ ){0,2}?${severeNoun}\\b|\\bshow-?stoppers?\\b|\\bdeal-?breakers?\\b|\\bred flags?\\b`,
    ),
    isDeniable: true,
  },
  {
    what: 'names a severity',
    pattern:
      /[–—-] (?:critical|blocker|blocking|high|major|severe|p0|p1)\b ?[–—:-]|\bshould[- ]fix (?:before|prior)|\[(?:p0|p1|blocker|blocking|critical|high|major|severe|must[- ]fix|required)\]|\((?:p0|p1|blocker|blocking|critical|high|major|severe|must[- ]fix|high severity)\)|\b(?:severity|priority) ?[:=-]? ?(?:blocker|critical|high|major|severe|p0|p1|urgent)\b|\b(?:p0|p1|sev-?[01])\b|\b(?:critical|high)[- ](?:severity|priority)\b/,
    isDeniable: true,
  },
  {
    what: 'says that it must be fixed',
    pattern:
      /\bmust[- ](?:be )?(?:\w+ly )?(?:fix|fixed|address|addressed|resolved?|corrected|reworked|reverted|sorted)\b|\b(?:must|needs? to|has to|have to|ought to|should|required to) (?:first |really |definitely |still |also )?be (?:\w+ly )?(?:fixed|addressed|resolved|corrected|reworked|rewritten|reverted|sorted|dealt with|tackled|handled|investigated|added|removed|restored|reconsidered|rolled back|hardened|closed)\b|\b(?:need|needs|requires?) (?:a |an |some )?(?:fix|fixes|fixing|test|tests|guard|lock|migration|rollback)\b/,
    isDeniable: true,
    isMild: true,
  },
  {
    what: 'names what must happen before the merge',
    pattern:
      /\b(?:before|prior to|ahead of|until) (?:(?:this|it|we|you|the|that|actually|any|they) ){0,2}(?:can be |could be |may be |is |are |gets? |be |being |can )?(?:merg\w+|ship\w*|land(?:s|ed|ing)?|releas\w+|deploy\w*|approv\w+|roll\w* out|rollout|going (?:in|out|live)|goes (?:in|out|live)|go-live|production)\b/,
    isDeniable: true,
  },
  {
    what: 'asks for something',
    pattern:
      /(?:^|[,:] |\band )please\b|\b(?:can|could|would|will) you (?:please )?(?:\w+)\b|\b(?:author|you) (?:must|should|needs? to|has to|have to)\b|^todo\b|\btodo ?:/,
    isDeniable: false,
    isMild: true,
  },
];

const doubtfulMind: readonly DoubtWords[] = [
  {
    what: 'changes its mind',
    pattern:
      /\bsecond thoughts?\b|\b(?:i|we) no longer (?!see|find|have)|^(?:oops|sorry|apologies|my mistake|revised)\b|^(?:scratch|strike|ignore|disregard)\b|^(?:oh |hmm+,? |ok,? |okay,? |but |no,? |and |well,? |ah,? )?(?:wait|hold on|hmm+|actually,|scratch that|strike that|on (?:second thoughts?|reflection|further reflection|closer (?:inspection|look|reading)|re-?reading|reconsideration|balance,? however)|let me (?:reconsider|revise|correct|re-?check|re-?think|double-?check|take another|look again)|correction|never ?mind|thinking (?:about (?:it|this) (?:more|again)|again)|looking (?:again|closer|more closely)|re-?reading|upon (?:closer|further)|having (?:looked|thought) (?:again|more)|i (?:missed|overlooked|spoke too soon|take (?:that|it|this|my)|was wrong|need to (?:revise|correct|change)|have to (?:revise|correct|take)|must (?:revise|correct|take)|should (?:revise|correct)|retract|changed? my mind|now (?:see|realise|realize|think|notice))|edit:|update:|addendum|p\.?s\.|well,? (?:one|there|almost|except|maybe|actually))(?![\w-])/,
    isDeniable: false,
  },
  {
    what: 'changes its mind',
    pattern:
      /\b(?:on second thoughts?|scratch that|i spoke too soon|i take (?:that|it|this|my approval) back|changed? my mind|(?:my|the) (?:earlier|previous|initial|first|above) (?:verdict|assessment|approval|conclusion|judg[e]?ment) (?:was|is|no longer|does|did|above|should|has)|(?:reconsidering|revising|withdrawing|retracting|changing) (?:my|the|this) (?:verdict|assessment|approval|position|mind))\b/,
    isDeniable: false,
  },
  {
    what: 'is not sure',
    pattern:
      /\b(?:i am|i'm|am|still|not entirely|a bit|slightly|remain) (?:not (?:sure|certain|confident|convinced|clear)|unsure|uncertain|unclear|worried|concerned|uneasy|nervous|skeptical|sceptical)\b|\bmight be (?:my|me|due|because|something|related|an? (?:problem|bug|issue))\b|\b(?:unsure|uncertain) (?:whether|if|about|that|how)\b|\b(?:it is|it's|it remains|remains) (?:unclear|not clear|uncertain|unproven|unverified)\b|\bi (?:doubt|worry|fear|suspect)\b|\bmy (?:main |only |biggest |one |primary )?(?:concern|worry|reservation|objection)s?\b|\b(?:serious|strong|some|several|a few|remaining|open|unresolved|outstanding|unaddressed) (?:\w+ )?(?:concern|reservation|objection|blocker|defect|bug)s?\b/,
    isDeniable: true,
  },
  {
    what: 'is not a whole review',
    pattern:
      /\b(?:visible|readable|shown|given) (?:part|portion|half|lines?|files?)\b|\bwhat (?:i|we) (?:was|were|have been|am) (?:given|shown|able)\b|\b(?:diff|file|patch|output|log|text|message)\b[^.]{0,40}\b(?:ends|stops|breaks off|is cut)\b[^.]{0,20}\b(?:middle|abruptly|mid|early|half)|\b(?:branch|commit|pr|ref|pull request)\b[^.]{0,60}\b(?:does not exist|not found|is missing|could not be \w+)\b|\bno commits\b|\b(?:diff|branch|patch|change|commit) is empty\b|\bempty (?:diff|branch|patch|change|commit)\b|\bwithout (?:them|it|that|these|access)\b[^.]{0,30}\b(?:i|we)\b|\b(?:with|from|by) what (?:i|we) have\b|\b(?:parts?|files?|half|bits?) (?:that |which )?(?:i|we) (?:could|can|was able|were able|managed)\b|\bno time to\b|\b(?:no|without) access to\b|\b(?:archive|file|diff|attachment|download|clone|checkout)\b[^.]{0,40}\b(?:is|was) (?:\w+ )?(?:corrupt\w*|unreadable|damaged|inaccessible)\b|\b(?:have|had|has|some|my|few|serious) doubts\b|\b(?:based|judging|going) (?:\w+ )?(?:on|from|by)\b[^.]{0,40}\b(?:alone|only|title|description|commit message)\b|\banyone's guess\b|\bpresumably\b/,
    isDeniable: false,
  },
  {
    what: 'leaves something to do',
    pattern: /\ba todo\b/,
    isDeniable: true,
    isMild: true,
  },
  {
    what: 'is not a whole review',
    pattern:
      /\b(?:i|we) (?:(?:have|could|did|was|were|am|can|had|do) )?(?:not|only|merely|never|unable to|no way to|no time to) (?:yet |able to |been able to |fully |actually |really |get to |got to |to |manage to |had time to |have time to |have |been )*(?:review(?:ed)?|verif(?:y|ied)|run|ran|test(?:ed)?|confirm(?:ed)?|check(?:ed)?|read|look(?:ed)?(?: at)?|see|saw|seen|open(?:ed)?|inspect(?:ed)?|finish(?:ed)?|reproduced?|access(?:ed)?|examined?|complete|skimmed|validated?|cover(?:ed)?|evaluated?|load(?:ed)?|view(?:ed)?)\b|\bonly (?:looked at|reviewed|skimmed|read|checked|saw|part of)\b|\b(?:review|diff|output|response|message|text|file|answer|log|analysis) (?:was|is|has been|got|were|remains|above is) (?:\w+ )?(?:truncated|cut|cut off|incomplete|partial|abbreviated|unfinished)\b|\[(?:\.\.\.|…|truncated|output truncated|cut|snip|continued|omitted|remaining [^\]]{0,40})\]|\b(?:to be continued|continued (?:in|below|next)|ran out of (?:time|tokens|context|turns|budget)|(?:token|turn|context|output|length) limit|part 1 of|part one of|unable to (?:verify|run|test|confirm|review|check|access|open|complete)|(?:partial|incomplete|preliminary) (?:review|verdict|approval))\b|\bunable to (?:execute|build|compile|start|install|reach|reproduce|finish|load|see)\b|\b(?:files?|hunks?|parts?|modules?|sections?|rest|remainder|migrations?|half|tests?) (?:\w+ ){0,4}(?:not|never|un) ?(?:yet )?(?:been )?(?:reviewed|looked at|read|checked|examined|opened|inspected|covered by this review)\b|\bcut off (?:at|after|by|here|because)\b|\b\d{1,4} (?:of|out of) (?:the )?\d{1,4} (?:\w+ )?(?:files?|hunks?|commits?|lines|modules?|changes)\b|\b(?:my |the )?context (?:(?:window|length) (?:ran|is|was|ended|got)|ran out)\b|\bran out\b|\btoo (?:large|long|big|much) (?:for me )?to\b|\b(?:was|were|are|is|been) not (?:run|executed|reviewed|tested|verified|checked|looked at|read|inspected|examined)\b|\b(?:rest|remainder|continuation|part \d) of (?:the|my|this) (?:review|answer|analysis)\b|\b(?:review|answer) (?:continues|follows)\b|\bdue to (?:length|size|time|limits?)\b|\b(?:so far|until now|up to now)\b|\bomitted\b|\b(?:is|are) (?:unread|unreviewed)\b|\bi reviewed only\b|\bcould finish\b|\bcovers? only\b|\bonly covers?\b|\b(?:i|we) (?:stopped|ran out|gave up|skipped|skimmed)\b|\b(?:analysis|review|audit|reading|check)\b[^.]{0,60}\b(?:is|are|was|were|remains?) (?:\w+ )?(?:incomplete|partial|unfinished|superficial|not complete|limited to)\b|\b(?:half|part|some|a fraction|most|the first \w+) of the (?:diff|files?|changes?|code|patch|review|requested|tests)\b/,
    isDeniable: true,
  },
  {
    what: 'repeats what someone wants it to say',
    pattern:
      /\b(?:ignore|disregard|override|forget)\b[^.]{0,40}\b(?:instructions?|rules|prompts?|guidelines|findings)\b|\bas (?:requested|asked|instructed|told|required|demanded) (?:by|in) (?:the |a |this )?(?:note|comment|file|readme|contributing|docs?|description|author|instructions?|prompt|commit)\b|\b(?:ask(?:s|ed|ing)?|instruct\w*|tell(?:s|ing)?|told|urg\w+|demand\w*|order(?:s|ed|ing)?|tr(?:y|ies|ied|ying) to|attempt\w*)\b[^.]{0,60}\b(?:approve|approved|approval)\b|\b(?:reviewers?|bots?|agents?|assistants?|models?|llms?|ais?) (?:must|should|shall|will|have to|needs? to|are to|is to)\b|\bprompt[- ]injection|\breviewer instructions?\b|\binstructions? (?:for|to) (?:the )?(?:reviewer|model|agent|bot)|\balways (?:answer|respond|reply|end|approve|say|output|print)\b|\b(?:answer|respond|reply|end) with (?:an? |the )?(?:approv\w+|verdict)\b|\b(?:inject|steer|manipulat)\w*\b[^.]{0,60}\b(?:reviewer|review|verdict|agent|model)|^(?:system|human|user|assistant|developer)(?: message| prompt)? ?:|\b(?:begin|end|start) (?:of )?(?:quoted?|file|review|message|output|document|diff|log|forwarded|transcript|paste|excerpt|untrusted)\b|\bwrote ?:?$|<\/?(?:system|user|assistant|human|instructions?|prompt|developer)\b|^\[?(?:assistant|system|user|human|note to)\b|\bforwarded\b|^-{2,}.{1,60}-{2,}$|\b(?:here is|this is|below is|here are|following is) (?:the |a )?(?:text|content|contents|output|body|copy|transcript|log|message|file)\b|\bthe instructions? (?:in|of|from)\b|\brepeat (?:your|the) verdict\b|\bemit (?:the|an)\b/,
    isDeniable: false,
  },
];

const defects: readonly DoubtWords[] = [
  {
    what: 'says what will break',
    pattern:
      /\b(?:will|would|can|could|may|might|would still|can still|could still|is going to|are going to|is likely to|likely to|tends to|bound to) (?:still |then |silently |also |easily |potentially |now |just |simply |always |both |eventually |actually |be able to |happily |permanently |immediately )*(?:crash|corrupt|leak|lose|deadlock|hang|panic|overflow|double|blow up|break|fail|expose|overwrite|wipe|destroy|drop|bypass|escape|stall|starve|race|truncate|explode|diverge|duplicate|charge twice|be (?:lost|leaked|exposed|corrupted|overwritten|dropped|broken|exploited|bypassed|skipped|ignored|double|charged|duplicated|wrong|rejected|left|undefined|null|swallowed|stale|forged|guessed|abused)|throw|return (?:the wrong|wrong|stale|null|undefined|incorrect)|grow|go wrong|read (?:stale|garbage)|steal|inject|execute arbitrary|run twice|get (?:lost|stuck|corrupted|dropped))\b/,
    isDeniable: true,
    isMild: true,
  },
  {
    what: 'names a danger',
    pattern:
      /\b(?:data loss|data corruption|(?:sql|command|code|shell|html|template|header|log|script|prompt) injection|injectable|remote code execution|rce|xss|csrf|ssrf|cross-site|path traversal|directory traversal|privilege escalation|auth(?:entication|orization)? bypass|arbitrary (?:code|file|command)s?|use[- ]after[- ]free|buffer overflow|deserialization of untrusted|credentials? leak\w*|secrets? leak\w*|leak(?:s|ed|ing)? (?:of )?(?:the )?(?:secrets?|tokens?|credentials?|passwords?|keys?|pii)|(?:passwords?|tokens?|secrets?|keys?|credentials?|card numbers?|personal data) (?:\w+ ){0,4}(?:in (?:plain ?text|clear ?text|(?:the|a) logs?|clear)|unencrypted|unhashed)|(?:passwords?|tokens?|secrets?|api keys?|credentials?) (?:is|are|gets?|ends? up|being) (?:(?!never|not|no )\w+ ){0,2}?(?:printed|logged|stored|exposed|sent|written|visible|committed|returned|in the (?:log|url|repo\w*|query))|unencrypted|in (?:plain|clear) ?text|md5|hard-?coded (?:\w+ ){0,2}(?:passwords?|tokens?|secrets?|keys?|credentials?)|security (?:hole|risk|vulnerability|bug|flaw|issue|problem|regression)s?|exploit(?:able|ed|s)?|unauthenticated|world-(?:readable|writable)|vulnerab\w+|double[- ](?:charge|free|spend|payment)\w*)\b/,
    isDeniable: true,
  },
  {
    what: 'names a fault',
    pattern:
      /\b(?:race conditions?|data race|memory leaks?|resource leaks?|deadlocks?|off[- ]by[- ]one|null (?:pointer|dereference)|infinite loop|undefined behaviou?r|n\+1 quer\w+|buggy|racy)\b|\b(?:is|has|have|contains?|introduces?|causes?|found|see|adds?|leaves?|there's|still) (?:a|an|one|two|three|another|several|some|multiple) (?:[\w-]+ ){0,3}(?:bug|defect|regression(?! tests?\b)|race|leak|mistake|flaw|gap|hole|error|hazard|footgun|problem)s?\b/,
    isDeniable: true,
    isMild: true,
  },
  {
    what: 'says that something is wrong',
    pattern:
      /\b(?:is|are|becomes?|remains?|looks?|seems?|left|leaves it|stays?|gets?|be) (?:still |now |also |simply |just |both |plainly |clearly |subtly |completely |silently |then |actually |currently )*(?:broken|incorrect|wrong|flawed|unsafe|insecure|untested|inverted|reversed|backwards|unbounded|unhandled|unvalidated|unescaped|unsanitized|unprotected|unguarded|stale|inconsistent|swallowed|lost|leaked|racy|unreachable|mutated|nonsense|vulnerable|exploitable|skipped|unchecked|publicly accessible|public to|exponential|quadratic|irreversible|incomplete|unfinished|half-done|hard-?coded)\b|\b(?:errors?|exceptions?|failures?|results?|return values?)\b[^,;.]{0,40}\b(?:is|are|gets?) (?:\w+ )?(?:ignored|dropped|discarded|hidden|lost)\b|\bexponential(?:ly)? (?:time|on|in|for|with)|\bunchecked\b|\b(?:switched|turned) off (?:to|so|for)\b|\b(?:is|are) gone from\b|\bsilent(?:ly)? (?:data )?(?:corrupt\w*|loss|failure)|\bnothing (?:prevents|stops|guards|protects|checks|ensures|keeps)\b|\b(?<!\b(?:that|which|who) )(?:will|can|could|may) not be (?:undone|reverted|rolled back|recovered|reached|parsed|loaded|installed|built|compiled)\b|\b(?:will|does|do) not (?:start|load|boot|install|scale|survive|recover)\b|\b(?:returns?|uses?|compares?|reads?|writes?|sends?|passes|checks?|picks?|computes?|calculates?|shows?|stores?|deletes?|locks?|closes?|calls?) (?:the|a|an) (?:wrong|incorrect|stale|outdated)\b|\b(?:is|are) (?:in|at|on|of) the wrong\b|\b(?:the )?(?:migration|query|request|call|handler|function|parser|import|deploy\w*|startup|server|process|job|app|page|command|which|it|endpoint|method|worker) (?:then |now |also |simply |just )?(?:fails|crashes|breaks|hangs|times out|dies|panics) (?:on|when|for|if|as soon|after|in|under|because)\b|\b(?:incorrectly|wrongly|mistakenly|accidentally|inadvertently|by mistake)\b|\b(?:crashes|deadlocks|corrupts|loses|panics|hangs|overflows|starves|leaks|breaks|swallows|forgets|violates|contradicts|fails to|defeats|(?:we|it|users?|clients?|which|you|callers?|customers?) (?:\w+ )?lose|bypasses|exposes|discards the error|hides (?:\w+ )?(?:errors?|failures?|exceptions?)|reintroduces|regresses|backtracks|silently (?:drops?|ignores?|loses?|fails?|discards?|truncates?|swallows?|returns?|skips?|overwrites?|changes?|accepts?)|ignores the (?:error|result|return|lock|timeout))\b|\b(?:i|we) (?:found|see|noticed|spotted|discovered|ran into|hit|get|got) (?:a|an|one|two|three|several|some|another) (?:[\w-]+ ){0,3}(?:bug|issue|problem|defect|crash|failure|regression|error|race|leak|case|way|concern)s?\b/,
    isDeniable: true,
    isMild: true,
  },
  {
    what: 'says what is still open',
    pattern:
      /(?<!\b(?:while|when|if) (?:it|they) )\b(?:still|remains?|is|are) (?:open|outstanding|unresolved|unfixed|unaddressed|unanswered|unsolved)\b(?! (?:source|question to|to))|\bstill (?:not|no|fails?|failing|missing|happens?|occurs?|leaks?|reproduc\w+|exists?|crash\w*|breaks?|wrong|broken|hangs?|lacks?|needs?|throws?|unclear)\b|\bunresolved\b|\bunaddressed\b|\b(?:deviat|depart|diverg)\w* from the (?:\w+ )?(?:plan|spec\w*|task|ticket|design|requirements?)\b|\b(?:violat|contradict)\w* the (?:\w+ )?(?:plan|spec\w*|task|ticket|design|requirements?)\b|\b(?:is|are) not (?:in|part of) the (?:diff|branch|commit|patch|pr|change)\b|\b(?:is|are) neither\b|\b(?:bugs?|issues?|problems?|races?|leaks?|calls?|it|this|that|debug\w*|todos?)(?: \w+){0,3} (?:is|are|'s)? ?still (?:there|present|around)\b/,
    isDeniable: true,
  },
  {
    what: 'says what is missing',
    pattern:
      /\b(?:is|are|has|have|gets?|be|being) (?:still |now |also |currently |simply |just |actually )?(?:never|not|no longer) (?:yet |actually |even |ever |been |being |properly |correctly |fully |really |always |also )*(?:closed|released|returned|deleted|evicted|expired|joined|stopped|awaited|validated|checked|escaped|saniti[sz]ed|handled|tested|covered|called|wired|used|implemented|done|met|satisfied|enforced|cleared|freed|removed|updated|applied|invalidated|encrypted|hashed|verified|registered|rolled back|committed|persisted|written|read|set|reset|initiali[sz]ed|exported|included|present|there|thread-safe|atomic|idempotent|correct|right|enough|sufficient|safe|ok|okay|good|true|valid|secure|robust|reliable|ideal|acceptable|working|addressed|fixed|resolved|complete|migrated|unsubscribed|cancelled|propagated|respected|honou?red|documented|guarded|protected|synchroni[sz]ed|indexed|terminated|parameteri[sz]ed|restricted|signed|hooked up|connected|mounted|flushed|unlocked|acquired|authenticated|authori[sz]ed|limited|bounded|consistent|reachable|possible)\b|\b(?:does|do|did) not (?:\w+ly )?(?:handle|validate|check|escape|close|release|await|cover|work|compile|build|pass|verify|test|enforce|implement|clear|free|remove|update|invalidate|match|meet|satisfy|do what|account for|protect|lock|roll back|propagate|respect|honou?r|support|exist|terminate|saniti[sz]e|encrypt|hash|retry|stop|cancel|unsubscribe|address|fix|solve|include|apply|wait|reset|guard|run|return the|distinguish|consider|take into account)\b|\b(?:is|are|still|be|also|found|has|have) (?:\w+ )?(?:missing|absent|lacking)\b|\b(?:lacks|omits)\b|\bmissing (?:a |an |the |any |some )?(?:[\w-]+ ){0,2}(?:tests?|validation|checks?|await|handling|auth\w*|coverage|guards?|lock|index|migration|cleanup|rollback|timeout|escaping|limit|docs|documentation|error|case|permission checks?|dependency)\b|\b(?:there (?:is|are) |there's |has |have |with |adds? |contains? )no (?:\w+ ){0,3}(?:tests?|release|implementation|counterpart|where|constraint|signature|permission|await|catch|finally|null check|middleware|documentation|entry|validation|checks?|error handling|authentication|authorization|rate limit\w*|timeout|lock|locking|limit|bound|cap|escaping|saniti[sz]ation|rollback|coverage|migration|guard|cleanup|backup|retry|transaction|index|fallback|way)\b|^no (?:\w+ ){0,3}(?:tests?|validation|check|error handling|authentication|authorization|rate limit\w*|timeout|lock|rollback|coverage|migration|guard|cleanup|backup|retry|transaction)s? (?:\w+ ){0,3}(?:for|on|around|when|cover\w*|exists?|was|were|is|are|exercis\w*|anywhere|at all|in|of)\b|\bwithout (?:first |ever |any |a |an |the |proper |holding |taking )*(?:check\w*|validat\w*|await\w*|escap\w*|lock\w*|auth\w*|saniti[sz]\w*|verif\w*|clos\w*|releas\w*|limit\w*|bound\w*|timeout|backup|transaction|tests?|error handling|rollback|where clause|default|null check|index|salt|signature|condition|radix)\b(?! (?:get|gets|are|is|receives?|returns?|yields?))|\b(?:asserts?|tests?|checks?|verifies|does) nothing\b|\bnever (?:terminates?|returns?|ends?|fires?|runs?|completes?|resolves?|rejects?|stops?|called|reached|happens?|wakes?|expires?|retries|unlocks?|checks?|validates?|closes?|releases?|awaits?|clears?|frees?|updates?)\b|\bbefore the (?:null |bounds? |permission |auth\w* )?check\b|\b(?:removes|drops|disables|skips|bypasses|deletes) the (?:\w+ )?(?:permission|auth\w*|validation|check|null check|lock|limit|guard|verification|escaping|test|tests|assertion|constraint)s?\b|\b(?:lets|allows|permits|enables) (?:any|every|an attacker|attackers|anyone|everyone|anybody|unprivileged|anonymous|other)\b|\b(?:an attacker|attackers|anyone|anybody|any (?:[\w-]+ )?(?:user|caller|client|tenant|visitor)) (?:can|could|may|might|is able to)\b|\bany other (?:user|tenant|customer|account)\b/,
    isDeniable: true,
    isMild: true,
  },
  {
    what: 'says that checks fail',
    pattern:
      /\b(?:tests?|ci|build|checks?|pipeline|suite|lint(?:er)?|types?|type-?check|compilation|compiler|assertions?|specs?) (?:(?!(?:0|no|zero|none|if|when) )[\w:()]+,? ){0,4}?(?:fail|fails|failing|failed|red|broken|do not pass|does not pass|not pass|flaky|time out|times out|(?:is|are) (?:\w+ )?(?:skipped|disabled|commented out))\b|\b(?:failing|red|broken|flaky) (?:\w+ )?(?:tests?|ci|build|pipeline|suite)\b|\b[1-9]\d{0,4} (?:tests? |specs? |checks? |of \d{1,6} tests? )?(?:failed|failing|failures|fail|errors)\b/,
    isDeniable: true,
    isMild: true,
  },
];

export const doubtWords: readonly DoubtWords[] = [
  ...verdictWords,
  ...severeWords,
  ...doubtfulMind,
  ...defects,
];
