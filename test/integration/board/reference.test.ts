/** The reference at `/docs` and the pages of tables, in Chromium. */
import { describe, expect, test } from 'vitest';
import { ALL_OPERATIONS } from '#contract/rest/operations.ts';
import { documentRoutes } from '../../../services/api/app.ts';
import { leagueTable, topScorers } from '../../../services/api/board/testing/provider-tables.ts';
import { CHROMIUM, NEEDS_CHROMIUM } from './browser.ts';
import { ShownBoard } from './shown-board.ts';

describe.runIf(CHROMIUM !== null)(`the reference and tables${NEEDS_CHROMIUM}`, () => {
  const stage = ShownBoard.set({
    play: ({ app, played }) => {
      void app.register(documentRoutes, { version: '1.0.0', publicUrl: undefined });
      played.table(39719, 2, 'League standings', leagueTable());
      played.table(39800, 18, 'Top scorers', topScorers());
    },
  });

  test('shows every operation in the reference, from this server alone', async () => {
    const visit = await stage.open('/docs');
    await visit.until(`document.querySelectorAll('.opblock').length === ${ALL_OPERATIONS.length}`);
    await visit.page.click('#operations-Token-oauth .opblock-summary-control');
    await visit.shows('#operations-Token-oauth .response', '"token_expiration"');
    await visit.page.setViewport({ width: 390, height: 844 });
    expect(await visit.ask('document.documentElement.scrollWidth')).toBe(390);
    const urls = visit.requests.filter((url) => !url.startsWith('data:'));
    expect(new Set(urls.map((url) => new URL(url).origin))).toEqual(new Set([stage.origin]));
    expect(visit.complaints).toEqual([]);
  });

  test('shows kinds of table as links in one line on a phone', async () => {
    const visit = await stage.open('/standings', { width: 390, height: 844 });
    const kinds = 'nav[aria-label="Tables"] a';
    expect(await visit.texts(kinds)).toEqual(['League standings', 'Top scorers']);
    const beyond = `[...document.querySelectorAll('.scroll')].map((one) => one.scrollWidth - one.clientWidth)`;
    expect(await visit.ask(beyond), 'columns that are cut off').toEqual([0, 0]);
    await Promise.all([visit.page.waitForNavigation(), visit.page.click(`${kinds}:last-child`)]);
    expect(await visit.texts('tbody th')).toEqual(['Philippe Coutinho', 'Neymar', 'Aleksandar Mitrović']);
    expect(visit.complaints).toEqual([]);
  });

  test('cuts off no filter of the board on a phone, even with counts of three digits, and wraps no link of the head', async () => {
    const visit = await stage.follow('/', { width: 360 });
    await visit.ask(`document.querySelectorAll('.shows b').forEach((one) => { one.textContent = '340'; })`);
    const edges = `[...document.querySelectorAll('.shows label, .shows')].map((one) => one.getBoundingClientRect().right)`;
    const [bar = 0, ...filters] = await visit.ask<number[]>(edges);
    expect(filters).toHaveLength(4);
    expect(Math.max(...filters)).toBeLessThanOrEqual(bar);
    await visit.page.setViewport({ width: 390, height: 844 });
    const lines = `[...document.querySelectorAll('.head nav a')].map((one) => Math.round(one.clientHeight / parseFloat(getComputedStyle(one).lineHeight)))`;
    expect(new Set(await visit.ask<number[]>(lines))).toEqual(new Set([1]));
  });
});
