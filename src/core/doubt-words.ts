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
      /\b(?:request|requests|requesting|(?:i|we|have|i've|am|to) requested|requir(?:e|es|ing)|needs?|wants?) (?:\w+ ){0,2}changes\b|\bchanges? (?:(?:are|is|were|be|still|remain) )?(?:requested|required|needed|necessary)\b/,
    isDeniable: true,
  },
  {
    what: 'says that it is not ready',
    pattern:
      /\bneeds? (?:(?:some|more|further|additional|another|a|an|bit|lot|of|little) ){0,4}(?:work|rework|reworking|discussion|revision|pass|look|round|iteration|input|decision|attention|fix|fixes|fixing)\b|\bnot (?:yet |quite |fully |really |be |been ){0,3}(?:ready|mergeable|approv\w+|acceptable|shippable|mergable|merge-ready|production[- ]ready|good to|safe to|ok to|okay to|comfortable|confident|convinced|happy|there yet)\b|\bno-go\b|\bnack\b|\bveto\b|\bon hold\b/,
    isDeniable: false,
  },
  {
    what: 'says not to merge',
    pattern: new RegExp(
      `\\b(?:do|should|must|can|could|would|will|shall|may|to) not (?:\\w+ )?(?:be )?(?:merged?|approved?|ship(?:ped)?|land(?:ed)?|released?|deploy(?:ed)?|accept(?:ed)?|sign off|recommend|endorse|go (?:in|out|live|ahead))\\b|\\b(?:unable|reluctant|hesitant) to (?:approve|recommend|sign)|\\bhold (?:off|the|this|up)\\b|\\b(?:revert|reject(?:s|ed|ing)?|blocks?|blocking|stop|withhold(?:ing)?|delay|postpone) (?:(?:the|this|that|my|our|it) )?(?:${work}|approval)\\b|\\bi(?:'d| would| must| have to)? (?:reject|decline|refuse|withhold|withdraw|retract|revoke|rescind)\\b|\\b(?:must|should|has to|needs to) be (?:rejected|reverted|blocked|held)\\b|\\bmerge[- ]block(?:er|ing)\\b`,
    ),
    isDeniable: true,
  },
  {
    what: 'names a blocker',
    pattern:
      /\b(?:merge-|release-)?block(?:er|ers)\b|(?<!non)(?<!non-)(?<!non )\bblocking (?:issue|bug|problem|concern|finding|comment|item|defect|point|change|matter|question|feedback)s?\b|\b(?:is|are|as|it's|that's|this|which) (?:\w+ )?blocking\b(?! (?:call|i\/o|io|read|write|wait|operation|queue|the (?:event|main|thread|loop|ui)))|\bblocking[.!]?$/,
    isDeniable: true,
  },
  {
    what: 'leaves the decision open',
    pattern:
      /\b(?:needs?|requires?|deserves?|warrants?|worth|awaiting|pending) (?:a |an |some |further |more |the |human |team |maintainer |product |security )*(?:decision|discussion|sign-?off|judg[e]?ment|review|confirmation|clarification|approval)\b|\b(?:maintainers?|owners?|humans?|a person|someone|the team|product|you) (?:should|must|needs? to|has to|have to|ought to) (?:decide|confirm|discuss|weigh in|sign off|choose|approve|check|verify)\b|\b(?:let us|let's|should|must|need to|want to|like to) (?:first )?discuss\b|\bopen questions?\b/,
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
      /\[(?:p0|p1|blocker|blocking|critical|high|major|severe|must[- ]fix|required)\]|\((?:p0|p1|blocker|blocking|critical|high|major|severe|must[- ]fix|high severity)\)|\b(?:severity|priority) ?[:=-]? ?(?:blocker|critical|high|major|severe|p0|p1|urgent)\b|\b(?:p0|p1|sev-?[01])\b|\b(?:critical|high)[- ](?:severity|priority)\b/,
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
    pattern: /(?:^|[,:] |\band )please\b|\b(?:can|could|would|will) you (?:please )?(?:\w+)\b|\b(?:author|you) (?:must|should|needs? to|has to|have to)\b|\btodo\b/,
    isDeniable: false,
    isMild: true,
  },
];

const doubtfulMind: readonly DoubtWords[] = [
  {
    what: 'changes its mind',
    pattern:
      /^(?:oh |hmm+,? |ok,? |okay,? |but |no,? |and |well,? |ah,? )?(?:wait|hold on|hmm+|actually,|scratch that|strike that|on (?:second thoughts?|reflection|further reflection|closer (?:inspection|look|reading)|re-?reading|reconsideration|balance,? however)|let me (?:reconsider|revise|correct|re-?check|re-?think|double-?check|take another|look again)|correction|never ?mind|thinking (?:about (?:it|this) (?:more|again)|again)|looking (?:again|closer|more closely)|re-?reading|upon (?:closer|further)|having (?:looked|thought) (?:again|more)|i (?:missed|overlooked|spoke too soon|take (?:that|it|this|my)|was wrong|need to (?:revise|correct|change)|have to (?:revise|correct|take)|must (?:revise|correct|take)|should (?:revise|correct)|retract|changed? my mind|now (?:see|realise|realize|think|notice))|edit:|update:|addendum|p\.?s\.)(?![\w-])/,
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
      /\b(?:i am|i'm|am|still|not entirely|a bit|slightly|remain) (?:not (?:sure|certain|confident|convinced|clear)|unsure|uncertain|unclear|worried|concerned|uneasy|nervous|skeptical|sceptical)\b|\b(?:unsure|uncertain) (?:whether|if|about|that|how)\b|\b(?:it is|it's|it remains|remains) (?:unclear|not clear|uncertain|unproven|unverified)\b|\bi (?:doubt|worry|fear|suspect)\b|\bmy (?:main |only |biggest |one |primary )?(?:concern|worry|reservation|objection)s?\b|\b(?:serious|strong|some|several|a few|remaining|open|unresolved|outstanding|unaddressed) (?:\w+ )?(?:concern|reservation|objection|blocker|defect|bug)s?\b/,
    isDeniable: true,
  },
  {
    what: 'is not a whole review',
    pattern:
      /\b(?:i|we) (?:(?:have|could|did|was|were|am|can|had|do) )?(?:not|only|merely|never|unable to|no way to|no time to) (?:yet |able to |been able to |fully |actually |really |get to |got to |to |manage to |had time to |have time to |have |been )*(?:review(?:ed)?|verif(?:y|ied)|run|ran|test(?:ed)?|confirm(?:ed)?|check(?:ed)?|read|look(?:ed)?(?: at)?|see|saw|seen|open(?:ed)?|inspect(?:ed)?|finish(?:ed)?|reproduced?|access(?:ed)?|examined?|complete|skimmed|validated?|cover(?:ed)?|evaluated?|load(?:ed)?|view(?:ed)?)\b|\bonly (?:looked at|reviewed|skimmed|read|checked|saw|part of)\b|\b(?:review|diff|output|response|message|text|file|answer|log|analysis) (?:was|is|has been|got|were|remains|above is) (?:\w+ )?(?:truncated|cut|cut off|incomplete|partial|abbreviated|unfinished)\b|\[(?:\.\.\.|…|truncated|output truncated|cut|snip|continued|omitted|remaining [^\]]{0,40})\]|\b(?:to be continued|continued (?:in|below|next)|ran out of (?:time|tokens|context|turns|budget)|(?:token|turn|context|output|length|time) limit|part 1 of|part one of|unable to (?:verify|run|test|confirm|review|check|access|open|complete)|(?:partial|incomplete|preliminary) (?:review|verdict|approval))\b/,
    isDeniable: false,
  },
  {
    what: 'repeats what someone wants it to say',
    pattern:
      /\b(?:ignore|disregard|override|forget)\b[^.]{0,40}\b(?:instructions?|rules|prompts?|guidelines|findings)\b|\b(?:ask(?:s|ed|ing)?|instruct\w*|tell(?:s|ing)?|told|urg\w+|demand\w*|order(?:s|ed|ing)?|tr(?:y|ies|ied|ying) to|attempt\w*)\b[^.]{0,60}\b(?:approve|approved|approval)\b|\b(?:reviewers?|bots?|agents?|assistants?|models?|llms?|ais?) (?:must|should|shall|will|have to|needs? to|are to|is to)\b|\bprompt[- ]injection|\b(?:inject|steer|manipulat)\w*\b[^.]{0,60}\b(?:reviewer|review|verdict|agent|model)|^(?:system|human|user|assistant|developer)(?: message| prompt)? ?:|\b(?:begin|end|start) (?:of )?(?:quoted?|file|review|message|output|document|diff|log|forwarded|transcript|paste|excerpt|untrusted)\b|\bwrote ?:?$/,
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
      /\b(?:data loss|data corruption|(?:sql|command|code|shell|html|template|header|log|script|prompt) injection|injectable|remote code execution|rce|xss|csrf|ssrf|cross-site|path traversal|directory traversal|privilege escalation|auth(?:entication|orization)? bypass|arbitrary (?:code|file|command)s?|use[- ]after[- ]free|buffer overflow|deserialization of untrusted|credentials? leak\w*|secrets? leak\w*|leak(?:s|ed|ing)? (?:of )?(?:the )?(?:secrets?|tokens?|credentials?|passwords?|keys?|pii)|(?:passwords?|tokens?|secrets?|keys?|credentials?) (?:\w+ ){0,4}(?:in (?:plain ?text|clear ?text|the logs?|clear)|unencrypted|unhashed)|hard-?coded (?:\w+ ){0,2}(?:passwords?|tokens?|secrets?|keys?|credentials?)|security (?:hole|risk|vulnerability|bug|flaw|issue|problem|regression)s?|exploit(?:able|ed|s)?|unauthenticated|world-(?:readable|writable)|vulnerab\w+|double[- ](?:charge|free|spend|payment)\w*)\b/,
    isDeniable: true,
  },
  {
    what: 'names a fault',
    pattern:
      /\b(?:race conditions?|data race|memory leaks?|resource leaks?|deadlocks?|off[- ]by[- ]one|null (?:pointer|dereference)|infinite loop|undefined behaviou?r|(?:a|the|this|introduces?|causes?) (?:\w+ )?(?:regression|race)s?(?! tests?)|n\+1 quer\w+|unhandled|unvalidated|unsanitized|unescaped|unbounded|uncaught|unguarded|dangling|buggy|broken|incorrect(?:ly)?|wrong(?:ly)?|bugs?|flawed|unsafe|insecure|untested|inverted|mutated|leaks|crash(?:es|ing)?|deadlocks|corrupts|loses|panics|hangs|overflows|starves|fails to|failed to|silently (?:\w+)|swallow(?:s|ed|ing)|breaks|stale|overlooked|forgot(?:ten)?|forgets|unreachable|dead code|violates?|contradicts?|mismatch\w*|inconsistent)\b/,
    isDeniable: true,
    isMild: true,
  },
  {
    what: 'says what is missing',
    pattern:
      /\b(?:is|are|was|were|has|have|gets?|be|being) (?:still |now |also |currently |simply |just |actually )?(?:never|not|no longer) (?:yet |actually |even |ever |been |being |properly |correctly |fully |really |always |also )*(?:closed|released|awaited|validated|checked|escaped|saniti[sz]ed|handled|tested|covered|called|wired|used|implemented|done|met|satisfied|enforced|cleared|freed|removed|updated|applied|invalidated|encrypted|hashed|verified|registered|rolled back|committed|persisted|written|read|set|reset|initiali[sz]ed|exported|included|present|there|thread-safe|atomic|idempotent|correct|right|enough|sufficient|safe|addressed|fixed|resolved|complete|migrated|unsubscribed|cancelled|propagated|respected|honou?red|documented|flushed|unlocked|acquired|authenticated|authori[sz]ed|limited|bounded|consistent|reachable|possible)\b|\b(?:does|do|did) not (?:\w+ly )?(?:handle|validate|check|escape|close|release|await|cover|work|compile|build|pass|verify|test|enforce|implement|clear|free|remove|update|invalidate|match|meet|satisfy|do what|account for|protect|lock|roll back|propagate|respect|honou?r|support|exist|terminate|saniti[sz]e|encrypt|hash|retry|stop|cancel|unsubscribe|address|fix|solve|include|apply|wait|reset|guard|run|return the|distinguish|consider|take into account)\b|\b(?:missing|lacks?|lacking|omits?|absent|misses)\b|\b(?:there (?:is|are) |has |have |with |adds? |contains? )no (?:\w+ ){0,3}(?:tests?|validation|checks?|error handling|authentication|authorization|rate limit\w*|timeout|lock|locking|limit|bound|cap|escaping|saniti[sz]ation|rollback|coverage|migration|guard|cleanup|backup|retry|transaction|index|fallback|way)\b|^no (?:\w+ ){0,3}(?:tests?|validation|check|error handling|authentication|authorization|rate limit\w*|timeout|lock|rollback|coverage|migration|guard|cleanup|backup|retry|transaction)s? (?:\w+ ){0,3}(?:for|on|around|when|cover\w*|exists?|was|were|is|are|exercis\w*|anywhere|at all|in|of)\b|\bwithout (?:first |ever |any |a |an |the |proper |holding |taking )*(?:check\w*|validat\w*|await\w*|escap\w*|lock\w*|auth\w*|saniti[sz]\w*|verif\w*|clos\w*|releas\w*|limit\w*|bound\w*|timeout|backup|transaction|tests?|permission\w*|error handling|rollback)\b/,
    isDeniable: true,
    isMild: true,
  },
  {
    what: 'says that checks fail',
    pattern:
      /\b(?:tests?|ci|build|checks?|pipeline|suite|lint(?:er)?|types?|type-?check|compil\w+|typescript|assertions?) (?:\w+ ){0,4}?(?:fail|fails|failing|failed|red|broken|error|errors|do not pass|does not pass|not pass|flaky|time out|times out|skipped)\b|\b(?:failing|red|broken|skipped|flaky) (?:\w+ )?(?:tests?|ci|build|checks?|pipeline|suite)\b/,
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
