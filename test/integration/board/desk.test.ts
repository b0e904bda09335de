/** The board for a trading desk, in Chromium: rows of a fixed height, a full day, highlights. */
import { describe, expect, test } from 'vitest';
import {
  incident,
  SERBIA_BRAZIL as match,
  playBoard,
  playSerbiaBrazil,
  secondHalf,
} from '../../../services/api/board/testing/scenes.ts';
import { CHROMIUM, NEEDS_CHROMIUM } from './browser.ts';
import { ShownBoard } from './shown-board.ts';

const ROW = `#match-${match.id}`;

describe.runIf(CHROMIUM !== null)(`the board on a desk${NEEDS_CHROMIUM}`, () => {
  const stage = ShownBoard.set({
    play: ({ played }) => {
      played.health(null);
      played.health(match.id);
    },
  });

  const now = () => Math.floor(Date.now() / 1000);
  const play = () => {
    playBoard(stage.served.played, now());
    playSerbiaBrazil(stage.served.played, now());
  };
  const publish = (minute: number, event: object, fields?: object) =>
    stage.served.played.publish(
      match,
      now() + minute,
      { ...secondHalf(minute), ...event },
      fields === undefined
        ? undefined
        : incident(20, 413, '66:10', { participant_id: match.home[0], event_status_id: 34, ...fields }),
    );

  test('gives all rows the same height at any width, whatever they show', async () => {
    play();
    const visit = await stage.follow('/');
    const heights = async () => {
      const found: number[][] = [];
      for (const width of [1440, 1024, 390]) {
        await visit.page.setViewport({ width, height: 900 });
        found.push(
          await visit.ask<number[]>(
            `[...new Set([...document.querySelectorAll('.match')].map((row) => row.firstElementChild.getBoundingClientRect().height))]`,
          ),
        );
        const overflowing = `[...document.querySelectorAll('.match a')].filter((row) => row.scrollHeight > row.clientHeight).length`;
        expect(await visit.ask(overflowing), `at ${width} px`).toBe(0);
      }
      return found;
    };
    const before = await heights();
    expect(before.map(({ length }) => length)).toEqual([1, 1, 1]);
    publish(22, { reported: [1, 3] }, { incident_id: 418, confirmation: 'confirmed' });
    await visit.shows(`${ROW} .card.red`, 'red card');
    // Beside a name that is too long for its column, a card is seen too.
    const cardBesideLongName = `(() => {
      const card = document.querySelector('${ROW} .card.red');
      const team = card.closest('.team');
      team.querySelector('.name').textContent = 'long '.repeat(30);
      return card.getBoundingClientRect().right <= team.getBoundingClientRect().right;
    })()`;
    for (const width of [1440, 1024, 390]) {
      await visit.page.setViewport({ width, height: 900 });
      expect(await visit.ask(cardBesideLongName), `at ${width} px`).toBe(true);
    }
    publish(23, { bet_status: 'stopped', reported: [1, 3] });
    await visit.shows(`${ROW} .reasons`, 'provider says 1–3');
    expect(await heights()).toEqual(before);
    expect(visit.complaints).toEqual([]);
  });

  test('shows a Saturday: 63 live matches of a feed without names, in two columns on a wide screen', async () => {
    for (let n = 1; n <= 63; n += 1) {
      const one = {
        id: 3_200_000 + n,
        home: [2 * n, `Home ${n} Wanderers`],
        away: [2 * n + 1, `Away ${n} United`],
        event: { competition_id: 900 + (n % 3), season_id: null, stage_id: null, group_id: null },
      } as const;
      const halts = n % 7 === 0 ? { bet_status: 'suspended' } : {};
      stage.served.played.publish(one, now(), { ...secondHalf(n), reported: [0, 0], ...halts });
      stage.served.played.health(one.id);
    }
    const visit = await stage.follow('/?show=live');
    await visit.page.setViewport({ width: 1440, height: 900 });
    await visit.shows('#halted', '9 of 63 halted');
    const heads = ['Competition 900', 'Competition 901', 'Competition 902'];
    const clock = new Date().toISOString().slice(11, 14);
    await visit.shows('.match[data-guard="halted"] small', `since ${clock}`);
    const rows = () =>
      visit.ask<Record<'heights' | 'lefts', number[]> & { page: number }>(`(() => {
        const rows = [...document.querySelectorAll('.match')];
        const boxes = rows.map((row) => row.getBoundingClientRect());
        return {
          heights: [...new Set(boxes.map(({ height }) => height))],
          lefts: [...new Set(boxes.map(({ left }) => left))],
          cut: [...document.querySelectorAll('.match a')].filter((row) => row.scrollHeight > row.clientHeight).length,
          page: document.documentElement.scrollHeight,
          heads: [...document.querySelectorAll('.group h3')].map(({ textContent }) => textContent),
        };
      })()`);
    const one = await rows();
    const shown = { heights: [expect.any(Number)], cut: 0, heads: [...heads, ...heads] };
    expect(one).toMatchObject(shown);
    expect(one.lefts).toHaveLength(1);
    expect(one.page).toBeLessThan(5_000);
    await visit.page.setViewport({ width: 1700, height: 900 });
    // Groups that come into view have the height of two columns, then those behind them.
    await visit.until('document.documentElement.scrollHeight < 2_700');
    const two = await rows();
    expect(two).toMatchObject({ ...shown, heights: one.heights });
    expect(two.lefts).toHaveLength(2);
    expect(two.page).toBeLessThan(2_700);
    expect(visit.complaints).toEqual([]);
  });
});
