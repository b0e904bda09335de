/** The reference at `/docs` and the pages of tables, in Chromium. */
import { describe, expect, test } from 'vitest';
import { leagueTable, topScorers } from '../../../services/api/board/testing/provider-tables.ts';
import { CHROMIUM, NEEDS_CHROMIUM } from './browser.ts';
import { ShownBoard } from './shown-board.ts';

const SHOWN = `[...document.querySelectorAll('.operation')].filter((one) => one.checkVisibility()).map(({ dataset }) => dataset.name)`;
const CURRENT = `document.querySelector('.contents [aria-current]')?.hash`;

describe.runIf(CHROMIUM !== null)(`pages that are searched${NEEDS_CHROMIUM}`, () => {
  const stage = ShownBoard.set({
    play: ({ played }) => {
      played.table(39719, 2, 'League standings', leagueTable());
      played.table(39800, 18, 'Top scorers', topScorers());
    },
  });

  test('searches the reference by path, parameter and field', async () => {
    const visit = await stage.open('/docs');
    const all = await visit.ask<string[]>(SHOWN);
    await visit.page.type('#search', 'important-incidents');
    expect(await visit.ask(SHOWN)).toEqual(['events.important-incidents']);
    await visit.shows('#found', `1 of ${all.length} operations`);
    expect(await visit.ask(`document.querySelectorAll('.contents li > ul > li:not([hidden])').length`)).toBe(
      1,
    );
    await visit.ask(`{
      const search = document.querySelector('#search');
      search.value = 'token_expiration';
      search.dispatchEvent(new Event('input'));
    }`);
    expect(await visit.ask(SHOWN)).toEqual(['oauth']);
    expect(visit.complaints).toEqual([]);
  });

  test('scrolls nothing but code sideways in the reference on a phone', async () => {
    const visit = await stage.open('/docs', { width: 390, features: { 'prefers-color-scheme': 'dark' } });
    await visit.ask(`document.querySelectorAll('details').forEach((one) => { one.open = true; })`);
    const [tables, wide] = await visit.ask<[number, string[]]>(`[
      document.querySelectorAll('.scroll table').length,
      [...document.querySelectorAll('body, main *:not(pre, pre *)')]
        .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1 && !one.matches('input, select, .visually-hidden'))
        .map((one) => one.getAttribute('aria-label') ?? one.outerHTML.slice(0, 100)),
    ]`);
    expect(tables).toBeGreaterThan(0);
    expect(wide).toEqual([]);
  });

  test('marks the current part of the reference, and colours JSON', async () => {
    const visit = await stage.open('/docs');
    expect(await visit.ask(CURRENT)).toBe('#start');
    await visit.ask(`document.getElementById('standings.show').scrollIntoView()`);
    await visit.until(`${CURRENT} === '#standings.show'`);
    expect(
      await visit.ask(
        `CSS.highlights.get('json-key').size > 1000 && CSS.highlights.get('json-value').size > 100`,
      ),
    ).toBe(true);
    const first = `[...CSS.highlights.get('json-key')][0]`;
    expect(
      await visit.ask(`${first}.startContainer.data.slice(${first}.startOffset, ${first}.endOffset)`),
    ).toBe('"api"');
    expect(visit.complaints).toEqual([]);
  });

  test('copies an answer of the reference, and a request as a command', async () => {
    await stage.browser.overridePermissions(stage.origin, [
      'clipboard-read',
      'clipboard-write',
      'clipboard-sanitized-write',
    ]);
    const visit = await stage.open('/docs');
    await visit.page.bringToFront();
    const copied = async (selector: string): Promise<string> => {
      await visit.page.click(`[data-name="sports.index"] ${selector}`);
      await visit.shows(`[data-name="sports.index"] ${selector}`, 'Copied');
      return visit.ask('navigator.clipboard.readText()');
    };
    expect(JSON.parse(await copied('.code + .code .copy'))).toHaveProperty('api.data');
    expect(await copied('.copy[data-curl]')).toMatch(new RegExp(`^curl '${stage.origin}/v2/sports[^']*'$`));
    expect(visit.complaints).toEqual([]);
  });

  test('has the form above the example in the reference, and no note for developers of Touchline', async () => {
    const visit = await stage.open('/docs');
    const parts = `[...document.querySelectorAll('[data-name="livescore.index"] .example > *')].map((one) => one.localName)`;
    expect((await visit.ask<string[]>(parts)).slice(0, 2)).toEqual(['form', 'h4']);
    expect(await visit.ask('document.body.innerText')).not.toMatch(/not shown|npm |npx /);
  });

  test('chooses a table from a list on a phone, and finds a player by name or team', async () => {
    const visit = await stage.open('/standings', { width: 390, height: 844 });
    expect(await visit.ask(`document.querySelector('.tabs.kinds').checkVisibility()`)).toBe(false);
    await Promise.all([visit.page.waitForNavigation(), visit.page.select('#choose select', '39800')]);
    expect(await visit.texts('tbody th')).toEqual(['Philippe Coutinho', 'Neymar', 'Aleksandar Mitrović']);
    await visit.live();
    await visit.page.type('#choose [name="q"]', 'serbia');
    await visit.until(`document.querySelectorAll('tbody tr').length === 1`);
    expect(await visit.texts('tbody th')).toEqual(['Aleksandar Mitrović']);
    expect(new URL(visit.page.url()).search).toBe('?season=312&table=39800&q=serbia');
    expect(visit.complaints).toEqual([]);
  });

  test('cuts off no filter of the board on a phone, even with counts of three digits', async () => {
    const visit = await stage.follow('/', { width: 360 });
    await visit.ask(`document.querySelectorAll('.shows b').forEach((one) => { one.textContent = '340'; })`);
    const edges = `[...document.querySelectorAll('.shows label, .shows')].map((one) => one.getBoundingClientRect().right)`;
    const [bar = 0, ...filters] = await visit.ask<number[]>(edges);
    expect(filters).toHaveLength(5);
    expect(Math.max(...filters)).toBeLessThanOrEqual(bar);
  });

  test('wraps no link of the head on a phone', async () => {
    const visit = await stage.open('/docs', { width: 390, height: 844 });
    const lines = `[...document.querySelectorAll('.head nav a')].map((one) => Math.round(one.clientHeight / parseFloat(getComputedStyle(one).lineHeight)))`;
    expect(new Set(await visit.ask<number[]>(lines))).toEqual(new Set([1]));
  });

  test('cuts off no column of a league table on a phone', async () => {
    const visit = await stage.open('/standings', { width: 390, height: 844 });
    const beyond = `[...document.querySelectorAll('.scroll')].map((one) => one.scrollWidth - one.clientWidth)`;
    expect(await visit.ask(beyond)).toEqual([0, 0]);
  });

  test('shows the kinds of table as links on a wide screen', async () => {
    const visit = await stage.open('/standings');
    expect(await visit.texts('.tabs.kinds a')).toEqual(['League standings', 'Top scorers']);
    expect(await visit.ask(`document.querySelector('#choose').checkVisibility()`)).toBe(false);
  });
});
