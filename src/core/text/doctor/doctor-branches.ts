/** What doctor says of branches and merging, and of the limits that a configuration meets. */
import { fine, type JudgedAs, type Said, type Words } from './doctor-workflow.ts';

export const branchWords = {
  'lane-rules': (one) =>
    one.level === 'ok'
      ? fine(`No rule stands against pushing ${one.branch}.`)
      : {
          says: `Rules for branches like ${one.branch} refuse pushes of gza: ${one.types.join(', ')}.`,
          todo: 'Settings → Rules → Rulesets: exclude gza/** from the rule, or add the App whose token gza uses to those who bypass it.',
        },
  'lane-rewrites': (one) => ({
    says: `Rules for branches like ${one.branch} forbid ${one.types.join(', ')}: gza cannot rebase or tidy them.`,
    todo: 'Exclude gza/** from the rule; without it conflicts are for a person.',
  }),
  'required-checks': (one) => {
    if (one.contexts.length === 0) return fine('No checks of others are required to merge.');
    if (one.hasApp)
      return fine(
        `Required checks (${one.contexts.join(', ')}) start, as the workflow uses the token of an App.`,
      );
    if (one.started.length > 0)
      return fine(
        `Required checks (${one.contexts.join(', ')}): gza starts ${one.started.join(', ')} on what it pushes.`,
      );
    return {
      says: `Required checks (${one.contexts.join(', ')}) do not start by themselves on what a job's token pushes.`,
      todo: 'Name the workflow under ci_workflow in gza.yaml: gza dispatches it on each branch that it pushes. Or give gza the token of a GitHub App, or approve the runs in each pull request.',
    };
  },
  'ci-workflow': (one) => ciWords(one),
  'merge-methods': (one) => fine(mergeWords(one)),
  'merge-queue': () =>
    fine('Merges go through a queue: gza takes a pull request as merged when the queue has merged it.'),
  'push-rulesets': (one) => ({
    says: `Rulesets look at every push, also at those of refs/gza/*: ${one.names.join(', ')}.`,
    todo: 'If they limit paths, sizes or the number of refs in a push, add gza to those who bypass them.',
  }),
} satisfies Partial<Words>;

function ciWords({ name, why }: JudgedAs<'ci-workflow'>): Said {
  switch (why) {
    case null:
      return fine(`${name} (ci_workflow) can be started on the branches that gza pushes.`);
    case 'missing':
      return {
        says: `ci_workflow names ${name}, which is not in .github/workflows on the default branch.`,
        todo: 'Name the file as it stands there, without its folder.',
      };
    case 'no-dispatch':
      return {
        says: `ci_workflow names ${name}, which has no workflow_dispatch: gza cannot start it.`,
        todo: `Add workflow_dispatch: below on: of ${name}, on the default branch.`,
      };
  }
}

function mergeWords({ methods, deletesBranches }: JudgedAs<'merge-methods'>): string {
  const how = methods.length > 0 ? methods.join(', ') : 'no method at all';
  const after = deletesBranches
    ? 'GitHub deletes a merged branch and moves what is built on it to the base.'
    : 'Delete a merged branch with the button of its pull request, not by git: what is built on it would be closed with it, and gza would open it anew.';
  return `Pull requests may be merged by ${how}; gza asks GitHub whether one is merged, so each will do. ${after}`;
}

export const limitWords = {
  load: (one) =>
    one.level === 'ok'
      ? fine(
          `parallel_workers: ${one.workers}. A task takes some 15 of the 1,000 requests that a job's token has in an hour.`,
        )
      : {
          says: `parallel_workers: ${one.workers}. That many lanes that land together push more than the 6 times a minute that GitHub recommends, and some 60 tasks an hour use up a job's token.`,
          todo: 'gza waits as GitHub tells it to; fewer parallel_workers wait less.',
        },
  timeouts: (one) =>
    one.level === 'ok'
      ? fine(`A step may take ${one.minutes} minutes; its job has 355.`)
      : {
          says: `A step may take ${one.minutes} minutes, but its job ends after 355: what it did by then is kept, and the try counts as cut short.`,
          todo: 'timeout_minutes of at most 340, or smaller tasks.',
        },
  'workflow-files': () => ({
    says: "protected.except lets tasks touch .github/workflows, but a job's token may never push such a change.",
    todo: 'Take it out of protected.except, and write workflow files by hand.',
  }),
  'linear-key': (one) => {
    if (one.level === 'ok') return fine('Linear is on, and its key is a secret of this repository.');
    if (!one.isPassed)
      return {
        says: 'Linear is on, but the workflow file does not hand the secret LINEAR_API_KEY to gza: runs show nothing in Linear.',
        todo: 'In the job that calls gza: secrets: { LINEAR_API_KEY: "${{ secrets.LINEAR_API_KEY }}" }',
      };
    return {
      says: one.isKnown
        ? 'Linear is on, but there is no secret LINEAR_API_KEY: runs show nothing in Linear.'
        : 'Linear is on; whether there is a secret LINEAR_API_KEY cannot be seen with this token.',
      todo: 'Linear, Settings, Security & access, New API key; then: gh secret set LINEAR_API_KEY',
    };
  },
  token: (one) =>
    one.level === 'ok'
      ? fine('The token could be asked everything.')
      : {
          says: `The token may not see all: it lacks ${one.lacking.join(', ')}. What it could not see is not judged.`,
          todo: 'Run gza doctor with the token of someone who administers the repository: GH_TOKEN="$(gh auth token)" gza doctor',
        },
} satisfies Partial<Words>;
