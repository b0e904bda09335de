/** Many tabs of one browser, which opens at most six connections to a server that speaks HTTP/1.1. */
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  firstHalf,
  incident,
  SERBIA_BRAZIL as match,
  playBoard,
} from '../../../services/api/board/testing/scenes.ts';
import { CHROMIUM, NEEDS_CHROMIUM, openBrowser, Visit } from './browser.ts';
import { ShownBoard } from './shown-board.ts';

const PATHS = [
  '/',
  `/match/${match.id}`,
  '/match/3100042',
  '/match/3100043',
  '/match/3100044',
  '/feeds',
  '/?show=live',
  '/match/3100045',
];

describe.runIf(CHROMIUM !== null)(`eight tabs of one browser${NEEDS_CHROMIUM}`, () => {
  const stage = ShownBoard.set({
    play: ({ played }) => {
      const now = Math.floor(Date.now() / 1000);
      played.health(null);
      played.health(match.id);
      playBoard(played, now);
      played.publish(match, now, { ...firstHalf(3), reported: [0, 0] });
    },
  });

  test('are all live over one connection, and the others stay so when one is closed', async () => {
    const streams = openStreams();
    const tabs: Visit[] = [];
    for (const path of PATHS) tabs.push(await stage.follow(path));
    const [board, page, ...others] = tabs as [Visit, Visit, ...Visit[]];
    await expect.poll(() => streams.size).toBe(1);
    const goal = incident(20, 413, '04:10', { participant_id: match.home[0] });
    stage.served.played.publish(
      match,
      Math.floor(Date.now() / 1000),
      { ...firstHalf(4), reported: [1, 0] },
      goal,
    );
    await board.shows(`#match-${match.id} .goals.home`, '1');
    await page.shows('#scoreline', '1–0');
    await others[4]?.shows(`#match-${match.id} .goals.home`, '1');
    await board.page.goto('about:blank');
    for (const tab of [page, ...others])
      expect(await tab.ask('document.body.dataset.connection')).toBe('fresh');
    expect(tabs.flatMap(({ complaints }) => complaints)).toEqual([]);
  });

  test('open one connection each where the browser has no shared worker', async () => {
    const context = await openBrowser();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.evaluateOnNewDocument('delete window.SharedWorker');
    const visit = await Visit.of(page, `${stage.origin}/`);
    await visit.live();
    await visit.shows(`#match-${match.id} .guard`, 'Safe');
    expect(visit.complaints).toEqual([]);
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
