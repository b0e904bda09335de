/** Tests the board when the server falls silent: frozen, or behind a network that delays its events. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  firstHalf,
  SERBIA_BRAZIL as match,
  playKnockOut,
  SEMI_FINALS,
  secondHalf,
} from '../../../services/api/board/testing/scenes.ts';
import { ServedBoard } from '../../../services/api/board/testing/served.ts';
import { CHROMIUM, NEEDS_CHROMIUM, openTabs, type Visit } from '../../integration/board/browser.ts';
import { ShownBoard } from '../../integration/board/shown-board.ts';
import type { TcpProxy } from '../../support/proxy.ts';

/** Maximum time that the board may show safe after the last event, milliseconds. */
const WITHIN_MS = 2_000;
const SAFE = `[...document.querySelectorAll('.guard')].some((one) => /Safe\\s+to trade/.test(one.innerText))`;

/** Prepares a page before it is opened. */
type Prepare = (page: Page) => Promise<unknown>;

const PATHS = ['/', `/match/${match.id}`];
/** Conditions of the pages of each path, in browsers and on machines: all pages have the same scripts for it. */
const PAGES: readonly (readonly [string, Prepare])[][] = [
  [
    ['a page', async () => {}],
    [
      'a page whose timers are slowed to one a minute',
      (page) =>
        page.evaluateOnNewDocument(`{
        const [timeout, interval] = [setTimeout, setInterval];
        window.setTimeout = (run, ms, ...more) => timeout(run, Math.max(ms ?? 0, 60_000), ...more);
        window.setInterval = (run, ms, ...more) => interval(run, Math.max(ms ?? 0, 60_000), ...more);
      }`),
    ],
  ],
  [
    ['a page whose clock is an hour ahead', (page) => shiftClock(page, 3_600_000)],
    ['a page whose clock is an hour behind', (page) => shiftClock(page, -3_600_000)],
  ],
];

function shiftClock(page: Page, ms: number): Promise<unknown> {
  return page.evaluateOnNewDocument(`{ const now = Date.now; Date.now = () => now() + ${ms}; }`);
}

describe.runIf(CHROMIUM !== null)(`the board without its server${NEEDS_CHROMIUM}`, () => {
  const stage = ShownBoard.set({
    play: ({ played }) => {
      played.health(null);
      played.health(match.id);
      played.publish(match, Math.floor(Date.now() / 1000), { ...firstHalf(3), reported: [0, 0] });
    },
  });
  let proxy: TcpProxy;
  beforeEach(async () => {
    proxy = await stage.proxied();
  });

  /** Opens a page in a new window, because all tabs of a window but the last are hidden. */
  async function open(path: string, prepare: Prepare = async () => {}): Promise<Visit> {
    const page = await stage.browser.newPage({ type: 'window' });
    await prepare(page);
    const visit = await stage.openIn(page, path);
    await visit.until(SAFE);
    return visit;
  }

  /** Returns how long the page still shows safe, milliseconds, from ten readings a second. */
  async function safeFor(visit: Visit, forMs = 3 * WITHIN_MS): Promise<number> {
    const begun = performance.now();
    let last = 0;
    while (performance.now() - begun < forMs) {
      const at = performance.now();
      if (await visit.ask<boolean>(SAFE)) last = at - begun;
      await delay(100);
    }
    return last;
  }

  const visibilityOf = (visit: Visit) => visit.ask<string>('document.visibilityState');

  test.each(PATHS.map((path, at) => [path, PAGES[at] ?? []] as const))(
    '%s: every page withdraws within two seconds, and is back with the server',
    async (path, pages) => {
      const browser = await openTabs();
      const hidden = await stage.openIn(await browser.newPage(), path);
      await hidden.until(SAFE);
      const other = await browser.newPage();
      await other.bringToFront();
      const shown: [string, Visit][] = [];
      for (const [name, prepare] of pages) shown.push([name, await open(path, prepare)]);
      expect(await visibilityOf(hidden)).toBe('hidden');
      for (const [name, visit] of shown) expect(await visibilityOf(visit), name).toBe('visible');
      proxy.freeze();
      const withdraws = async (name: string, visit: Visit) =>
        expect(await safeFor(visit), name).toBeLessThan(WITHIN_MS);
      await Promise.all([
        withdraws('a page that is hidden', hidden),
        ...shown.map(async ([name, visit]) => {
          await withdraws(name, visit);
          const connection = [expect.stringMatching(/^Connection lost: as of /)];
          expect(await visit.texts('#connection'), name).toEqual(connection);
          const age = [expect.stringMatching(/^server [4-9] s ago$/)];
          expect(await visit.texts('#age'), name).toEqual(age);
          expect(await visit.texts('.minute'), name).toContain('–');
          if (path === '/') expect(await visit.texts('#halted'), name).toEqual(['1 of 1 halted']);
          expect((await visit.texts('.goals.home, .big-score'))[0], name).toMatch(/^0/);
        }),
      ]);
      await other.close();
      proxy.resume();
      for (const [, visit] of shown) await visit.until(SAFE);
    },
  );

  test('ignores delayed events, however many arrive', async () => {
    const visits = [];
    for (const path of PATHS) visits.push(await open(path));
    proxy.slow(5_000);
    for (const safe of await Promise.all(visits.map((visit) => safeFor(visit, 9_000))))
      expect(safe).toBeLessThan(WITHIN_MS);
    proxy.resume();
    for (const visit of visits) await visit.until(SAFE);
  });

  test.each(PATHS)('%s: stays withdrawn beside a replica that lags behind', async (path) => {
    const at = Math.floor(Date.now() / 1000);
    const kick = ({ played }: ServedBoard, minute: number) =>
      played.publish(match, at + minute, { ...firstHalf(minute), reported: [0, 0] });
    const lagging = await ServedBoard.start();
    lagging.played.health(null);
    lagging.played.health(match.id);
    kick(lagging, 3);
    kick(stage.served, 4);
    kick(stage.served, 5);
    const visit = await open(path);
    proxy.forwardTo(Number(new URL(await lagging.listen()).port));
    proxy.cut();
    await visit.shows('#connection', 'Connection lost');
    await visit.until(`document.querySelector('#connection').textContent === 'Up to date'`);
    expect(await safeFor(visit, WITHIN_MS)).toBe(0);
    kick(lagging, 4);
    kick(lagging, 5);
    await visit.until(SAFE);
  });

  test('runs the clocks of a bracket, withdraws them within two seconds, and shows them again with the server', async () => {
    playKnockOut(stage.served.played, Math.floor(Date.now() / 1000));
    const path = '/standings?season=312&show=knock-out';
    const final = '#tie-43000-43002 .legs';
    const visit = await stage.follow(path);
    const event = { start_date: '2018-07-13 18:00', stage_id: SEMI_FINALS + 2, group_id: null };
    const fixture = { id: 3_100_073, home: [43_002, 'France'], away: [43_000, 'Croatia'], event } as const;
    const nearlyAMinute = { ...secondHalf(20), clock_time: 20 * 60 + 57, reported: [2, 1] } as const;
    stage.served.played.publish(fixture, Math.floor(Date.now() / 1000), nearlyAMinute);
    await visit.shows(final, '66′');
    // Nothing is published meanwhile: the minute alone has the page read again.
    await visit.shows(final, '67′');
    proxy.freeze();
    const begun = performance.now();
    await visit.until(`!document.querySelector('${final}').innerText.includes('′')`);
    expect(performance.now() - begun).toBeLessThan(WITHIN_MS);
    expect((await visit.texts(final))[0]).not.toMatch(/′/);
    expect((await visit.texts('#tie-43000-43002 .goals'))[0]).toMatch(/^2/);
    proxy.resume();
    await visit.shows(final, '67′');
    expect(visit.complaints).toEqual([]);
  });

  test('the page from the server shows no match as safe, because it may be viewed for any time', async () => {
    const text = await (await fetch(`${stage.origin}/`)).text();
    expect(text).toContain('for the next update');
    expect(text).not.toContain('data-guard="safe"');
  });

  test('a finished match is neither safe nor halted, with and without events', async () => {
    const over = { status_id: 11, status_type: 'finished', clock_status: 'stopped', clock_time: 0 };
    stage.served.played.publish(match, Math.floor(Date.now() / 1000) + 1, { ...over, reported: [1, 0] });
    const visit = await stage.follow('/');
    const row = `#match-${match.id}`;
    await visit.shows(`${row} .minute`, 'FT');
    const guard = async () => (await visit.texts(`${row} .guard`))[0];
    expect(await guard()).not.toMatch(/safe|halted/i);
    proxy.freeze();
    await visit.shows('#connection', 'Connection lost');
    expect(await guard()).not.toMatch(/safe|halted/i);
  });
});
