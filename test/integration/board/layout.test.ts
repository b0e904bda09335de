/** The layout of pages in Chromium: related elements are close together, and none covers or cuts off another. */
import { describe, expect, test } from 'vitest';
import { leagueTable, topScorers } from '../../../services/api/board/testing/provider-tables.ts';
import {
  firstHalf,
  incident,
  playBoard,
  playKnockOut,
  secondHalf,
} from '../../../services/api/board/testing/scenes.ts';
import { CHROMIUM, NEEDS_CHROMIUM, type Visit } from './browser.ts';
import { ShownBoard } from './shown-board.ts';

/** A match with long names that is under review in added time of extra time. */
const LONG = {
  id: 3_100_090,
  home: [44_000, 'Wolverhampton'],
  away: [44_001, 'Brighton & Hove'],
  event: { start_date: '2018-07-01 18:00' },
} as const;

describe.runIf(CHROMIUM !== null)(`the layout${NEEDS_CHROMIUM}`, () => {
  const stage = ShownBoard.set({
    play: ({ played }) => {
      const now = Math.floor(Date.now() / 1000);
      played.health(null, { heard_at: now * 1000, written_at: now * 1000 });
      played.health(LONG.id);
      const extraTime = { ...firstHalf(16), status_id: 36 };
      played.publish(LONG, now - 9_000, { ...firstHalf(0), reported: [0, 0] }, incident(1, 429, '00:00'));
      const late = { participant_id: LONG.home[0], event_status_id: 36, confirmation: 'tbd' };
      played.publish(LONG, now, { ...extraTime, reported: [1, 0] }, incident(2, 413, '122:10', late));
      playBoard(played, now);
      playKnockOut(played, now);
      played.health(3_100_073);
      played.publish({ id: 3_100_091, home: [44_002, 'Ghent'], away: [44_003, 'Genk'] }, now, {
        ...secondHalf(3),
        reported: [0, 0],
      });
      played.health(3_100_091);
      played.table(39719, 2, 'League standings', leagueTable());
      played.table(39800, 6, 'Top scorers', topScorers());
    },
  });

  /** Returns the boxes of all matching elements. */
  const boxes = (visit: Visit, selector: string) =>
    visit.ask<Box[]>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.getBoundingClientRect().toJSON())`,
    );
  const middles = (found: readonly Box[]) => found.map(({ top, bottom }) => Math.round((top + bottom) / 2));

  test('aligns the icon of a guard with its word, and has all filters in one row on a wide screen', async () => {
    const visit = await stage.follow('/?show=live');
    await visit.until(`document.querySelector('[data-guard="safe"] .icon') !== null`);
    for (const width of [1440, 1100, 1024, 390]) {
      await visit.page.setViewport({ width, height: 900 });
      const icons = middles(await boxes(visit, '.match .icon'));
      const words = middles(await boxes(visit, '.match .guard :not(.withdrawn) > b, .match .guard > b'));
      expect(icons.length).toBeGreaterThan(2);
      for (const [n, middle] of icons.entries())
        expect(Math.abs(middle - (words[n] ?? 0)), `at ${width} px`).toBeLessThanOrEqual(1);
      if (width < 1024) continue;
      const fields = middles(await boxes(visit, '.shows, .field select, .field input'));
      expect(fields).toHaveLength(3);
      expect(Math.max(...fields) - Math.min(...fields), `at ${width} px`).toBeLessThanOrEqual(2);
    }
  });

  test('shows the first match in the upper half of a phone, with whole names and reasons beside a firm score', async () => {
    stage.served.played.health(null, { source: 'feed' });
    const visit = await stage.follow('/', { width: 390, height: 844 });
    const [first] = await boxes(visit, '.match');
    expect(first?.top).toBeLessThan(844 * 0.4);
    await visit.shows('#match-3100090 .firm', 'firm 0–0');
    const cut = (id: number) =>
      visit.ask<string[]>(
        `[...document.querySelectorAll('#match-${id} :is(.team, .guard)')].filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight).map((one) => one.textContent)`,
      );
    expect(await cut(3_100_090)).toEqual([]);
    const down = { state: 'down', reason: 'network', written_at: Date.now() } as const;
    stage.served.played.health(3_100_042);
    for (const source of ['webhook', 'feed']) stage.served.played.health(null, { ...down, source });
    await visit.shows('#match-3100042 .reasons', 'possible goal, feed down (provider unreachable)');
    expect(await cut(3_100_042)).toEqual([]);
  });
});

type Box = Readonly<Record<'top' | 'bottom' | 'left' | 'right', number>>;
