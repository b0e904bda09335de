/**
 * HTML whose every inserted value is escaped: names come from a provider and may hold anything. The modules of this
 * folder run in the server and in the browser alike, so that a row looks the same whoever made it.
 */

/** Markup that is safe to show: made by `html` alone. */
export class Html {
  readonly #text: string;

  constructor(text: string, key: typeof made) {
    if (key !== made) throw new TypeError('only html`…` makes Html');
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What may stand in a template: nothing is shown of null, undefined and false, lists are shown item by item. */
type Content = Html | string | number | null | undefined | false | readonly Content[];

const made = Symbol('made');

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A template of HTML. Values are text, also within quoted attributes; an attribute without quotes must not hold one. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = parts[0] ?? '';
  for (const [n, value] of values.entries()) text += shown(value) + (parts[n + 1] ?? '');
  return new Html(text, made);
}

export function optionsHtml(
  options: readonly (readonly [value: string | number, label: string])[],
  chosen: string | number | null | undefined,
): Html {
  return html`${options.map(([value, label]) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`)}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

function shown(value: Content): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  return value.map(shown).join('');
}
