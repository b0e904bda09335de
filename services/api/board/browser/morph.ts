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
  if (have.isEqualNode(want)) return;
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
  const keyed = new Map<string, Element>();
  for (const child of have.children) {
    const key = keyOf(child);
    if (key !== null) keyed.set(key, child);
  }
  let next: ChildNode | null = have.firstChild;
  for (const wanted of [...want.childNodes]) {
    const found = counterpart(wanted, next, keyed);
    if (found === null) {
      have.insertBefore(wanted, next);
      continue;
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
