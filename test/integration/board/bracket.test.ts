/** The lines of a bracket in Chromium: from each tie to the tie of the next round. */
import { describe, expect, test } from 'vitest';
import { LEVEL_IDS } from '../../../services/api/board/testing/playing.ts';
import { playKnockOut, SEMI_FINALS } from '../../../services/api/board/testing/scenes.ts';
import { CHROMIUM, NEEDS_CHROMIUM } from './browser.ts';
import { ShownBoard } from './shown-board.ts';

const QUARTER_FINALS = SEMI_FINALS - 1;
const LONG_NAME = 'Bosnia and Herzegovina Under-21 Representative Selection';
/** Winner and loser of each tie; the winners play in the semi-finals. */
const QUARTERS = ['Croatia', 'England', 'France', 'Belgium'].map(
  (winner, n) => [winner, n === 1 ? LONG_NAME : `Loser ${n}`] as const,
);

/**
 * Returns the key of each tie that is joined to the next round, and the lines that are missing between the middles of both ties.
 * Lines are borders of pseudo-elements; their boxes are computed from the styles.
 */
const JOINED = `(() => {
  const box = (slot, pseudo) => {
    const style = getComputedStyle(slot, pseudo);
    const { left, top } = slot.getBoundingClientRect();
    const [x, y, width, height] = ['left', 'top', 'width', 'height'].map((name) => parseFloat(style[name]));
    const isDrawn = (side) => style.content !== 'none' && style['border-' + side + '-style'] === 'solid' && parseFloat(style['border-' + side + '-width']) > 0;
    return { left: left + x, right: left + x + width, top: top + y, bottom: top + y + height, isDrawn };
  };
  const isNear = (a, b) => Math.abs(a - b) <= 1.5;
  const middle = ({ top, bottom }) => (top + bottom) / 2;
  return [...document.querySelectorAll('.round[data-joined="yes"]')].flatMap((round) => {
    const next = [...round.nextElementSibling.querySelectorAll('.slot')];
    return [...round.querySelectorAll('.slot')].map((slot, n) => {
      const to = next[Math.floor(n / 2)];
      const [tie, nextTie] = [slot, to].map((one) => one.querySelector('.tie').getBoundingClientRect());
      const [away, towards] = [box(slot, '::after'), box(to, '::before')];
      const side = n % 2 === 0 ? 'top' : 'bottom';
      const missing = Object.entries({
        'a line out of the tie': away.isDrawn(side) && isNear(away[side], middle(tie)) && isNear(away.left, tie.right),
        'a line to the height of the next tie': away.isDrawn('right') && isNear(away[side === 'top' ? 'bottom' : 'top'], middle(nextTie)),
        'a line into the next tie': towards.isDrawn('top') && isNear(towards.top, middle(nextTie)) && isNear(towards.left, away.right) && isNear(towards.right, nextTie.left),
      }).filter(([, holds]) => !holds).map(([what]) => what);
      return [slot.id, missing];
    });
  });
})()`;

describe.runIf(CHROMIUM !== null)(`a bracket${NEEDS_CHROMIUM}`, () => {
  const stage = ShownBoard.set({
    play: ({ played }) => {
      const now = Math.floor(Date.now() / 1000);
      const more = { has_brackets: 'yes', show_standings: 'no', sort: 1 };
      played.name('stage', QUARTER_FINALS, LEVEL_IDS.season_id, 'Quarter-finals', more);
      QUARTERS.forEach(([winner, loser], n) => {
        const fixture = {
          id: 3_100_060 + n,
          home: [43_000 + n, winner],
          away: [43_010 + n, loser],
          event: { start_date: `2018-07-0${n + 1} 18:00`, stage_id: QUARTER_FINALS, group_id: null },
        } as const;
        played.publish(fixture, now - 900, { status_id: 11, status_type: 'finished', reported: [1, 0] });
      });
      playKnockOut(played, now);
    },
  });
  const path = `/standings?season=${LEVEL_IDS.season_id}&show=knock-out`;

  test('joins each tie to the next round, however long its names are, and on a phone has no lines', async () => {
    const visit = await stage.follow(path);
    const rounds = ['Quarter-finals', 'Semi-finals', 'Final'];
    expect(await visit.texts('.bracket:not(.placements) h2')).toEqual(rounds);
    for (const width of [1440, 1024]) {
      await visit.page.setViewport({ width, height: 900 });
      const heights = await visit.ask<number[]>(
        `[...document.querySelectorAll('.tie')].map(({ offsetHeight }) => offsetHeight)`,
      );
      expect(new Set(heights).size).toBeGreaterThan(1);
      const joined = await visit.ask<[string, string[]][]>(JOINED);
      expect(joined).toHaveLength(6);
      expect(
        joined.filter(([, missing]) => missing.length > 0),
        `at ${width} px`,
      ).toEqual([]);
    }
    // Rounds are below each other.
    await visit.page.setViewport({ width: 390, height: 900 });
    const lines = `[...document.querySelectorAll('.slot')].flatMap((slot) => ['::before', '::after'].map((pseudo) => getComputedStyle(slot, pseudo).content))`;
    expect(new Set(await visit.ask<string[]>(lines))).toEqual(new Set(['none']));
  });
});
