import type { FastifyReply } from 'fastify';
import { dateOf } from '#contract/values.ts';
import { assets } from '../assets.ts';
import { type Html, html } from '../shown/html.ts';
import { dayWords } from '../shown/words.ts';

/** Of every page: nothing but what this server sends is loaded or run; no other page may frame it. */
export const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types touchline",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

type BoardPage = {
  /** What the page is of, without the name of the product. */
  readonly title: string;
  /** The entry of the navigation that this page is. */
  readonly here?: 'board' | 'standings' | 'feeds';
  /** Where the script listens for changes, where it does not know itself. */
  readonly stream?: string | null;
  /** The page's own, besides those of all pages. */
  readonly style?: 'board.css' | 'match.css' | 'tables.css' | 'feeds.css' | 'sign-in.css';
  /** Without one the page does not change by itself. */
  readonly script?: 'board/browser/board.js' | 'board/browser/page.js' | null;
  readonly content: Html;
};

/** A whole document. Nothing in it comes from another host, and no script or style stands in it. */
export function document({ title, here, stream, style, script, content }: BoardPage): string {
  const heard = html`<p class="heard row small"><span id="connection" class="connection" role="status" data-state="none">${script && 'Static page: reload it to update'}</span> <span id="age" class="age"></span></p>`;
  const body = html`${headHtml(here, true, heard)}
<main id="main" tabindex="-1"${stream && html` data-stream="${stream}"`}>
${content}
</main>
<p id="news" class="visually-hidden" role="status" aria-live="polite"></p>`;
  return wholeDocument({ title: `${title} · Touchline`, style, script }, body);
}

/** Name and navigation; `heard`: what is known of the connection. The reference may be served without a board. */
export function headHtml(here: BoardPage['here'] | 'docs', hasBoard: boolean, heard?: Html): Html {
  const link = (at: typeof here, path: string, name: string): Html =>
    html`<a href="${path}"${here === at && html` aria-current="page"`}>${name}</a>`;
  const ofBoard = [
    link('board', '/', 'Board'),
    link('standings', '/standings', 'Tables'),
    link('feeds', '/feeds', 'Feeds'),
  ];
  return html`<header class="head row">
${hasBoard ? html`<a class="brand" href="/">Touchline</a>` : html`<span class="brand">Touchline</span>`}
<nav class="row" aria-label="Main">${hasBoard && ofBoard}${link('docs', '/docs', 'Reference')}${here === 'docs' && html`<a href="/openapi.json">OpenAPI</a>`}</nav>
${heard}
</header>`;
}

/** What stands around the body of any page, the reference too. */
export function wholeDocument(
  { title, style, script }: { title: string; style?: string | undefined; script?: string | null | undefined },
  body: Html,
): string {
  const { path, modulesOf } = assets();
  return `<!doctype html>\n${html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${path('icon.svg')}">
${['tokens.css', 'base.css', ...(style === undefined ? [] : [style])].map((name) => html`<link rel="stylesheet" href="${path(name)}">\n`)}${
  script &&
  html`${modulesOf(script).map((module) => html`<link rel="modulepreload" href="${module}">`)}<script type="module" src="${path(script)}"></script>`
}
</head>
<body data-word="awaited">
<a class="skip" href="#main">Skip to the content</a>
${body}
</body>
</html>`}\n`;
}

/**
 * A time of the provider's as `14:32:05`, with its date where that is not today's; both in Unix seconds, in UTC. The number itself
 * where it is no time.
 */
export function timeOf(ut: number, now: number): Html {
  const iso = dateOf(ut * 1000)?.toISOString();
  if (iso === undefined) return html`${String(ut)}`;
  const isToday = iso.slice(0, 10) === new Date(now * 1000).toISOString().slice(0, 10);
  return html`<time datetime="${iso}">${!isToday && `${dayWords(iso, now)} `}${iso.slice(11, 19)}</time>`;
}

/** Names and values, one below the other. */
export function factsHtml(rows: readonly (readonly [name: string, value: string | Html])[]): Html {
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A page that says what went wrong. */
export function problemPage(title: string, words: string): string {
  return document({
    title,
    content: html`<h1>${title}</h1><p class="empty">${words}</p><p><a href="/">To the board</a></p>`,
  });
}

/** Sends a page. One that says who reads it, or what it may not see, is not kept. */
export function sendPage(
  reply: FastifyReply,
  page: string,
  cache: 'no-cache' | 'no-store' = 'no-cache',
): FastifyReply {
  return reply
    .headers(PAGE_HEADERS)
    .header('cache-control', cache)
    .type('text/html; charset=utf-8')
    .send(page);
}
