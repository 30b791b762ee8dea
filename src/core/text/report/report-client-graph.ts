/** The graph of the report page: drawn from places worked out before; zoom, pan, pinch, keys, click. */
export const reportClientGraph = String.raw`
const CELL = { w: 222, h: 56, bw: 180, bh: 40 };
let shown = 0;
let view = null;
function graph() {
  const select = $('which');
  if (select.options.length === 0) {
    for (const [at, one] of D.graphs.entries()) select.append(el('option', { value: at }, short(one.name, 40)));
    select.hidden = D.graphs.length < 2;
    $('back').hidden = true;
    select.addEventListener('change', () => showGraph(Number(select.value)));
    $('back').addEventListener('click', () => showGraph(0));
    $('in').addEventListener('click', () => zoom(1.3));
    $('out').addEventListener('click', () => zoom(1 / 1.3));
    $('fit').addEventListener('click', fit);
  }
  showGraph(shown);
}
function showGraph(at) {
  shown = at;
  const one = D.graphs[at];
  $('which').value = String(at);
  $('back').hidden = at === 0;
  $('cut').textContent = one.cut > 0 ? one.cut + ' of its tasks are not drawn' : '';
  const root = svg('svg', { role: 'group', tabindex: '0', 'aria-label': 'Dependency graph of ' + one.name + '. Arrow keys move, plus and minus zoom, n and p walk the tasks, Enter opens.' });
  const world = svg('g', {});
  const spots = [];
  for (let n = 0; n < one.nodes.length; n += 3) spots.push({ id: one.nodes[n], x: one.nodes[n + 1] * CELL.w, y: one.nodes[n + 2] * CELL.h });
  const edges = svg('g', {});
  const lines = [];
  for (let n = 0; n < one.edges.length; n += 2) {
    const a = spots[one.edges[n]];
    const b = spots[one.edges[n + 1]];
    const from = [a.x + CELL.bw, a.y + CELL.bh / 2];
    const to = [b.x, b.y + CELL.bh / 2];
    const bend = Math.max(30, Math.abs(to[0] - from[0]) / 2);
    const path = svg('path', { class: 'edge', d: 'M' + from + 'C' + (from[0] + bend) + ',' + from[1] + ' ' + (to[0] - bend) + ',' + to[1] + ' ' + to });
    lines.push({ path, a: one.edges[n], b: one.edges[n + 1] });
    edges.append(path);
  }
  world.append(edges);
  for (const [n, spot] of spots.entries()) {
    spot.box = one.of === 'tasks' ? taskNode(spot) : partNode(spot);
    spot.box.addEventListener('click', () => { if (!view.moved) { choose(n); enter(n); } });
    spot.box.addEventListener('pointerenter', () => light(n));
    world.append(spot.box);
  }
  root.append(world);
  $('view').replaceChildren(root);
  view = { root, world, spots, lines, of: one.of, x: 0, y: 0, k: 1, at: -1, moved: false, touches: new Map() };
  root.addEventListener('wheel', (event) => { event.preventDefault(); zoom(event.deltaY < 0 ? 1.12 : 1 / 1.12, event.offsetX, event.offsetY); }, { passive: false });
  root.addEventListener('pointerdown', down);
  root.addEventListener('pointermove', move);
  for (const name of ['pointerup', 'pointercancel', 'pointerleave']) root.addEventListener(name, up);
  root.addEventListener('keydown', key);
  fit();
}
function taskNode(spot) {
  const task = T[spot.id];
  const dull = isFiltered() && !shows(task);
  return svg('g', { class: 'node s-' + state(task) + (dull ? ' dull' : ''), transform: 'translate(' + spot.x + ',' + spot.y + ')' },
    svg('title', {}, task.t + ' (' + NAME[state(task)].toLowerCase() + ')'),
    svg('rect', { width: CELL.bw, height: CELL.bh, rx: 6 }),
    svg('rect', { class: 'edge0', width: 4, height: CELL.bh, rx: 2 }),
    svg('text', { x: 11, y: 17 }, MARK[state(task)] + ' ' + short(task.t, 21)),
    svg('text', { class: 'sub', x: 11, y: 32 }, short(task.i, 26)));
}
function partNode(spot) {
  const one = D.graphs[spot.id];
  const counts = one.counts;
  const of = (name) => counts[D.states.indexOf(name)];
  const total = counts.reduce((a, b) => a + b, 0);
  const done = of('done') + of('skipped');
  const name = of('failed') > 0 ? 'failed' : of('person') > 0 ? 'person' : of('working') > 0 ? 'working' : done === total ? 'done' : of('ready') > 0 ? 'ready' : 'blocked';
  return svg('g', { class: 'node s-' + name, transform: 'translate(' + spot.x + ',' + spot.y + ')' },
    svg('title', {}, one.name + ': ' + done + ' of ' + total + ' done'),
    svg('rect', { width: CELL.bw, height: CELL.bh, rx: 6 }),
    svg('rect', { class: 'edge0', width: (CELL.bw * done) / Math.max(1, total), height: 5, y: CELL.bh - 5 }),
    svg('text', { x: 9, y: 16 }, MARK[name] + ' ' + short(one.name, 21)),
    svg('text', { class: 'sub', x: 9, y: 30 }, done + ' of ' + total + ' done'));
}
function enter(n) {
  if (view.of === 'tasks') open(view.spots[n].id);
  else showGraph(view.spots[n].id);
}
function choose(n) {
  if (view.at >= 0) view.spots[view.at].box.classList.remove('on');
  view.at = n;
  view.spots[n].box.classList.add('on');
  light(n);
}
function light(n) {
  for (const line of view.lines) line.path.classList.toggle('on', line.a === n || line.b === n);
}
function place() {
  view.world.setAttribute('transform', 'translate(' + view.x + ',' + view.y + ') scale(' + view.k + ')');
}
function size() {
  return [view.root.clientWidth || 600, view.root.clientHeight || 400];
}
function fit() {
  const right = Math.max(CELL.bw, ...view.spots.map((spot) => spot.x + CELL.bw));
  const bottom = Math.max(CELL.bh, ...view.spots.map((spot) => spot.y + CELL.bh));
  const [w, h] = size();
  /* Small enough to see much, large enough to read: the rest is a move away. */
  view.k = Math.min(1.2, Math.max(w < 500 ? 0.75 : 0.45, Math.min((w - 30) / right, (h - 30) / bottom)));
  view.x = Math.max(15, (w - right * view.k) / 2);
  view.y = Math.max(15, (h - bottom * view.k) / 2);
  place();
}
function zoom(by, x, y) {
  const [w, h] = size();
  const cx = x === undefined ? w / 2 : x;
  const cy = y === undefined ? h / 2 : y;
  const k = Math.min(4, Math.max(0.04, view.k * by));
  view.x = cx - ((cx - view.x) * k) / view.k;
  view.y = cy - ((cy - view.y) * k) / view.k;
  view.k = k;
  place();
}
function down(event) {
  view.touches.set(event.pointerId, [event.clientX, event.clientY]);
  if (view.touches.size === 1) view.moved = false;
}
function move(event) {
  const before = view.touches.get(event.pointerId);
  if (!before) return;
  const now = [event.clientX, event.clientY];
  if (view.touches.size === 1) {
    if (!view.moved && Math.hypot(now[0] - before[0], now[1] - before[1]) < 4) return;
    if (!view.moved) { view.moved = true; view.root.setPointerCapture(event.pointerId); }
    view.x += now[0] - before[0];
    view.y += now[1] - before[1];
    place();
  } else {
    const [other] = [...view.touches].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    const was = Math.hypot(before[0] - other[0], before[1] - other[1]);
    const is = Math.hypot(now[0] - other[0], now[1] - other[1]);
    const box = view.root.getBoundingClientRect();
    view.moved = true;
    if (was > 0) zoom(is / was, (now[0] + other[0]) / 2 - box.left, (now[1] + other[1]) / 2 - box.top);
  }
  view.touches.set(event.pointerId, now);
}
function up(event) {
  view.touches.delete(event.pointerId);
}
function key(event) {
  const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  const by = moves[event.key];
  if (by) { view.x += by[0]; view.y += by[1]; place(); }
  else if (event.key === '+' || event.key === '=') zoom(1.2);
  else if (event.key === '-') zoom(1 / 1.2);
  else if (event.key === '0') fit();
  else if (event.key === 'n' || event.key === 'p') walk(event.key === 'n' ? 1 : -1);
  else if (event.key === 'Enter' && view.at >= 0) enter(view.at);
  else return;
  event.preventDefault();
}
function walk(step) {
  const count = view.spots.length;
  if (count === 0) return;
  choose((view.at + step + count) % count);
  const spot = view.spots[view.at];
  const [w, h] = size();
  view.x = w / 2 - (spot.x + CELL.bw / 2) * view.k;
  view.y = h / 2 - (spot.y + CELL.bh / 2) * view.k;
  place();
  $('said').textContent = spot.box.querySelector('title').textContent;
}
`;
