/** The dependency graph. The positions are in the data; this draws it and handles zoom, movement and keys. */
import type { ReportGraph } from '../core/report/report-graphs.ts';
import { data, isFiltered, isShown, marks, names, type State, short, taskAt } from './data.ts';
import { byId, el, emptied, svg } from './dom.ts';
import { openTask } from './task-dialog.ts';

const cell = { width: 222, height: 56 };
const box = { width: 180, height: 40 };
const keySteps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [60, 0],
  ArrowRight: [-60, 0],
  ArrowUp: [0, 60],
  ArrowDown: [0, -60],
};

type Point = readonly [x: number, y: number];

interface Spot {
  /** Index of the task, or of the graph that the node represents. */
  readonly at: number;
  readonly x: number;
  readonly y: number;
  readonly node: SVGGElement;
}

interface Line {
  readonly path: SVGPathElement;
  readonly from: number;
  readonly to: number;
}

let isPrepared = false;
let shown = 0;

export function drawGraph(): void {
  if (!isPrepared) prepare();
  isPrepared = true;
  showGraph(shown);
}

let view: GraphView | undefined;

function prepare(): void {
  const select = byId('which') as HTMLSelectElement;
  for (const [at, { name }] of data.graphs.entries())
    select.append(el('option', { value: at }, short(name, 40)));
  select.hidden = data.graphs.length < 2;
  select.addEventListener('change', () => showGraph(Number(select.value)));
  byId('back').addEventListener('click', () => showGraph(0));
  byId('in').addEventListener('click', () => view?.zoom(1.3));
  byId('out').addEventListener('click', () => view?.zoom(1 / 1.3));
  byId('fit').addEventListener('click', () => view?.fit());
}

function showGraph(at: number): void {
  shown = at;
  const graph = data.graphs[at] as ReportGraph;
  (byId('which') as HTMLSelectElement).value = String(at);
  byId('back').hidden = at === 0;
  byId('cut').textContent = graph.cut > 0 ? `${graph.cut} of its tasks are not drawn` : '';
  view = new GraphView(graph);
}

function enter(graph: ReportGraph, { at }: Spot): void {
  if (graph.of === 'tasks') openTask(at);
  else showGraph(at);
}

function spotsOf(graph: ReportGraph): Spot[] {
  const spots: Spot[] = [];
  for (let n = 0; n < graph.nodes.length; n += 3) {
    const [at = 0, column = 0, row = 0] = graph.nodes.slice(n, n + 3);
    const [x, y] = [column * cell.width, row * cell.height];
    const node = graph.of === 'tasks' ? taskNode(at) : partNode(data.graphs[at] as ReportGraph);
    node.setAttribute('transform', `translate(${x},${y})`);
    spots.push({ at, x, y, node });
  }
  return spots;
}

function taskNode(at: number): SVGGElement {
  const task = taskAt(at);
  const dull = isFiltered() && !isShown(task) ? ' dull' : '';
  return svg(
    'g',
    { class: `node s-${task.state}${dull}` },
    svg('title', {}, `${task.title} (${names[task.state].toLowerCase()})`),
    svg('rect', { ...box, rx: 6 }),
    svg('rect', { class: 'edge0', width: 4, height: box.height, rx: 2 }),
    svg('text', { x: 11, y: 17 }, `${marks[task.state]} ${short(task.title, 21)}`),
    svg('text', { class: 'sub', x: 11, y: 32 }, short(task.id, 26)),
  );
}

function partNode({ name, counts }: ReportGraph): SVGGElement {
  const total = Object.values(counts).reduce((a, b) => a + b, 0);
  const done = counts.done + counts.skipped;
  const telling: readonly State[] = ['failed', 'person', 'working'];
  const state =
    telling.find((one) => counts[one] > 0) ??
    (done === total ? 'done' : counts.ready > 0 ? 'ready' : 'blocked');
  const width = (box.width * done) / Math.max(1, total);
  return svg(
    'g',
    { class: `node s-${state}` },
    svg('title', {}, `${name}: ${done} of ${total} done`),
    svg('rect', { ...box, rx: 6 }),
    svg('rect', { class: 'edge0', width, height: 5, y: box.height - 5 }),
    svg('text', { x: 9, y: 16 }, `${marks[state]} ${short(name, 21)}`),
    svg('text', { class: 'sub', x: 9, y: 30 }, `${done} of ${total} done`),
  );
}

function linesOf(graph: ReportGraph, spots: readonly Spot[]): Line[] {
  const lines: Line[] = [];
  for (let n = 0; n < graph.edges.length; n += 2) {
    const [from = 0, to = 0] = graph.edges.slice(n, n + 2);
    const [a, b] = [spots[from] as Spot, spots[to] as Spot];
    const start: Point = [a.x + box.width, a.y + box.height / 2];
    const end: Point = [b.x, b.y + box.height / 2];
    const bend = Math.max(30, Math.abs(end[0] - start[0]) / 2);
    const d = `M${start.join()}C${start[0] + bend},${start[1]} ${end[0] - bend},${end[1]} ${end.join()}`;
    lines.push({ path: svg('path', { class: 'edge', d }), from, to });
  }
  return lines;
}

class GraphView {
  readonly #graph: ReportGraph;
  readonly #spots: readonly Spot[];
  readonly #lines: readonly Line[];
  readonly #world = svg('g');
  readonly #root: SVGSVGElement;
  readonly #touches = new Map<number, Point>();
  #x = 0;
  #y = 0;
  #scale = 1;
  /** The node selected by keys; -1 before the first. */
  #chosen = -1;
  #hasMoved = false;

  constructor(graph: ReportGraph) {
    this.#graph = graph;
    this.#spots = spotsOf(graph);
    this.#lines = linesOf(graph, this.#spots);
    const label = `Dependency graph of ${graph.name}. Arrow keys move, plus and minus zoom, n and p walk the tasks, Enter opens.`;
    this.#root = svg('svg', { role: 'group', tabindex: '0', 'aria-label': label }, this.#world);
    this.#world.append(svg('g', {}, ...this.#lines.map(({ path }) => path)));
    for (const [n, spot] of this.#spots.entries()) {
      this.#world.append(spot.node);
      spot.node.addEventListener('pointerenter', () => this.#light(n));
      spot.node.addEventListener('click', () => {
        if (this.#hasMoved) return;
        this.#choose(n);
        enter(graph, spot);
      });
    }
    this.#listen();
    emptied('view').append(this.#root);
    this.fit();
  }

  /** Chooses a scale that shows much and stays readable. The rest is reached by moving. */
  fit(): void {
    const right = Math.max(box.width, ...this.#spots.map(({ x }) => x + box.width));
    const bottom = Math.max(box.height, ...this.#spots.map(({ y }) => y + box.height));
    const [width, height] = this.#size();
    const smallest = width < 500 ? 0.75 : 0.45;
    const whole = Math.min((width - 30) / right, (height - 30) / bottom);
    this.#scale = Math.min(1.2, Math.max(smallest, whole));
    this.#moveTo((width - right * this.#scale) / 2, (height - bottom * this.#scale) / 2, 15);
  }

  zoom(by: number, around?: Point): void {
    const [width, height] = this.#size();
    const [x, y] = around ?? [width / 2, height / 2];
    const scale = Math.min(4, Math.max(0.04, this.#scale * by));
    const grown = scale / this.#scale;
    this.#scale = scale;
    this.#moveTo(x - (x - this.#x) * grown, y - (y - this.#y) * grown);
  }

  #size(): Point {
    return [this.#root.clientWidth || 600, this.#root.clientHeight || 400];
  }

  #moveTo(x: number, y: number, min = Number.NEGATIVE_INFINITY): void {
    this.#x = Math.max(min, x);
    this.#y = Math.max(min, y);
    this.#world.setAttribute('transform', `translate(${this.#x},${this.#y}) scale(${this.#scale})`);
  }

  #choose(n: number): void {
    this.#spots[this.#chosen]?.node.classList.remove('on');
    this.#chosen = n;
    this.#spots[n]?.node.classList.add('on');
    this.#light(n);
  }

  #light(n: number): void {
    for (const { path, from, to } of this.#lines) path.classList.toggle('on', from === n || to === n);
  }

  #listen(): void {
    const root = this.#root;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1.12 : 1 / 1.12, [event.offsetX, event.offsetY]);
    };
    root.addEventListener('wheel', wheel, { passive: false });
    root.addEventListener('pointerdown', ({ pointerId, clientX, clientY }) => {
      this.#touches.set(pointerId, [clientX, clientY]);
      if (this.#touches.size === 1) this.#hasMoved = false;
    });
    root.addEventListener('pointermove', (event) => this.#drag(event));
    for (const name of ['pointerup', 'pointercancel', 'pointerleave'] as const)
      root.addEventListener(name, ({ pointerId }) => this.#touches.delete(pointerId));
    root.addEventListener('keydown', (event) => {
      if (this.#press(event.key)) event.preventDefault();
    });
  }

  /** One finger moves, two zoom. */
  #drag({ pointerId, clientX, clientY }: PointerEvent): void {
    const before = this.#touches.get(pointerId);
    if (!before) return;
    const now: Point = [clientX, clientY];
    const other = [...this.#touches].find(([id]) => id !== pointerId)?.[1];
    if (other) this.#pinch(before, now, other);
    else {
      if (!this.#hasMoved && distance(now, before) < 4) return;
      if (!this.#hasMoved) this.#root.setPointerCapture(pointerId);
      this.#moveTo(this.#x + now[0] - before[0], this.#y + now[1] - before[1]);
    }
    this.#hasMoved = true;
    this.#touches.set(pointerId, now);
  }

  #pinch(before: Point, now: Point, other: Point): void {
    const was = distance(before, other);
    const { left, top } = this.#root.getBoundingClientRect();
    const middle: Point = [(now[0] + other[0]) / 2 - left, (now[1] + other[1]) / 2 - top];
    if (was > 0) this.zoom(distance(now, other) / was, middle);
  }

  #press(key: string): boolean {
    const step = keySteps[key];
    if (step) this.#moveTo(this.#x + step[0], this.#y + step[1]);
    else if (key === '+' || key === '=') this.zoom(1.2);
    else if (key === '-') this.zoom(1 / 1.2);
    else if (key === '0') this.fit();
    else if (key === 'n') this.#walk(1);
    else if (key === 'p') this.#walk(-1);
    else if (key === 'Enter' && this.#chosen >= 0) enter(this.#graph, this.#spots[this.#chosen] as Spot);
    else return false;
    return true;
  }

  #walk(by: number): void {
    const count = this.#spots.length;
    if (count === 0) return;
    this.#choose((this.#chosen + by + count) % count);
    const spot = this.#spots[this.#chosen] as Spot;
    const [width, height] = this.#size();
    this.#moveTo(
      width / 2 - (spot.x + box.width / 2) * this.#scale,
      height / 2 - (spot.y + box.height / 2) * this.#scale,
    );
    byId('said').textContent = spot.node.querySelector('title')?.textContent ?? '';
  }
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}
