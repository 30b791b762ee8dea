/** Why a host did not take a branch, and what a person can do; its own words stand at the end. Plain text. */
const workflowFile = /create or update workflow `?([^\s`]+)`?/i;

export function pushRefusal(branch: string, said: string): string {
  return `${whyAndWhat(branch, said)} It said: ${said}`;
}

function whyAndWhat(branch: string, said: string): string {
  const file = workflowFile.exec(said)?.[1];
  if (file !== undefined)
    return `the token of this job may not push workflow files (${file}): it lacks the scope \`workflow\`, which only the token of a GitHub App or of a person can have. Take them out of the task, land them by hand, or give the workflow such a token.`;
  if (/rule violations|GH013/i.test(said))
    return `a ruleset of this repository forbids the push to ${branch}: let GitHub Actions past it, or give the task another \`branch\`.`;
  if (/protected branch|GH006/i.test(said))
    return `${branch} is protected: let GitHub Actions push to it, or give the task another \`branch\`.`;
  return `the host did not take ${branch}.`;
}
