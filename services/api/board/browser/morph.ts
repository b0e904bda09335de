/** Changes a piece of the page into another with as little as possible: what stays keeps its focus and its place. */

declare global {
  // Not in the library's types yet, nor in every browser.
  var trustedTypes: { createPolicy(name: string, rules: Rules): Rules } | undefined;
}

type Rules = { createHTML(markup: string): string; createScriptURL(url: string): string };

const policy = globalThis.trustedTypes?.createPolicy('touchline', {
  createHTML: (markup) => markup,
  createScriptURL: (url) => url,
});

/** The address of a script of the board, for a worker. */
export function scriptUrl(url: string): string {
  return policy?.createScriptURL(url) ?? url;
}

/** The attribute that `flash` sets; it is left alone. */
const FLASH = 'data-flash';
const FLASH_MS = 6_000;
/** Marks an element that stands for one of its key as it is. */
const SAME = 'data-same';

/** Marks an element for a moment; marks it again if it is marked. */
export function flash(element: Element, kind: string): void {
  element.removeAttribute(FLASH);
  requestAnimationFrame(() => element.setAttribute(FLASH, kind));
  setTimeout(() => element.removeAttribute(FLASH), FLASH_MS);
}

/** Parses markup that was made by `html`, here or in the server. */
export function parse(markup: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = policy?.createHTML(markup) ?? markup;
  return template.content;
}

/** Makes an element like another: attributes and children. Children with the same `data-key` are taken for the same. */
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

/** As `morph`, of the children alone. `want` is used up. */
export function morphChildren(have: Element, want: ParentNode & Node): void {
  const kept = new Set(Array.from(want.childNodes, keyOf));
  const keyed = new Map<string, Element>();
  for (const child of [...have.children]) {
    const key = keyOf(child);
    if (key === null) continue;
    // Left until the end, it would have every one behind it moved.
    if (kept.has(key)) keyed.set(key, child);
    else child.remove();
  }
  const wantedKeys = Array.from(want.children, keyOf).filter((key) => key !== null && keyed.has(key));
  const staying = longestInOrder(wantedKeys.map((key) => keyed.get(key as string) as Element));
  let next: ChildNode | null = have.firstChild;
  for (const wanted of [...want.childNodes]) {
    const found = counterpart(wanted, next, keyed);
    if (found === null) {
      have.insertBefore(wanted, next);
      continue;
    }
    while (staying.has(found) && next !== null && next !== found) {
      const after: ChildNode | null = next.nextSibling;
      // One with a key is moved when its place comes.
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

/** Those of siblings that need not move for all to come into this order: as many as can be. A moved row is laid out again with all in it. */
function longestInOrder(siblings: readonly Element[]): ReadonlySet<Node> {
  type Run = { readonly last: Element; readonly place: number; readonly before: Run | undefined };
  const places = new Map(Array.from(siblings[0]?.parentElement?.children ?? [], (child, n) => [child, n]));
  /** By length less one: of the runs of that length the one that ends first. */
  const runs: Run[] = [];
  for (const last of siblings) {
    const place = places.get(last) ?? 0;
    const at = runs.findLastIndex((run) => run.place < place) + 1;
    runs[at] = { last, place, before: runs[at - 1] };
  }
  const longest = new Set<Node>();
  for (let run = runs.at(-1); run !== undefined; run = run.before) longest.add(run.last);
  return longest;
}

/** The node that becomes the wanted one: that of its key, else the next in place where it is of the same kind. */
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

/** Replaces what still stands for another element, as that was elsewhere. */
export function replaceSame(within: Element, withWhat: (same: Element) => Node | null): void {
  for (const same of within.querySelectorAll(`[${SAME}]`)) {
    const wanted = withWhat(same);
    if (wanted !== null) same.replaceWith(wanted);
  }
}

/** Moves a child without losing the focus within it, also where the browser knows no way to do so. */
function move(parent: Element, child: ChildNode, before: ChildNode | null): void {
  if (typeof parent.moveBefore === 'function') {
    parent.moveBefore(child, before);
    return;
  }
  const { activeElement } = document;
  parent.insertBefore(child, before);
  if (activeElement instanceof HTMLElement && child.contains(activeElement)) activeElement.focus();
}
