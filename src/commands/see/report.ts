import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Command } from '../../app/command.ts';
import { escalationsOf, readinessIn } from '../../app/facts/facts.ts';
import { loadProject, type Project } from '../../app/project.ts';
import { wholeViews } from '../../app/whole-tasks.ts';
import { oldestFirst } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import { reportData, reportHtml } from '../../core/report/report-data.ts';
import { version } from '../../core/version.ts';

/** The build puts the page beside the bundled program. */
const builtFolder =
  version === 'source' ? join(import.meta.dirname, '..', '..', '..', 'dist') : import.meta.dirname;

export const command: Command = {
  spec: {
    name: 'report',
    summary: 'one web page of everything: board, graph, timeline, cost, what waits for a person',
    arguments: [],
    details:
      'The page is one file without links to anything: open it, mail it, or publish it from a workflow. With --json the data of the page is printed and no file is needed.',
    options: [
      { name: 'html', type: 'text', value: '<file>', help: 'write the page here' },
      { name: 'title', type: 'text', value: '<title>', help: 'its heading; else the name of the repository' },
    ],
    examples: [{ command: 'gza report --html report.html', shows: 'report.html: 120 tasks, 96 KB' }],
  },
  run: async ({ options }, ports) => {
    const project = await loadProject(ports);
    const file = options['html'] as string | undefined;
    if (file === undefined && options['json'] !== true)
      throw new GzaError('usage', 'where should the page go?', {
        hint: `${ports.program} report --html report.html`,
      });
    const { repository, board } = project;
    const data = reportData({
      title: (options['title'] as string | undefined) ?? nameOf(repository),
      board,
      views: await wholeViews(project, oldestFirst(board)),
      waiting: escalationsOf(project),
      readiness: await readinessIn(project),
    });
    if (file === undefined) return { json: data, text: '' };
    const page = reportHtml(readFileSync(join(builtFolder, 'report.html'), 'utf8'), data);
    write(resolve(ports.cwd, file), page);
    const bytes = Buffer.byteLength(page);
    const size = bytes < 1e6 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
    const shown = relative(ports.cwd, resolve(ports.cwd, file)) || file;
    return {
      json: { file: shown, tasks: data.tasks.length, bytes },
      text: `${shown}: ${data.tasks.length} tasks, ${size}`,
    };
  },
};

function nameOf({ workTree, commonDir }: Project['repository']): string {
  return basename(workTree ?? commonDir).replace(/\.git$/, '') || 'Tasks';
}

/** Writes a temporary file and renames it, so that a web server never serves half a page. */
function write(path: string, page: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const scratch = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    writeFileSync(scratch, page);
    renameSync(scratch, path);
  } finally {
    rmSync(scratch, { force: true });
  }
}
