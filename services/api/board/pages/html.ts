/** Pages, as HTML that escapes every inserted value: names of the provider may contain markup. */
import type { FastifyReply } from 'fastify';
import { dateOf } from '#json/values.ts';
import { timeWithDay } from '#story/minute.ts';
import { assets } from '../assets.ts';

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

/** Headers of every page: it loads and runs only what this server sends, and no page may frame it. */
export const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; manifest-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types touchline",
  'x-content-type-options': 'nosniff',
  // Not `no-referrer`, with which the origin of a form is `null`.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

type BoardPage = {
  readonly title: string;
  readonly here?: 'board' | 'standings' | 'feeds' | 'halts';
  /** The part of the board that the page follows, as a query of `/board/events`. Default: none, the page does not change. */
  readonly stream?: string | undefined;
  /** Interval at which it is read again without an event, seconds. Default: never. */
  readonly refresh?: number;
  /** Style sheets of this page, besides those of all pages. */
  readonly styles?: readonly `${'rows' | 'board' | 'timeline' | 'match' | 'tables' | 'bracket' | 'feeds' | 'halts' | 'sign-in'}.css`[];
  readonly content: Html;
};

/** Renders a whole page of the board. It has no inline script or style, and loads nothing from another host. */
export function document({ title, here, stream, refresh, styles = [], content }: BoardPage): string {
  const isFollowed = stream !== undefined;
  const connection = html`<p class="connection-bar row small"><span id="connection" class="connection" role="status" data-state="none">${isFollowed && 'Static page: reload it to update'}</span> <span id="age" class="age"></span></p>`;
  const { path, scripts } = assets();
  return `<!doctype html>\n${html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Touchline</title>
<link rel="icon" href="${path('icon.svg')}">
<link rel="manifest" href="${path('touchline.webmanifest')}">
${['tokens.css', 'base.css', 'states.css', ...styles].map((name) => html`<link rel="stylesheet" href="${path(name)}">\n`)}${
  isFollowed &&
  html`${scripts.map((script) => html`<link rel="modulepreload" href="${path(script)}">`)}<script type="module" src="${path('page.ts')}"></script>`
}
</head>
<body data-connection="awaited">
<a class="skip" href="#main">Skip to the content</a>
${headHtml(here, connection)}
<main id="main" tabindex="-1"${isFollowed && html` data-stream="${stream}"`}${refresh !== undefined && html` data-refresh="${refresh}"`}>
${content}
</main>
<p id="news" class="visually-hidden" role="status" aria-live="polite"></p>
</body>
</html>`}\n`;
}

/** Renders name and navigation. `connection`: the state of the connection. */
function headHtml(here: BoardPage['here'], connection: Html): Html {
  const link = (at: typeof here, path: string, name: string): Html =>
    html`<a href="${path}"${here === at && html` aria-current="page"`}>${name}</a>`;
  return html`<header class="head row">
<a class="brand" href="/">Touchline</a>
<nav class="row" aria-label="Main">${link('board', '/', 'Board')}${link('standings', '/standings', 'Tables')}${link('halts', '/halts', 'Halts')}${link('feeds', '/feeds', 'Feeds')}<a href="/docs">Reference</a></nav>
${connection}
</header>`;
}

/** Renders a time as `14:32:05` in UTC, with the date unless it is today; one outside the calendar as a number. `ut`, `now`: Unix seconds. */
export function timeOf(ut: number, now: number): Html {
  const iso = dateOf(ut * 1000)?.toISOString();
  if (iso === undefined) return html`${String(ut)}`;
  return html`<time datetime="${iso}">${timeWithDay(ut, now)}</time>`;
}

/** Renders names and values; without those whose value is null. */
export function factsHtml(rows: readonly (readonly [name: string, value: string | Html | null])[]): Html {
  return html`<dl class="facts">${rows.map(([name, value]) => value !== null && html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

export function problemPage(title: string, words: string): string {
  return document({
    title,
    content: html`<h1>${title}</h1><p class="empty">${words}</p><p><a href="/">To the board</a></p>`,
  });
}

/** Sends a page. `no-store` is for pages that depend on who reads them, such as the sign-in form. */
export function sendPage(reply: FastifyReply, page: string, cache = 'no-cache'): FastifyReply {
  const headers = { ...PAGE_HEADERS, 'cache-control': cache, 'content-type': 'text/html; charset=utf-8' };
  return reply.headers(headers).send(page);
}
