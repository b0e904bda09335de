/** What a desk needs of the board, in Chromium: rows that stay, views that are shared, favourites, alerts, and speed with 300 live matches. */
import type { Page } from 'puppeteer-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  firstHalf,
  incident,
  SERBIA_BRAZIL as match,
  playBoard,
  playSerbiaBrazil,
  secondHalf,
} from '../../../services/api/board/testing/scenes.ts';
import { CHROMIUM, NEEDS_CHROMIUM, openBrowser, type Visit } from './browser.ts';
import { ShownBoard } from './shown-board.ts';

const ROW = `[data-key="match-${match.id}"]`;
const STAR = `${ROW} .star`;

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

  /** A page in a context of its own, as its storage is, that follows the board. */
  async function follow(
    path: string,
    prepare: (page: Page) => Promise<unknown> = async () => {},
  ): Promise<Visit> {
    const context = await openBrowser();
    onTestFinished(() => context.close());
    await context.overridePermissions(stage.origin, ['notifications']);
    const page = await context.newPage();
    await prepare(page);
    const visit = await stage.openIn(page, path);
    await visit.live();
    return visit;
  }

  test.each([1440, 1024, 390])('every row is one height at %i px, whatever happens in it', async (width) => {
    play();
    const visit = await follow('/');
    await visit.page.setViewport({ width, height: 900 });
    const heights = () =>
      visit.ask<number[]>(
        `[...new Set([...document.querySelectorAll('.match')].map((row) => row.firstElementChild.getBoundingClientRect().height))]`,
      );
    const before = await heights();
    expect(before).toHaveLength(1);
    publish(22, { reported: [1, 3] }, { incident_id: 418, confirmation: 'confirmed' });
    await visit.shows(`${ROW} .red-card`, 'red card');
    publish(23, { bet_status: 'stopped', reported: [1, 3] });
    await visit.shows(`${ROW} .reasons`, 'provider says 1–3');
    expect(await heights()).toEqual(before);
    const overflowing = `[...document.querySelectorAll('.match a')].filter((row) => row.scrollHeight > row.clientHeight).length`;
    expect(await visit.ask(overflowing)).toBe(0);
    expect(visit.complaints).toEqual([]);
  });

  test('a change flashes the score alone, the tint is that of the guard', async () => {
    stage.served.played.publish(match, now(), { ...firstHalf(3), reported: [0, 0] });
    const visit = await follow('/');
    await visit.until(`document.querySelector('${ROW}').dataset.guard === 'safe'`);
    await visit.keep('[data-flash]', 'one.className + " " + one.dataset.flash');
    publish(22, { reported: [1, 0] }, { confirmation: 'tbd' });
    await visit.kept('score goal');
    expect(await visit.ask('window.kept')).toEqual(['score goal']);
    const [tint, bar] = await visit.ask<string[]>(
      `(() => { const { backgroundColor, borderLeftColor } = getComputedStyle(document.querySelector('${ROW}')); return [backgroundColor, borderLeftColor]; })()`,
    );
    expect(await visit.ask(`document.querySelector('${ROW}').dataset.guard`)).toBe('halted');
    expect([tint, bar]).toEqual(['rgb(253, 238, 236)', 'rgb(163, 35, 29)']);
  });

  test('favourites are kept in the browser, and shown first or alone', async () => {
    play();
    const visit = await follow('/?by=favourites');
    await visit.page.focus(STAR);
    await visit.page.keyboard.press('Enter');
    await visit.shows('[data-key="favourites"]', 'Serbia');
    await visit.page.reload();
    await visit.shows('[data-key="favourites"]', 'Serbia');
    expect(await visit.ask(`document.querySelector('${STAR}').getAttribute('aria-pressed')`)).toBe('true');
    await visit.page.click('label.show-favourites');
    await visit.until(`document.querySelectorAll('.match').length === 1`);
    await visit.page.click(STAR);
    await visit.shows('.empty', 'No favourite yet');
  });

  test('alerts of what was chosen, as chosen: sound, title, desktop', async () => {
    stage.served.played.publish(match, now(), { ...firstHalf(3), reported: [0, 0] });
    const visit = await follow('/', (page) =>
      page.evaluateOnNewDocument(`{
        window.told = [];
        window.Notification = class { constructor(title, { body }) { told.push(body); } };
        Notification.permission = 'granted';
        Notification.requestPermission = async () => 'granted';
        const make = AudioContext.prototype.createOscillator;
        AudioContext.prototype.createOscillator = function () { told.push('note'); return make.call(this); };
      }`),
    );
    const { page } = visit;
    const title = await page.title();
    publish(22, { reported: [1, 0] }, { confirmation: 'confirmed' });
    await visit.shows(`${ROW} .goals.home`, '1');
    expect(await visit.ask('told')).toEqual([]);
    expect(await page.title()).toBe(title);
    await page.click('#alerts summary');
    for (const value of ['title', 'desktop']) await page.click(`#alerts input[value="${value}"]`);
    await page.click('#alerts input[value="halted"]');
    expect(await visit.texts('#alerts-state')).toEqual(['on']);
    await page.reload();
    await visit.live();
    publish(23, { reported: [0, 0] }, { confirmation: 'cancelled' });
    await visit.until(`told.some((one) => one.startsWith('Goal cancelled: Serbia 0'))`);
    expect(await page.title()).toContain('Goal cancelled: Serbia 0');
    stage.served.played.health(null, { state: 'down', reason: 'network' });
    await visit.until(`told.includes('Feed down: Webhooks.')`);
    expect(await visit.ask(`told.filter((one) => one === 'note' || one.startsWith('Halted'))`)).toEqual([]);
    await page.click('#alerts summary');
    await page.click('#alerts input[value="sound"]');
    await visit.until(`told.includes('note')`);
    expect(visit.complaints).toEqual([]);
  });
});
