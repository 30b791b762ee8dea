/** `search`: finds words in tasks, and in plans, reviews and notes about them. */
import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import { oldestFirst } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import { taskRow } from '../../core/task/task-json.ts';
import { mark, shorten } from '../../core/text/terminal/lines.ts';

const shownMax = 100;
const around = 60;
const linesMax = 3;

export const search: Command = {
  spec: {
    name: 'search',
    summary: 'tasks with these words in their title, text, notes, reviews or plans',
    arguments: [{ name: 'words', required: true, many: true }],
    options: [],
    details: 'All words must be found, in any case and in any order.',
    examples: [{ command: 'gza search login cookie', shows: 'each task with the lines that have them' }],
  },
  run: async ({ args }, ports) => {
    const words = args.flatMap((word) => fold(word).split(/\s+/)).filter(Boolean);
    if (words.length === 0)
      throw new GzaError('usage', 'there is no word to look for', { hint: 'gza search login cookie' });
    const project = await loadProject(ports);
    const { board, view: ledgers } = project;
    const reports = new Map<string, string[]>();
    for (const branch of ledgers.branches) {
      const { artifacts } = await ledgers.state(branch);
      for (const path of artifacts.keys()) {
        // plans/<id>.md, reviews/<id>-review-2.md
        const id = /^[a-z]+\/(.+?)(?:-(?:review|answers)-\d+)?\.[a-z]+$/.exec(path)?.[1] ?? '';
        const text = board.views.has(id) ? await ledgers.artifact(branch, path) : null;
        if (text !== null) reports.set(id, [...(reports.get(id) ?? []), text]);
      }
    }
    const found: { json: unknown; lines: readonly string[] }[] = [];
    for (const { id } of oldestFirst(board)) {
      const view = await wholeView(project, id);
      const { title, content, user_story = '', acceptance_criteria = [] } = view.task;
      const { notes = [], implementation_notes = '' } = view.record ?? {};
      const said = [content, user_story, ...acceptance_criteria, ...notes, implementation_notes];
      const texts = [title, ...said, ...(reports.get(id) ?? [])];
      const whole = fold([id, ...texts].join('\n'));
      if (!words.every((word) => whole.includes(word))) continue;
      const lines = texts
        .slice(1)
        .join('\n')
        .split('\n')
        .filter((line) => hasOne(line, words) && line !== title);
      const shown = [...new Set(lines)].slice(0, linesMax).map((line) => excerpt(line, words));
      const head = `${mark(view, ports.style)} ${id}: ${shorten(title, 80)}`;
      found.push({
        json: { ...taskRow(view), found: shown },
        lines: [head, ...shown.map((line) => `    ${line}`)],
      });
    }
    const more = found.length > shownMax ? [`and ${found.length - shownMax} more`] : [];
    const text = [...found.slice(0, shownMax).flatMap(({ lines }) => lines), ...more].join('\n');
    return { json: found.map(({ json }) => json), text: text || 'Nothing has these words.' };
  },
};

/**
 * Compares in upper case, where ß becomes SS as people type it. NFC makes an accented letter one character.
 */
function fold(text: string): string {
  return text.normalize('NFC').toUpperCase();
}

function hasOne(line: string, words: readonly string[]): boolean {
  const low = fold(line);
  return words.some((word) => low.includes(word));
}

/** The part of the line around the first match. */
function excerpt(line: string, words: readonly string[]): string {
  const low = fold(line);
  const at = Math.max(0, Math.min(...words.map((word) => low.indexOf(word)).filter((place) => place >= 0)));
  const from = Math.max(0, at - around);
  return `${from > 0 ? '…' : ''}${shorten(line.slice(from).trim(), 2 * around)}`;
}
