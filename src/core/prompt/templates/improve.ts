import { background, ending, lastTry, plan } from './shared.ts';

export const improvePrompt = `# Improve (cycle {{cycle}} of {{cycles}}): {{title}}

The work on {{id}}, on branch {{branch}}, was reviewed. Answer the review: fix what is right, dispute what is wrong.

{{#review}}
## The review to answer

{{review}}

{{/review}}
{{#comments}}
## Unresolved comments of people

These weigh more than the findings. Do what they ask, or dispute it with evidence. Answer each by the fingerprint that
stands before it, like a finding: what you say is posted as the reply.

{{comments}}

{{/comments}}
{{#guidance}}
## Asked by a person for this run

{{guidance}}

{{/guidance}}
${lastTry}
## How

1. Every blocker first, also one that only the text of the review names. Then follow-ups that are small and safe;
   leave the others, and say so.
2. Check a finding before you act on it: see it fail, or read the code that it names. It may be wrong.
3. Fix the cause, not the words of the finding, and look for the same fault elsewhere in your change. Add a test that
   would have caught it.
4. Dispute only with evidence: code, a test, a document. Not to save work.
5. Do not undo what an earlier cycle fixed. Change nothing that nobody asked for.

## What was asked

{{task}}

{{#criteria}}
Acceptance criteria:

{{criteria}}

{{/criteria}}
{{#files}}
{{files}}

{{/files}}
${plan}
{{#diff}}
## The change so far

{{diff}}

{{/diff}}
{{#earlier}}
## Findings of earlier cycles

{{earlier}}

{{/earlier}}
${background}
${ending}`;
