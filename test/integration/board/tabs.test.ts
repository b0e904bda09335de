/** Many tabs of one browser, which opens at most six connections to a server that speaks HTTP/1.1. */
import { describe, expect, test } from 'vitest';
import {
  firstHalf,
  incident,
  SERBIA_BRAZIL as match,
  playBoard,
} from '../../../services/api/board/testing/scenes.ts';
import { CHROMIUM, NEEDS_CHROMIUM, openTabs, type Visit } from './browser.ts';
import { ShownBoard } from './shown-board.ts';

const PATHS = [
  '/',
  `/match/${match.id}`,
  '/match/3100042',
  '/match/3100043',
  '/feeds',
  '/halts',
  '/?show=live',
  '/',
];

describe.runIf(CHROMIUM !== null)(`eight tabs of one window${NEEDS_CHROMIUM}`, () => {
  const stage = ShownBoard.set({
    open: openTabs,
    play: ({ played }) => {
      const now = Math.floor(Date.now() / 1000);
      played.health(null);
      played.health(match.id);
      playBoard(played, now);
      played.publish(match, now, { ...firstHalf(3), reported: [0, 0] });
    },
  });

  test('are live while they are seen, over one connection; one that is hidden says nothing is safe', async () => {
    const streams = openStreams();
    const tabs: Visit[] = [];
    for (const path of PATHS) {
      const tab = await stage.openIn(await stage.browser.newPage(), path);
      await tab.live();
      tabs.push(tab);
    }
    const [board, page] = tabs as [Visit, Visit];
    await expect.poll(() => streams.size).toBe(1);
    const state = 'document.body.dataset.connection';
    for (const tab of tabs.slice(0, -1)) expect(await tab.ask(state)).toBe('lost');
    const goal = incident(20, 413, '04:10', { participant_id: match.home[0] });
    stage.served.played.publish(
      match,
      Math.floor(Date.now() / 1000),
      { ...firstHalf(4), reported: [1, 0] },
      goal,
    );
    await board.shows(`#match-${match.id} .goals.home`, '1');
    await board.until(`${state} === 'fresh'`);
    await page.shows('#scoreline', '1–0');
    await page.shows('#guard .verdict', 'Safe to trade');
    expect(await board.ask(state)).toBe('lost');
    await expect.poll(() => streams.size).toBe(1);
    expect(tabs.flatMap(({ complaints }) => complaints)).toEqual([]);
  });

  /** Returns the answers of `/board/events` that have not ended, of requests from now on. */
  function openStreams(): ReadonlySet<unknown> {
    const open = new Set<unknown>();
    stage.served.app.server.on('request', ({ url }, response) => {
      if (url?.startsWith('/board/events') !== true) return;
      open.add(response);
      response.once('close', () => open.delete(response));
    });
    return open;
  }
});
