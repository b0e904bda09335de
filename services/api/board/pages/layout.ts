import { dateOf } from '#contract/values.ts';
import type { Assets } from '../assets.ts';
import { type Content, type Html, html } from '../shown/html.ts';
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

/** What goes round every page. */
export type BoardPage = {
  readonly title: string;
  /** The entry of the navigation that this page is. */
  readonly here: 'board' | 'standings' | 'feeds' | null;
  /** Where the script listens for changes; null: it does not. */
  readonly stream: string | null;
  /** The page's own, besides those of all pages. */
  readonly style: 'board.css' | 'match.css' | 'tables.css' | 'feeds.css' | 'sign-in.css' | null;
  readonly script: 'board/browser/board.js' | 'board/browser/page.js' | null;
  readonly content: Html;
};

/** A whole document. Nothing in it comes from another host, and no script or style stands in it. */
export function document({ title, here, stream, style, script, content }: BoardPage, assets: Assets): string {
  const body = html`<header class="head row">
<a class="brand" href="/">Touchline</a>
<nav class="row" aria-label="Main"><a href="/"${current(here === 'board')}>Board</a><a href="/standings"${current(here === 'standings')}>Tables</a><a href="/feeds"${current(here === 'feeds')}>Feeds</a><a href="/docs">Reference</a></nav>
<p class="heard row small"><span id="connection" class="connection" role="status" data-state="none">${script === null ? '' : 'Static page: reload it to update'}</span> <span id="age" class="age"></span></p>
</header>
<main id="main" tabindex="-1"${stream !== null && html` data-stream="${stream}"`}>
${content}
</main>
<p id="news" class="visually-hidden" role="status" aria-live="polite"></p>`;
  return wholeDocument({ title, style, script }, body, assets);
}

/** What stands around the body of any page, the reference too. */
export function wholeDocument(
  { title, style, script }: { title: string; style: string | null; script: string | null },
  body: Html,
  assets: Assets,
): string {
  return `<!doctype html>\n${html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${assets.path('icon.svg')}">
<link rel="stylesheet" href="${assets.path('tokens.css')}">
<link rel="stylesheet" href="${assets.path('base.css')}">
${style !== null && html`<link rel="stylesheet" href="${assets.path(style)}">`}
${script !== null && scripts(script, assets)}
</head>
<body data-word="awaited">
<a class="skip" href="#main">Skip to the content</a>
${body}
</body>
</html>`}\n`;
}

function scripts(script: string, assets: Assets): Html {
  const modules = assets.modulesOf(script);
  return html`${modules.map((path) => html`<link rel="modulepreload" href="${path}">`)}<script type="module" src="${assets.path(script)}"></script>`;
}

function current(is: boolean): Content {
  return is && html` aria-current="page"`;
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

/** A page that says what went wrong. */
export function problemPage(title: string, words: string, assets: Assets): string {
  const content = html`<h1>${title}</h1><p class="empty">${words}</p><p><a href="/">To the board</a></p>`;
  return document(
    { title: `${title} · Touchline`, here: null, stream: null, style: null, script: null, content },
    assets,
  );
}
