/**
 * The program of the report page: tabs, filters, and what is drawn first. The build puts it into
 * dist/report.html with its style, and the verb adds the data. It uses no framework and no network.
 */
import { drawBoard, drawWaiting } from './board.ts';
import { data, filter, marks, names, type State, short, when } from './data.ts';
import { byId, el, emptied } from './dom.ts';
import { drawGraph } from './graph.ts';
import { openTask } from './task-dialog.ts';
import { drawCost, drawTimeline } from './timeline.ts';

const draws = {
  waiting: drawWaiting,
  board: drawBoard,
  graph: drawGraph,
  timeline: drawTimeline,
  cost: drawCost,
};
type Tab = keyof typeof draws;
const tabs = Object.keys(draws) as Tab[];
const filtered: readonly Tab[] = ['board', 'graph', 'timeline'];

/** Tabs that are drawn. A tab is drawn when it is first opened, and again after the filter changed. */
const drawn = new Set<Tab>();
let current: Tab = 'board';

function draw(name: Tab): void {
  if (drawn.has(name)) return;
  drawn.add(name);
  draws[name]();
}

function showTab(name: Tab): HTMLElement {
  for (const one of tabs) {
    const button = byId(`tab-${one}`);
    button.setAttribute('aria-selected', String(one === name));
    button.tabIndex = one === name ? 0 : -1;
    byId(one).hidden = one !== name;
  }
  byId('filters').hidden = !filtered.includes(name);
  current = name;
  draw(name);
  return byId(`tab-${name}`);
}

/** Arrow keys switch tabs. The URL's hash remembers the tab. */
function prepareTabs(): void {
  for (const [at, name] of tabs.entries()) {
    const button = byId(`tab-${name}`);
    button.addEventListener('click', () => {
      history.replaceState(null, '', `#${name}`);
      showTab(name);
    });
    button.addEventListener('keydown', (event) => {
      const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      if (step === 0) return;
      event.preventDefault();
      showTab(tabs[(at + step + tabs.length) % tabs.length] ?? name).focus();
    });
  }
  byId('tab-waiting').textContent = `Needs you (${data.waiting.length})`;
}

function prepareFilters(): void {
  const find = byId('find') as HTMLInputElement;
  const group = fillSelect('group', data.groups, 'All groups');
  const milestone = fillSelect('milestone', data.milestones, 'All milestones');
  const changed = () => {
    filter.text = find.value.trim().toLowerCase();
    filter.group = group.value;
    filter.milestone = milestone.value;
    for (const name of filtered) drawn.delete(name);
    draw(current);
  };
  let timer = 0;
  find.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(changed, 120);
  });
  group.addEventListener('change', changed);
  milestone.addEventListener('change', changed);
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping || byId('filters').hidden) return;
    event.preventDefault();
    find.focus();
  });
}

function fillSelect(id: string, options: readonly string[], all: string): HTMLSelectElement {
  const select = byId(id) as HTMLSelectElement;
  select.append(el('option', { value: '' }, all));
  for (const name of options) select.append(el('option', { value: name }, short(name, 40)));
  select.hidden = options.length === 0;
  return select;
}

function drawHead(): void {
  const { title, at, counts, tasks } = data;
  document.title = title;
  byId('title').textContent = title;
  byId('made').textContent =
    `${counts.progress} of ${counts.total} tasks done, as of ${when(Date.parse(at) / 1000)}`;
  const bar = emptied('bar');
  const legend = emptied('legend');
  const order: readonly State[] = ['done', 'skipped', 'working', 'person', 'failed', 'ready', 'blocked'];
  for (const state of order) {
    const count = tasks.filter((task) => task.state === state).length;
    if (count === 0) continue;
    const part = el('span', { class: `s-${state}` });
    part.style.width = `${(count / tasks.length) * 100}%`;
    bar.append(part);
    const mark = el('span', { class: 'mark' }, marks[state]);
    legend.append(el('li', { class: `s-${state}` }, mark, ` ${count} ${names[state].toLowerCase()}`));
  }
  bar.setAttribute('aria-label', `${counts.progress} done`);
}

function start(): void {
  const dialog = byId('task') as HTMLDialogElement;
  byId('close').addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  drawHead();
  prepareTabs();
  prepareFilters();
  const wanted = decodeURIComponent(location.hash.slice(1));
  showTab(tabs.find((name) => name === wanted) ?? (data.waiting.length > 0 ? 'waiting' : 'board'));
  const named = data.tasks.findIndex(({ id }) => id === wanted);
  if (named >= 0) openTask(named);
  document.documentElement.dataset['ready'] = 'yes';
}

start();
