/** HTML that escapes every inserted value, as names of the provider may contain markup. */

/** Markup that is safe to show. Only `html` creates it. */
class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

export type Html = Markup;

/** A value in a template. Null, undefined and false render as nothing, lists item by item. */
type Content = Html | string | number | null | undefined | false | readonly Content[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Renders a template of HTML and escapes its values. A value in an attribute must stand in quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = parts[0] ?? '';
  for (const [n, value] of values.entries()) text += shown(value) + (parts[n + 1] ?? '');
  return new Markup(text);
}

export function optionsHtml(
  options: readonly (readonly [value: string | number, label: string])[],
  chosen: string | number | null | undefined,
): Html {
  return html`${options.map(([value, label]) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`)}`;
}

function shown(value: Content): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Markup) return value.toString();
  if (typeof value === 'object') return value.map(shown).join('');
  return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

/** When markup is rendered, and for what. */
export type Moment = {
  /** Unix seconds. */
  readonly now: number;
  /** Whether the page withdraws it when heartbeats are missing. Otherwise it must not say that a match is safe: it may be viewed for any time. */
  readonly isLive: boolean;
};

/** Renders what holds only while heartbeats arrive, and what stands in its place without them: `states.css` hides one of both. */
export function whileConnected({ isLive }: Moment, current: Html | string, withdrawn: Html | string): Html {
  if (!isLive) return html`${current}`;
  return html`<span class="current">${current}</span><span class="withdrawn">${withdrawn}</span>`;
}

/** What a page says of a state that it could read only from the server. */
export const NO_WORD = 'no word from the server';
