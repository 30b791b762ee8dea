/**
 * The program of the report page. It builds everything from the data with `textContent` and attributes, never from
 * markup, so nothing in a task's text can become part of the page. No framework, no network.
 */
import { reportClientGraph } from './report-client-graph.ts';
import { reportClientTime } from './report-client-time.ts';

const base = String.raw`'use strict';
const D = JSON.parse(document.getElementById('data').textContent);
const T = D.tasks;
const MARK = { person: '!', working: '→', ready: '○', blocked: '·', failed: '✗', done: '✓', skipped: '–' };
const NAME = { person: 'Waiting for a person', working: 'In progress', ready: 'Ready', blocked: 'Blocked', failed: 'Failed', done: 'Done', skipped: 'Skipped' };
const $ = (id) => document.getElementById(id);
function el(name, set, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(set || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key === 'on') for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else if (key === 'class') node.className = value;
    else node.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children.flat()) if (child !== undefined && child !== null) node.append(child);
  return node;
}
function svg(name, set, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(set || {})) node.setAttribute(key, value);
  for (const child of children) node.append(child);
  return node;
}
const money = (cents) => '$' + (cents / 100).toFixed(2);
function span(seconds) {
  if (seconds < 60) return seconds + ' s';
  if (seconds < 3600) return Math.round(seconds / 60) + ' min';
  const hours = seconds / 3600;
  return hours < 48 ? hours.toFixed(1) + ' h' : (hours / 24).toFixed(1) + ' d';
}
const two = (n) => String(n).padStart(2, '0');
function when(seconds) {
  const d = new Date(seconds * 1000);
  return d.getFullYear() + '-' + two(d.getMonth() + 1) + '-' + two(d.getDate()) + ' ' + two(d.getHours()) + ':' + two(d.getMinutes());
}
const WHY = new Map(D.waiting.map((one) => [one.i, one.detail]));
const state = (task) => D.states[task.s];
const short = (text, max) => (text.length > max ? text.slice(0, max - 1) + '…' : text);

/* What is looked for. */
const filter = { text: '', group: '', milestone: '' };
const shows = (task) =>
  (filter.group === '' || String(task.g) === filter.group) &&
  (filter.milestone === '' || String(task.m) === filter.milestone) &&
  (filter.text === '' || (task.i + ' ' + task.t + ' ' + (task.h || '')).toLowerCase().includes(filter.text));
const isFiltered = () => filter.text !== '' || filter.group !== '' || filter.milestone !== '';

function head() {
  document.title = D.title;
  $('title').textContent = D.title;
  const made = Date.parse(D.at) / 1000;
  $('made').textContent = D.counts.progress + ' of ' + D.counts.total + ' tasks done, as of ' + when(made);
  const by = D.states.map((name) => T.filter((task) => state(task) === name).length);
  const order = ['done', 'skipped', 'working', 'person', 'failed', 'ready', 'blocked'];
  const bar = $('bar');
  const legend = $('legend');
  for (const name of order) {
    const count = by[D.states.indexOf(name)];
    if (count === 0) continue;
    const part = el('span', { class: 's-' + name });
    part.style.width = (count / T.length) * 100 + '%';
    bar.append(part);
    legend.append(el('li', { class: 's-' + name }, el('span', { class: 'mark' }, MARK[name]), ' ' + count + ' ' + NAME[name].toLowerCase()));
  }
  bar.setAttribute('aria-label', D.counts.progress + ' done');
}

/* Tabs: arrow keys move, the address remembers. */
const TABS = ['waiting', 'board', 'graph', 'timeline', 'cost'];
const drawn = {};
function tab(name, focus) {
  for (const one of TABS) {
    const button = $('tab-' + one);
    button.setAttribute('aria-selected', String(one === name));
    button.tabIndex = one === name ? 0 : -1;
    $(one).hidden = one !== name;
    if (one === name && focus) button.focus();
  }
  $('filters').hidden = name === 'waiting' || name === 'cost';
  current = name;
  draw(name);
}
let current = 'board';
function draw(name) {
  if (drawn[name]) return;
  drawn[name] = true;
  ({ waiting, board, graph, timeline, cost })[name]();
}
function tabs() {
  for (const [at, name] of TABS.entries()) {
    const button = $('tab-' + name);
    button.addEventListener('click', () => { history.replaceState(null, '', '#' + name); tab(name); });
    button.addEventListener('keydown', (event) => {
      const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      if (step === 0) return;
      event.preventDefault();
      tab(TABS[(at + step + TABS.length) % TABS.length], true);
    });
  }
  $('tab-waiting').textContent = 'Needs you (' + D.waiting.length + ')';
}
function filters() {
  const fill = (select, names, all) => {
    select.append(el('option', { value: '' }, all));
    for (const [at, name] of names.entries()) select.append(el('option', { value: at }, short(name, 40)));
    select.hidden = names.length === 0;
  };
  fill($('group'), D.groups, 'All groups');
  fill($('milestone'), D.milestones, 'All milestones');
  let timer = 0;
  const changed = () => {
    filter.text = $('find').value.trim().toLowerCase();
    filter.group = $('group').value;
    filter.milestone = $('milestone').value;
    for (const name of ['board', 'graph', 'timeline']) drawn[name] = false;
    draw(current);
  };
  $('find').addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(changed, 120); });
  $('group').addEventListener('change', changed);
  $('milestone').addEventListener('change', changed);
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
    if ($('filters').hidden) return;
    event.preventDefault();
    $('find').focus();
  });
}

/* A list that grows by a page at a time, so that thousands of tasks stay quick. */
function grow(into, items, page, make) {
  let from = 0;
  const more = el('button', { type: 'button' });
  const next = () => {
    more.remove();
    const part = document.createDocumentFragment();
    for (const item of items.slice(from, from + page)) part.append(make(item));
    from += page;
    into.append(part);
    if (from >= items.length) return;
    more.textContent = 'Show ' + Math.min(page, items.length - from) + ' more of ' + (items.length - from);
    (into.tagName === 'TBODY' ? into.parentElement.parentElement : into).append(more);
  };
  more.addEventListener('click', next);
  next();
}

function meta(task) {
  const parts = [task.i];
  if (task.g !== undefined) parts.push(D.groups[task.g]);
  if (task.h) parts.push('@' + task.h);
  if (task.r) parts.push('cycle ' + task.r);
  if (task.v) parts.push(task.v.toLowerCase().replaceAll('_', ' '));
  if (task.c) parts.push(money(task.c));
  return parts.join(' · ');
}
function card(at) {
  const task = T[at];
  return el('button', { type: 'button', class: 'card s-' + state(task), on: { click: () => open(at) } },
    el('b', { dir: 'auto' }, task.t),
    el('span', { class: 'dim small' }, meta(task)),
    WHY.has(at) ? el('span', { class: 'small', dir: 'auto' }, WHY.get(at)) : task.b ? el('span', { class: 'small', dir: 'auto' }, 'waits for ' + task.b) : null);
}
function board() {
  const into = $('columns');
  into.replaceChildren();
  const all = [...T.keys()].filter((at) => shows(T[at]));
  for (const name of ['person', 'working', 'ready', 'blocked', 'failed', 'done', 'skipped']) {
    const own = all.filter((at) => state(T[at]) === name);
    if (own.length === 0) continue;
    if (name === 'done') own.sort((a, b) => ((T[a].k || '') < (T[b].k || '') ? 1 : -1));
    const column = el('div', { class: 'column s-' + name },
      el('h2', null, el('span', { class: 'mark', 'aria-hidden': 'true' }, MARK[name]), NAME[name], el('span', { class: 'dim small' }, String(own.length))));
    grow(column, own, 40, card);
    into.append(column);
  }
  if (all.length === 0) into.append(el('p', { class: 'dim' }, T.length === 0 ? 'No tasks yet.' : 'No task is like that.'));
}

function command(text) {
  const button = el('button', { type: 'button', title: 'Copy' }, el('code', null, text));
  button.addEventListener('click', async () => {
    try { await navigator.clipboard.writeText(text); button.title = 'Copied'; } catch { getSelection().selectAllChildren(button); }
  });
  return button;
}
function waiting() {
  const into = $('waits');
  if (D.waiting.length === 0) into.append(el('p', null, 'Nothing waits for a person.'));
  grow(into, D.waiting, 50, (one) => el('div', { class: 'wait' },
    el('button', { type: 'button', class: 'plain', dir: 'auto', on: { click: () => open(one.i) } }, T[one.i].t),
    el('span', { class: 'dim small' }, ' ' + T[one.i].i + ' · ' + one.reason),
    el('p', { dir: 'auto' }, one.detail),
    el('div', { class: 'cmds' }, one.commands.map(command))));
}

/* One task. */
let dependents;
function open(at) {
  const task = T[at];
  if (!dependents) {
    dependents = T.map(() => []);
    for (const [to, other] of T.entries()) for (const on of other.d || []) dependents[on].push(to);
  }
  const link = (other) => el('button', { type: 'button', class: 'plain', on: { click: () => open(other) } }, MARK[state(T[other])] + ' ' + short(T[other].t, 60));
  const list = (ats) => ats.slice(0, 20).flatMap((other, n) => [n > 0 ? el('br') : null, link(other)]).concat(ats.length > 20 ? ' and ' + (ats.length - 20) + ' more' : null);
  const steps = D.timeline.filter((step) => step[0] === at);
  const waits = D.waiting.find((one) => one.i === at);
  const rows = [
    ['State', el('span', { class: 's-' + state(task) }, el('span', { class: 'mark' }, MARK[state(task)]), ' ' + NAME[state(task)])],
    ['Waits for', task.b],
    ['Type', task.y],
    ['Group', task.g !== undefined ? D.groups[task.g] : null],
    ['Milestone', task.m !== undefined ? D.milestones[task.m] : null],
    ['Part of', task.p !== undefined ? link(task.p) : null],
    ['After', task.d ? list(task.d) : null],
    ['Before', dependents[at].length > 0 ? list(dependents[at]) : null],
    ['Held by', task.h],
    ['Verdict', task.v ? task.v + (task.r && task.v === task.v.toUpperCase() ? ' after ' + task.r + (task.r === 1 ? ' cycle' : ' cycles') : '') : null],
    ['Closed', task.k],
    ['Cost', task.c ? money(task.c) : null],
    ['Time', task.n ? span(task.n) : null],
    ['Pull request', task.u ? address(task.u) : null],
  ];
  const body = $('body');
  body.replaceChildren(
    el('h2', { dir: 'auto', id: 'task-title' }, task.t),
    el('div', { class: 'dim small' }, task.i),
    el('dl', null, rows.flatMap(([name, value]) => (value ? [el('dt', null, name), el('dd', { dir: 'auto' }, value)] : []))),
    task.x ? el('p', { dir: 'auto' }, task.x) : '',
    waits ? el('div', null, el('p', { dir: 'auto' }, waits.detail), el('div', { class: 'cmds' }, waits.commands.map(command))) : el('div', { class: 'cmds' }, command('gza show ' + task.i)),
  );
  if (steps.length > 0) body.append(el('h2', null, 'Steps'), stepTable(steps, false));
  const box = $('task');
  if (!box.open) box.showModal();
  box.scrollTop = 0;
}
function address(url) {
  return /^https:\/\//.test(url) ? el('a', { href: url, rel: 'noreferrer noopener' }, url) : url;
}
`;

const start = String.raw`
$('close').addEventListener('click', () => $('task').close());
$('task').addEventListener('click', (event) => { if (event.target === $('task')) $('task').close(); });
head();
tabs();
filters();
const wanted = decodeURIComponent(location.hash.slice(1));
tab(TABS.includes(wanted) ? wanted : D.waiting.length > 0 ? 'waiting' : 'board');
const named = wanted.startsWith('task-') || wanted !== '' ? T.findIndex((task) => task.i === wanted) : -1;
if (named >= 0) open(named);
document.documentElement.dataset.ready = 'yes';
`;

export const reportClient = `${base}${reportClientGraph}${reportClientTime}${start}`;
