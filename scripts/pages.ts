/**
 * Finds the links of a page and the paths that a file mentions. Pure; `links.ts` checks them against the repository.
 */

const FENCE = /^(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1[^\n]*$/gm;
const INLINE_CODE = /(`+)[^`][\s\S]*?\1/g;
const LINK = /\]\(<?([^()\s>]+)>?(?: "[^"]*")?\)/g;
const HTML_LINK = /<(?:a|img)\b[^>]*?\b(?:href|src)="([^"]+)"/g;
/** Matches an address of another host or of a running service. */
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/)/i;
const FOLDERS = 'bench|bin|cli|data|deploy|docs|libs|schemas|scripts|services|test';

/** Returns the targets of a page's links and pictures within the repository, as written. */
export function linksOf(page: string): string[] {
  const prose = page.replace(FENCE, '').replace(INLINE_CODE, '');
  return [...prose.matchAll(LINK), ...prose.matchAll(HTML_LINK)]
    .map(([, target = '']) => target)
    .filter((target) => !ELSEWHERE.test(target));
}

/** Returns the anchors of a page: of its headings, as GitHub makes them, and those written in HTML. */
export function anchorsOf(page: string): Set<string> {
  const prose = page.replace(FENCE, '');
  const anchors = new Set([...prose.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id));
  const seen = new Map<string, number>();
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} +(.+?)(?: +#+)?$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replace(/ /g, '-');
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    anchors.add(before === 0 ? slug : `${slug}-${before}`);
  }
  return anchors;
}

/**
 * Returns the paths from the root that a file mentions: in a page those in backquotes that begin with a folder of the
 * repository, in a source file those of pages. Patterns (`*`, `<…>`, `{…}`, `…`) are no paths.
 */
export function pathsOf(text: string, isPage: boolean): string[] {
  const pattern = isPage
    ? new RegExp(`\`((?:${FOLDERS})/[^\`\\s]*)\``, 'g')
    : /(?<![\w./-])(docs\/[\w./-]+\.md)\b/g;
  const written = [...text.matchAll(pattern)].map(([, path = '']) => path.replace(/[:#].*$/, ''));
  return [...new Set(written)].filter((path) => !/[*<>{}…$]/.test(path));
}

/**
 * Returns the numbers of the decision records that a text names without a link: `decision 0053`, `docs/decisions/0007`.
 */
export function recordsOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\bdecisions?[ /](\d{4})\b/g)].map(([, number = '']) => number))];
}
