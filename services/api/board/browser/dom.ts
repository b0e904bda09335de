/** Markup of the server in the page. */
import { Idiomorph } from './idiomorph.js';

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

export function parse(markup: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = policy?.createHTML(markup) ?? markup;
  return template.content;
}

/** Attributes that the reader or `flash` changed: the server does not know them. */
const OWN: ReadonlySet<string> = new Set(['open', 'data-flash']);

/** Makes an element equal to another with as few changes as possible. A form that the reader has begun to fill in stays as it is. */
export function morph(have: Element, want: Element): void {
  Idiomorph.morph(have, want, {
    callbacks: {
      beforeAttributeUpdated: (name) => !OWN.has(name),
      beforeNodeMorphed: (one) => !(one instanceof HTMLFormElement && isBegun(one)),
    },
  });
}

function isBegun(form: HTMLFormElement): boolean {
  if (form.contains(document.activeElement)) return true;
  return Array.from(form.elements).some((field) => {
    if (field instanceof HTMLInputElement) return field.value !== field.defaultValue;
    if (!(field instanceof HTMLSelectElement)) return false;
    const first = Array.from(field.options).findIndex(({ defaultSelected }) => defaultSelected);
    return field.selectedIndex !== Math.max(0, first);
  });
}

/** Returns an element of the page. Throws when there is none with this id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element as T;
}

/** Sets the text of an element, if it differs: a status that is set again is announced again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
