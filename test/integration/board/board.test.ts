import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { ranking } from '#views/testing/ranking.ts';
import { LEVEL_IDS } from '../../../services/api/board/testing/playing.ts';
import { leagueTable, topScorers } from '../../../services/api/board/testing/provider-tables.ts';
import {
  incident,
  SERBIA_BRAZIL as match,
  playBoard,
  playKnockOut,
  playSerbiaBrazil,
  secondHalf,
} from '../../../services/api/board/testing/scenes.ts';
import { untilTrue } from '../../support/poll.ts';
import { CHROMIUM, NEEDS_CHROMIUM, type Visit, type VisitOptions } from './browser.ts';
import { ShownBoard } from './shown-board.ts';

const ROW = `#match-${match.id}`;
const MATCH_PAGE = `/match/${match.id}`;
const PLAYERS = '/standings?season=312&table=39800';
const KNOCK_OUT = '/standings?season=312&show=knock-out';
const PAGES = [
  '/',
  '/halts',
  MATCH_PAGE,
  '/standings?table=39720',
  '/standings?table=777',
  PLAYERS,
  KNOCK_OUT,
  '/feeds',
];
const [HOME] = match.home;

describe.runIf(CHROMIUM !== null)(`the board in Chromium${NEEDS_CHROMIUM}`, () => {
  const stage = ShownBoard.set({
    play: ({ played }) => {
      const now = Date.now() / 1000;
      playBoard(played, now);
      playSerbiaBrazil(played, now);
      played.table(39719, 2, 'League standings', leagueTable());
      played.table(39720, 244, 'League standings live', leagueTable(match.id));
      played.table(39800, 18, 'Top scorers', topScorers());
      const final = { groups: [{ id: '', name: '', participants: [] }] };
      played.table(1, 2, 'League standings', final, 1, LEVEL_IDS.stage_id + 1);
      played.ranking(ranking(777, 'teams'));
      played.ranking(ranking(778, 'clubs'));
    },
  });

  async function follow(path: string, options: VisitOptions = {}): Promise<Visit> {
    if (path === KNOCK_OUT) playKnockOut(stage.served.played, now());
    return stage.follow(path, options);
  }

  const now = () => Math.floor(Date.now() / 1000);
  const goal = (changes: object = {}) =>
    incident(20, 413, '66:10', {
      participant_id: HOME,
      event_status_id: 34,
      confirmation: 'tbd',
      ...changes,
    });
  const scoreGoal = () =>
    stage.served.played.publish(match, now(), { ...secondHalf(22), reported: [1, 2] }, goal());
  const cancelGoal = () =>
    stage.served.played.publish(
      match,
      now() + 1,
      { ...secondHalf(23), reported: [0, 2] },
      goal({ confirmation: 'cancelled' }),
    );

  test('shows, highlights and announces a goal and its cancellation', async () => {
    const visit = await follow('/');
    await visit.keep(`${ROW} .score`, `one.dataset.flash && 'flash ' + one.dataset.flash`);
    await visit.keep('#news', 'one.textContent');
    scoreGoal();
    await visit.shows(`${ROW} .goals.home`, '1');
    await visit.kept('flash goal');
    await visit.kept('Goal: Serbia 1, Brazil 2, under review.');
    expect(await visit.ask(`document.getElementById('news').getAttribute('aria-live')`)).toBe('polite');
    cancelGoal();
    await visit.shows(`${ROW} .goals.home`, '0');
    await visit.kept('Goal cancelled: Serbia 0, Brazil 2');
    expect(visit.complaints).toEqual([]);
  });

  test('removes a deleted match from the board, and turns its page into a 404', async () => {
    const [board, page] = [await follow('/'), await follow(MATCH_PAGE)];
    await board.shows(`${ROW} .guard`, 'Halted');
    await page.shows('#guard .verdict', 'Trading halted');
    stage.served.played.publish(match, now(), { ...secondHalf(22), item_status: 'deleted' });
    await board.until(`document.querySelector('${ROW}') === null`);
    expect(await board.texts('[data-phase="live"] .team.home .name')).toEqual(['Switzerland']);
    await page.shows('h1', 'Not found');
    expect(board.complaints).toEqual([]);
  });

  test('shows a goal on the page of its match, and strikes it out when it is cancelled', async () => {
    const visit = await follow(MATCH_PAGE);
    const entry = '#incident-5-100020';
    scoreGoal();
    await visit.shows(`${entry} .story`, 'Reported, awaiting confirmation 0–2 → 1–2');
    await visit.shows('#scoreline', 'Serbia1–2Brazil');
    expect(await visit.ask(`document.querySelector('${entry} s')`)).toBeNull();
    cancelGoal();
    await visit.shows(`${entry} s`, 'Goal');
    await visit.shows(`${entry} .why`, 'Does not count: the provider cancelled it.');
    await visit.shows(`${entry} .story`, 'it no longer counts 1–2 → 0–2');
    expect(await visit.ask(`getComputedStyle(document.querySelector('${entry} s')).textDecorationLine`)).toBe(
      'line-through',
    );
    await visit.shows('.history', 'score under review');
    expect(visit.complaints).toEqual([]);
  });

  test('opens a match with the keyboard alone', async () => {
    const { page } = await follow('/');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    for (let presses = 0; presses < 40; presses += 1) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(`document.activeElement.closest('${ROW}') !== null`)) break;
    }
    expect(await page.evaluate(`document.activeElement.getAttribute('href')`)).toBe(MATCH_PAGE);
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(await page.title()).toContain('Serbia 0–2 Brazil');
  });

  test('keeps the focus on a match that changes or moves to another section', async () => {
    const visit = await follow('/');
    await visit.page.focus(`${ROW} a`);
    scoreGoal();
    await visit.shows(`${ROW} .goals.home`, '1');
    stage.served.played.publish(match, now() + 5, {
      status_id: 11,
      status_type: 'finished',
      clock_status: 'stopped',
    });
    await visit.shows('#section-finished', 'Serbia');
    expect(await visit.ask(`document.activeElement.closest('${ROW}') !== null`)).toBe(true);
  });

  test('has the order of the server when the first match of a group leaves', async () => {
    const publish = (id: number, hour: number, fields: object) => {
      const event = { start_date: `2018-06-28 ${hour}:00`, group_id: hour === 16 ? 7 : 6 };
      const fixture = { id, home: [id, `Home ${id}`], away: [id + 50, `Away ${id}`], event } as const;
      stage.served.played.publish(fixture, now(), { ...secondHalf(3), reported: [0, 0], ...fields });
    };
    const hours = new Map([
      [11, 15],
      [12, 18],
      [13, 16],
    ]);
    for (const [id, hour] of hours) publish(id, hour, {});
    const visit = await follow('/');
    const order = () => visit.ask<string[]>(`[...document.querySelectorAll('.match')].map(({ id }) => id)`);
    publish(11, 15, { status_id: 11, status_type: 'finished' });
    await visit.shows('#section-finished', 'Home 11');
    const before = await order();
    await visit.page.reload();
    expect(before).toEqual(await order());
  });

  test('applies filters at once, and keeps them in the address', async () => {
    const visit = await follow('/');
    const shown = '.match:not([hidden])';
    const teams = () => visit.texts(`${shown} .team.home .name`);
    await visit.shows('.shows label:has([value="live"]) b', '2');
    await visit.page.focus('input[value="all"]');
    await visit.page.keyboard.press('ArrowRight');
    await visit.until(`document.querySelectorAll('${shown}').length === 2`);
    expect(await teams()).toEqual(['Switzerland', 'Serbia']);
    await visit.page.type('input[name="q"]', 'braz');
    await visit.until(`document.querySelectorAll('${shown}').length === 1`);
    expect(await visit.ask('location.search')).toBe('?show=live&q=braz');
    await visit.page.reload();
    await visit.live();
    // A match that the stream brings is filtered too.
    scoreGoal();
    await visit.shows(`${ROW} .goals.home`, '1');
    expect(await teams()).toEqual(['Serbia']);
    await visit.shows('#halted', '1 of 1 halted');
  });

  test('shows and filters the board without scripts', async () => {
    const visit = await stage.open('about:blank');
    const { page } = visit;
    await page.setJavaScriptEnabled(false);
    await page.goto(`${stage.origin}/`);
    await page.click('label:has(input[value="finished"])');
    await Promise.all([page.waitForNavigation(), page.click('button.apply')]);
    expect(new URL(page.url()).searchParams.get('show')).toBe('finished');
    // Texts are empty until the page is drawn, which may happen after its load.
    await untilTrue('it is drawn', async () =>
      (await visit.texts('.team.home .name')).every((text) => text !== ''),
    );
    expect(await visit.texts('.team.home .name')).toEqual(['Korea Republic', 'Mexico']);
  });

  test('opens a world ranking from the tables with the keyboard alone, and updates it', async () => {
    const visit = await follow('/standings');
    const { page } = visit;
    const openLink = async (text: string) => {
      for (let presses = 0; presses < 30; presses += 1) {
        await page.keyboard.press('Tab');
        if (await page.evaluate(`document.activeElement.textContent === '${text}'`)) break;
      }
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      await visit.live();
    };
    await openLink('Rankings');
    expect(await visit.texts('h1')).toEqual(['Rankings']);
    expect((await visit.texts('tbody th')).slice(0, 2)).toEqual(['Germany', 'Brazil']);
    await openLink('Club ranking');
    expect(await visit.texts('tbody th')).toEqual(['Real Madrid']);
    stage.served.played.ranking({
      ...ranking(778, 'clubs'),
      ut: 1_528_000_000,
      groups: ranking(777, 'teams').groups,
    });
    await visit.shows('tbody th', 'Germany');
    expect(visit.complaints).toEqual([]);
  });

  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const WCAG = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];
  /** The rules about colours, which are all that a dark page changes. */
  const OF_COLOURS = ['color-contrast', 'link-in-text-block'];
  /** Returns the violations of WCAG 2.2 AA that axe finds by rules with these tags or ids, with their elements. */
  async function findingsOf(visit: Visit, rules: readonly string[]) {
    const found = await visit.ask<{ id: string; nodes: { html: string }[] }[]>(
      // Without resultTypes axe computes selectors for all correct elements too.
      `axe.run(document, {
        runOnly: ${JSON.stringify(rules)},
        resultTypes: ['violations'],
      }).then(({ violations }) => violations)`,
    );
    return found.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]);
  }

  // One visit for all checks, as loading a page takes longer than checking it.
  test.each(PAGES)(
    '%s: loads nothing from other hosts, meets WCAG 2.2 AA as far as axe can tell, and fits any screen',
    async (path) => {
      const visit = await follow(path, { features: { 'prefers-color-scheme': 'light' } });
      await visit.page.waitForNetworkIdle({ idleTime: 200, concurrency: 1 });
      expect([...new Set(visit.requests.map((url) => new URL(url).origin))]).toEqual([stage.origin]);
      expect(visit.complaints).toEqual([]);
      await visit.page.evaluate(axe);
      expect(await findingsOf(visit, WCAG), 'light').toEqual([]);
      await visit.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
      expect(await findingsOf(visit, OF_COLOURS), 'dark').toEqual([]);
      for (const width of [320, 360, 768, 1024, 1920]) {
        await visit.page.setViewport({ width, height: 740 });
        const [content, room] = await visit.ask<[number, number]>(
          '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
        );
        expect(content, `at ${width} px`).toBeLessThanOrEqual(room);
      }
    },
  );
});
