/** The page of the feeds, and that of an unknown address, in Chromium. */
import type { Browser } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { firstHalf, SERBIA_BRAZIL as match } from '../../../services/api/board/testing/scenes.ts';
import { ServedBoard } from '../../../services/api/board/testing/served.ts';
import { TcpProxy } from '../../support/proxy.ts';
import { CHROMIUM, NEEDS_CHROMIUM, startChromium, Visit } from './browser.ts';

describe.runIf(CHROMIUM !== null)(`the feeds${NEEDS_CHROMIUM}`, () => {
  let browser: Browser;
  let served: ServedBoard;
  let proxy: TcpProxy;
  let origin: string;

  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    served = await ServedBoard.start();
    const now = Date.now();
    served.played.publish(match, Math.floor(now / 1000), { ...firstHalf(3), reported: [0, 0] });
    served.played.health(match.id);
    const gap = { from: now - 90_000, to: now - 60_000, reason: 'network', action: 'caught_up' };
    served.played.health(null, { heard_at: now - 3_000, written_at: now, gaps: [gap], gap_count: 1 });
    proxy = await TcpProxy.start();
    proxy.forwardTo(Number(new URL(await served.listen()).port));
    origin = `http://localhost:${proxy.ports[0]}`;
  });
  afterEach(async () => {
    await proxy.close();
    await served.close();
  });

  test('are shown in words, with what was missed, and follow what changes', async () => {
    const visit = await Visit.open(browser, `${origin}/feeds`);
    await visit.live();
    const source = '[data-key="source-webhook"]';
    await visit.shows(source, 'Webhooks');
    await visit.shows(`${source}[data-guard="safe"] .facts`, 'Statealive');
    await visit.shows(
      `${source} .gaps`,
      '30 s: provider unreachable. All that happened in it was read later. Nothing is missing.',
    );
    await visit.shows('.lead', '1 live match, of which none is without a feed to rely on.');
    served.played.health(null, { state: 'down', reason: 'network', written_at: Date.now() });
    await visit.shows(`${source}[data-guard="halted"] .facts`, 'down (provider unreachable)');
    await visit.shows('.doubted', 'Serbia – Brazil');
    expect(visit.complaints).toEqual([]);
    await visit.close();
  });

  test('are not called alive by a page without its server', async () => {
    const visit = await Visit.open(browser, `${origin}/feeds`);
    await visit.live();
    await visit.shows('[data-vouched]', 'alive');
    proxy.freeze();
    await visit.shows('[data-vouched]', 'no word from the server');
    expect(await visit.ask(`document.querySelectorAll('[data-guard="safe"]').length`)).toBe(0);
    proxy.resume();
    await visit.shows('[data-vouched]', 'alive');
    await visit.close();
  });

  test('an unknown address is a page for a browser, and a record for a program', async () => {
    const visit = await Visit.open(browser, `${origin}/nope`);
    expect(await visit.texts('h1')).toEqual(['No such page']);
    await Promise.all([visit.page.waitForNavigation(), visit.page.click('main a[href="/"]')]);
    expect(await visit.page.title()).toContain('Live board');
    const answer = await fetch(`${origin}/nope`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toContain('json');
    await visit.close();
  });
});
