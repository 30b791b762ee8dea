/**
 * Creates elements from names, attributes and texts, never from markup, so that a task's text cannot become
 * part of the page.
 */
type Attributes = Readonly<Record<string, string | number | undefined>>;
type Child = Node | string | null;

export function byId(id: string): HTMLElement {
  return document.getElementById(id) as HTMLElement;
}

export function emptied(id: string): HTMLElement {
  const found = byId(id);
  found.replaceChildren();
  return found;
}

export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(name), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

function fill<E extends Element>(element: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function button(
  attributes: Attributes,
  onClick: () => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  const made = el('button', { type: 'button', ...attributes }, ...children);
  made.addEventListener('click', onClick);
  return made;
}

/** A command, copied by a click. */
export function commandButton(text: string): HTMLButtonElement {
  const made = button({ title: 'Copy' }, () => void copy(), el('code', {}, text));
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      made.title = 'Copied';
    } catch {
      getSelection()?.selectAllChildren(made);
    }
  };
  return made;
}

/** A list that grows by pages, so that thousands of tasks stay quick. `under` gets the button for more. */
export function growList<T>(
  into: HTMLElement,
  items: readonly T[],
  page: number,
  make: (item: T) => Node,
  under: HTMLElement = into,
): void {
  let from = 0;
  const next = () => {
    more.remove();
    into.append(...items.slice(from, from + page).map(make));
    from += page;
    if (from >= items.length) return;
    more.textContent = `Show ${Math.min(page, items.length - from)} more of ${items.length - from}`;
    under.append(more);
  };
  const more = button({}, next);
  next();
}

export interface Column {
  readonly name: string;
  readonly isNumber?: boolean;
}

/** A table inside a box that scrolls. On a phone each row becomes a paragraph. */
export function growTable<T>(
  columns: readonly Column[],
  items: readonly T[],
  makeRow: (item: T) => HTMLElement,
): HTMLElement {
  const body = el('tbody');
  const heads = columns.map(({ name, isNumber }) =>
    el('th', { scope: 'col', class: isNumber ? 'n' : undefined }, name),
  );
  const table = el('table', { class: 'rows' }, el('thead', {}, el('tr', {}, ...heads)), body);
  const box = el('div', { class: 'scroll' }, table);
  growList(body, items, 100, makeRow, box);
  return box;
}
