/** The timeline and the cost of the report page: bars by task, rows by step, sums by group and agent. */
export const reportClientTime = String.raw`
const BARS = 40;
function stepName(step) {
  return D.steps[step[1]] + (step[6] > 0 ? ' ' + step[6] : '');
}
function stepEnd(step) {
  return step[7] ? step[7].toLowerCase().replaceAll('_', ' ') : D.outcomes[step[2]];
}
function stepMark(step) {
  const outcome = D.outcomes[step[2]];
  if (outcome === 'failed' || outcome === 'lost') return 'bad';
  if (outcome !== 'ok' || (step[7] && step[7] !== 'APPROVED')) return 'other';
  return D.steps[step[1]] === 'review' ? 'review' : 'ok';
}
const agentOf = (step) => (step[5] < 0 ? '' : D.agents[step[5]]);
function timeline() {
  const steps = D.timeline.filter((step) => shows(T[step[0]]));
  const into = $('steps');
  into.replaceChildren();
  const days = $('days');
  if (!days.dataset.on) { days.dataset.on = 'yes'; days.addEventListener('change', () => { drawn.timeline = false; draw('timeline'); }); }
  if (steps.length === 0) {
    $('gantt').replaceChildren();
    into.append(el('p', { class: 'dim' }, 'Nothing was run yet.'));
    return;
  }
  bars(steps, Number(days.value));
  const hidden = D.stepCount - D.timeline.length;
  if (hidden > 0) into.append(el('p', { class: 'dim small' }, 'The newest ' + D.timeline.length + ' of ' + D.stepCount + ' steps; the sums count all.'));
  into.append(stepTable(steps, true));
}
function bars(steps, days) {
  const end = Math.max(...steps.map((step) => step[3] + step[4]));
  const from = days === 0 ? Math.min(...steps.map((step) => step[3])) : Math.max(end - days * 86400, Math.min(...steps.map((step) => step[3])));
  const within = steps.filter((step) => step[3] + step[4] >= from);
  const rows = [...new Set(within.map((step) => step[0]))].slice(0, BARS);
  const room = $('gantt').clientWidth - 14;
  const isNarrow = room < 520;
  const left = isNarrow ? 130 : 190;
  const width = Math.max(330, room);
  const height = rows.length * 20 + 26;
  const scale = (width - left - 20) / Math.max(1, end - from);
  const root = svg('svg', { width, height, role: 'img', 'aria-label': 'Steps over time; the table below has the same' });
  for (let n = 0; n <= 4; n += 1) {
    const at = from + ((end - from) * n) / 4;
    const x = left + (at - from) * scale;
    root.append(svg('line', { x1: x, x2: x, y1: 18, y2: height }));
    if (!isNarrow || n === 0 || n === 4) root.append(svg('text', { class: 'sub', x, y: 12, 'text-anchor': n === 4 ? 'end' : n === 0 ? 'start' : 'middle' }, when(at).slice(5)));
  }
  for (const [n, at] of rows.entries()) {
    const y = 22 + n * 20;
    root.append(svg('text', { x: 4, y: y + 12 }, MARK[state(T[at])] + ' ' + short(T[at].t, isNarrow ? 17 : 27)));
    for (const step of within.filter((one) => one[0] === at)) {
      const x = left + Math.max(0, step[3] - from) * scale;
      const bar = svg('rect', { class: 'o-' + stepMark(step), x, y, width: Math.max(3, step[4] * scale), height: 14, rx: 2 },
        svg('title', {}, stepName(step) + ' by ' + (agentOf(step) || '?') + ': ' + stepEnd(step) + ', ' + span(step[4]) + (step[8] ? ', ' + money(step[8]) : '')));
      bar.addEventListener('click', () => open(at));
      root.append(bar);
    }
  }
  $('gantt').replaceChildren(root);
}
function stepTable(steps, withTask) {
  const names = ['When', ...(withTask ? ['Task'] : []), 'Step', 'Who', 'Ended', 'Took', 'Cost'];
  const body = el('tbody');
  const table = el('table', { class: 'rows' },
    el('thead', null, el('tr', null, names.map((name) => el('th', { scope: 'col', class: name === 'Took' || name === 'Cost' ? 'n' : null }, name)))),
    body);
  const box = el('div', { class: 'scroll' }, table);
  grow(body, steps, 100, (step) => el('tr', null,
    el('td', { class: 'dim' }, when(step[3])),
    withTask ? el('td', null, el('button', { type: 'button', class: 'plain', dir: 'auto', on: { click: () => open(step[0]) } }, T[step[0]].t)) : null,
    el('td', null, stepName(step)),
    el('td', { 'data-h': 'by' }, agentOf(step)),
    el('td', null, stepEnd(step)),
    el('td', { class: 'n', 'data-h': 'took' }, span(step[4])),
    el('td', { class: 'n' }, step[8] ? money(step[8]) : '')));
  return box;
}
function cost() {
  const total = D.byGroup.reduce((sum, one) => sum + one.cents, 0);
  const time = D.byGroup.reduce((sum, one) => sum + one.seconds, 0);
  $('sum').textContent = money(total) + ' and ' + span(time) + ' of agents at work, in ' + D.stepCount + ' steps';
  spending($('by-group'), 'Group', D.byGroup, (one) => one.done + ' of ' + one.tasks + ' done');
  spending($('by-agent'), 'Agent', D.byAgent, (one) => one.steps + ' steps, ' + one.failed + ' failed, ' + one.tasks + ' tasks');
}
function spending(into, name, all, about) {
  if (all.length === 0) return into.append(el('p', { class: 'dim' }, 'Nothing yet.'));
  const most = Math.max(1, ...all.map((one) => one.cents || one.seconds / 60));
  const body = el('tbody');
  into.append(el('div', { class: 'scroll' }, el('table', { class: 'rows' },
    el('thead', null, el('tr', null, [name, 'Work', 'Cost', 'Time', ''].map((text) => el('th', { scope: 'col', class: text === 'Cost' || text === 'Time' ? 'n' : null }, text)))),
    body)));
  grow(body, all, 100, (one) => {
    const fill = el('span');
    fill.style.width = (100 * (one.cents || one.seconds / 60)) / most + '%';
    return el('tr', null, el('td', { dir: 'auto' }, one.name), el('td', { class: 'dim' }, about(one)), el('td', { class: 'n', 'data-h': 'cost' }, money(one.cents)),
      el('td', { class: 'n', 'data-h': 'time' }, span(one.seconds)), el('td', { class: 'hide' }, el('div', { class: 'meter' }, fill)));
  });
}
`;
