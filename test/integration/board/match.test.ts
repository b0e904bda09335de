/** The page of a match, in Chromium. */
import { describe, expect, test } from 'vitest';
import { SERBIA_BRAZIL as match, playSerbiaBrazil } from '../../../services/api/board/testing/scenes.ts';
import { CHROMIUM, NEEDS_CHROMIUM } from './browser.ts';
import { ShownBoard } from './shown-board.ts';

const PATH = `/match/${match.id}`;
const DISALLOWED = '#incident-5-100007';
const CANCELLATION = '#incident-5-100009';

describe.runIf(CHROMIUM !== null)(`the page of a match${NEEDS_CHROMIUM}`, () => {
  const stage = ShownBoard.set({ play: ({ played }) => playSerbiaBrazil(played, Date.now() / 1000) });

  test.each([1440, 1024, 390])('keeps score and guard in view at %i px', async (width) => {
    const visit = await stage.follow(PATH, { width, height: 700 });
    for (const end of [0, 100_000]) {
      await visit.ask(`scrollTo(0, ${end})`);
      const [top, bottom, room] = await visit.ask<number[]>(
        `[document.getElementById('scoreline').getBoundingClientRect().top, document.getElementById('guard').getBoundingClientRect().bottom, innerHeight]`,
      );
      expect(top).toBeGreaterThanOrEqual(0);
      expect(bottom).toBeLessThan((room ?? 0) * 0.5);
    }
    await visit.shows('#guard .because', 'Score under review');
    await visit.shows('#guard .firm', 'firm 0–1');
    expect(visit.complaints).toEqual([]);
  });

  test('gives each incident an address, and links a void goal to its cancellation', async () => {
    const visit = await stage.follow(`${PATH}${DISALLOWED}`, { width: 390, height: 700 });
    const clear = (selector: string) =>
      visit.ask<boolean>(
        `document.querySelector('${selector}').getBoundingClientRect().top >= document.querySelector('.match-head').getBoundingClientRect().bottom`,
      );
    expect(await clear(DISALLOWED)).toBe(true);
    await visit.page.click(`${DISALLOWED} .why a`);
    expect(await visit.ask('location.hash')).toBe(CANCELLATION);
    expect(await clear(CANCELLATION)).toBe(true);
    expect(await visit.ask(`document.querySelector(':target').id`)).toBe(CANCELLATION.slice(1));
    expect(await visit.texts('.running')).toEqual(['0–2', '0–1']);
  });
});
