/** Passages that several templates have in common. */
export const whatToDo = `{{task}}

{{#criteria}}
## Acceptance criteria

It is done when each of these holds:

{{criteria}}

{{/criteria}}
{{#files}}
## Files

{{files}}

{{/files}}
{{#guidance}}
## Asked by a person for this run

{{guidance}}

{{/guidance}}`;

export const lastTry = `{{#resume}}
## Where the last run stopped

{{resume}}

{{/resume}}
{{#verification}}
## Result of the checks

{{verification}}

{{/verification}}
{{#strategy}}
## Do it differently this time

{{strategy}}

{{/strategy}}`;

export const plan = `{{#plan}}
## Plan

{{plan}}

{{/plan}}`;

export const comments = `{{#comments}}
## Unresolved comments of people

{{comments}}

{{/comments}}`;

export const background = `{{#dependencies}}
## Completed before

{{dependencies}}

{{/dependencies}}
{{#notes}}
## Notes on the task

{{notes}}

{{/notes}}
{{#tasks}}
{{tasks}}

{{/tasks}}`;

export const ending = `## Rules

{{rules}}
- {{data}}

## Your answer

{{result}}
`;
