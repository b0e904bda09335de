/** Changes a part of the page with as few operations as possible, so that unchanged elements keep their focus and position. */

declare global {
  // Missing in the library's types, and in some browsers.
  var trustedTypes: { createPolicy(name: string, rules: Rules): Rules } | undefined;
}

type Rules = { createHTML(markup: string): string; createScriptURL(url: string): string };

const policy = globalThis.trustedTypes?.createPolicy('touchline', {
  createHTML: (markup) => markup,
  createScriptURL: (url) => url,
});

/** Marks the address of a script of the board as trusted, for a worker. */
export function scriptUrl(url: string): string {
  return policy?.createScriptURL(url) ?? url;
}

/** The attribute that `flash` sets and `morph` leaves alone. */
const FLASH = 'data-flash';
const FLASH_MS = 6_000;
/** The attribute of a placeholder: `morph` leaves the existing element with the same key unchanged. */
const SAME = 'data-same';

/** Highlights an element for `FLASH_MS`; restarts a running highlight. */
export function flash(element: Element, kind: string): void {
  element.removeAttribute(FLASH);
  requestAnimationFrame(() => element.setAttribute(FLASH, kind));
  setTimeout(() => element.removeAttribute(FLASH), FLASH_MS);
}

/** Parses markup. It must come from `html`, here or on the server. */
export function parse(markup: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = policy?.createHTML(markup) ?? markup;
  return template.content;
}

/** Gives an element the attributes and children of another. Children with the same `data-key` count as the same element. */
export function morph(have: Element, want: Element): void {
  if (want.hasAttribute(SAME) || have.isEqualNode(want)) return;
  for (const { name } of [...have.attributes]) {
    if (!want.hasAttribute(name) && name !== FLASH) have.removeAttribute(name);
  }
  for (const { name, value } of want.attributes) {
    if (have.getAttribute(name) !== value) have.setAttribute(name, value);
  }
  morphChildren(have, want);
}

/** Gives an element the children of another. Moves nodes out of `want`. */
export function morphChildren(have: Element, want: ParentNode & Node): void {
  const kept = new Set(Array.from(want.childNodes, keyOf));
  const keyed = new Map<string, Element>();
  for (const child of [...have.children]) {
    const key = keyOf(child);
    if (key === null) continue;
    // Removed now: otherwise all elements behind it would be moved.
    if (kept.has(key)) keyed.set(key, child);
    else child.remove();
  }
  const wantedKeys = Array.from(want.children, keyOf).filter((key) => key !== null && keyed.has(key));
  const staying = longestOrdered(wantedKeys.map((key) => keyed.get(key as string) as Element));
  let next: ChildNode | null = have.firstChild;
  for (const wanted of [...want.childNodes]) {
    const found = counterpart(wanted, next, keyed);
    if (found === null) {
      have.insertBefore(wanted, next);
      continue;
    }
    while (staying.has(found) && next !== null && next !== found) {
      const after: ChildNode | null = next.nextSibling;
      // An element with a key is moved later, when its position is reached.
      if (keyOf(next) === null) next.remove();
      next = after;
    }
    if (found === next) next = next.nextSibling;
    else move(have, found, next);
    if (found instanceof Element && wanted instanceof Element) morph(found, wanted);
    else if (found.nodeValue !== wanted.nodeValue) found.nodeValue = wanted.nodeValue;
  }
  while (next !== null) {
    const after: ChildNode | null = next.nextSibling;
    next.remove();
    next = after;
  }
}

/** Returns the largest set of siblings that can stay while the others are moved into this order. Each moved row costs a layout. */
function longestOrdered(siblings: readonly Element[]): ReadonlySet<Node> {
  type Run = { readonly last: Element; readonly index: number; readonly before: Run | undefined };
  const indexes = new Map(Array.from(siblings[0]?.parentElement?.children ?? [], (child, n) => [child, n]));
  /** At index n: of all runs of n + 1 elements, the one whose last element comes first in the page. */
  const runs: Run[] = [];
  for (const last of siblings) {
    const index = indexes.get(last) ?? 0;
    const at = runs.findLastIndex((run) => run.index < index) + 1;
    runs[at] = { last, index, before: runs[at - 1] };
  }
  const longest = new Set<Node>();
  for (let run = runs.at(-1); run !== undefined; run = run.before) longest.add(run.last);
  return longest;
}

/** Returns the existing node to change into the wanted one: the one with its key, else the next node if it is of the same kind. */
function counterpart(
  wanted: ChildNode,
  next: ChildNode | null,
  keyed: ReadonlyMap<string, Element>,
): ChildNode | null {
  const key = keyOf(wanted);
  if (key !== null) return keyed.get(key) ?? null;
  return next !== null && keyOf(next) === null && next.nodeName === wanted.nodeName ? next : null;
}

function keyOf(node: Node): string | null {
  return node instanceof Element ? node.getAttribute('data-key') : null;
}

/** Replaces placeholders that found no existing element, as it was in another parent. */
export function replaceSame(within: Element, nodeFor: (same: Element) => Node | null): void {
  for (const same of within.querySelectorAll(`[${SAME}]`)) {
    const wanted = nodeFor(same);
    if (wanted !== null) same.replaceWith(wanted);
  }
}

/** Moves a child and keeps the focus within it, also in browsers without `moveBefore`. */
function move(parent: Element, child: ChildNode, before: ChildNode | null): void {
  if (typeof parent.moveBefore === 'function') {
    parent.moveBefore(child, before);
    return;
  }
  const { activeElement } = document;
  parent.insertBefore(child, before);
  if (activeElement instanceof HTMLElement && child.contains(activeElement)) activeElement.focus();
}
