/** A label of a heading or list item: `Phase 2: Storage`, `Task 3 - Add the model`, `T4: Mail`, `Step 1.`. */
export interface PlanLabel {
  readonly kind: 'phase' | 'task' | 'step';
  readonly number: string;
  readonly title: string;
}

const gap = String.raw`\s*(?:[:.)\]–—-]+\s*|$)`;
const numbering = String.raw`^(?:\d+(?:\.\d+)*[.)]?\s+)?`;
const phase = new RegExp(
  `${numbering}(?:phase|milestone|stage|sprint|iteration)\\s+#?(\\d+|[ivx]+|[a-h])\\b${gap}([^]*)`,
  'i',
);
const shortPhase = new RegExp(`${numbering}M(\\d+)\\b${gap}([^]+)`);
const task = new RegExp(
  `${numbering}(task|step|work item|story|ticket)\\s+#?([A-Z]?\\d+(?:\\.\\d+)*[a-z]?)\\b${gap}([^]*)`,
  'i',
);
const shortTask = new RegExp(`${numbering}T-?(\\d+(?:\\.\\d+)*[a-z]?)\\b${gap}([^]+)`);
const numbered = /^(\d+(?:\.\d+)*)[.):]?\s+(\S.*)$/;

export function planLabel(text: string): PlanLabel | null {
  const phased = phase.exec(text) ?? shortPhase.exec(text);
  if (phased) return { kind: 'phase', number: phased[1] as string, title: phased[2]?.trim() ?? '' };
  const named = task.exec(text);
  if (named) {
    const kind = named[1]?.toLowerCase() === 'step' ? 'step' : 'task';
    return { kind, number: named[2] as string, title: named[3]?.trim() ?? '' };
  }
  const short = shortTask.exec(text);
  return short ? { kind: 'task', number: short[1] as string, title: short[2]?.trim() ?? '' } : null;
}

/** Reads `2. Add the model`. Such a heading is a task only where the plan's tasks are expected. */
export function numberedTitle(text: string): { number: string; title: string } | null {
  const match = numbered.exec(text);
  return match ? { number: match[1] as string, title: match[2] as string } : null;
}

/** Whether the lists of the section are tasks. */
export function isTaskSection(title: string): boolean {
  return /^(?:\d+[.)]?\s*)?(?:the )?(?:tasks?|steps?|plan|implementation(?: (?:plan|steps|tasks))?|work(?: items| breakdown)?|breakdown|to-?dos?|checklist|proposed (?:changes|steps)|milestones|phases)\b/i.test(
    title,
  );
}

/** Whether the section only describes the work and contains no tasks. */
export function isAboutSection(title: string): boolean {
  return /^(?:\d+[.)]?\s*)?(?:context|background|overview|summary|goals?|non-?goals?|out of scope|in scope|scope|risks?|alternatives?|open questions?|questions?|test(?:s|ing)?(?: plan| strategy)?|verification|acceptance criteria|references?|notes?|rollout|decisions?|motivation|constraints?|assumptions?|success (?:criteria|metrics))\b/i.test(
    title,
  );
}
