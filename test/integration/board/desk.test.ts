/** The board for a trading desk, in Chromium: rows of a fixed height, highlights, favourites and alerts. */
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

  /** Opens the board in a new context, with its own storage, and waits until it is connected. */
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

  test.each([1440, 1024, 390])(
    'gives all rows the same height at %i px, whatever they show',
    async (width) => {
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
      await visit.shows(`${ROW} .card.red`, 'red card');
      // Beside a name that is too long for its column, a card is seen too.
      const cardBesideLongName = `(() => {
        const card = document.querySelector('${ROW} .card.red');
        const team = card.closest('.team');
        team.querySelector('.name').textContent = 'long '.repeat(30);
        return card.getBoundingClientRect().right <= team.getBoundingClientRect().right;
      })()`;
      expect(await visit.ask(cardBesideLongName)).toBe(true);
      publish(23, { bet_status: 'stopped', reported: [1, 3] });
      await visit.shows(`${ROW} .reasons`, 'provider says 1–3');
      expect(await heights()).toEqual(before);
      const overflowing = `[...document.querySelectorAll('.match a')].filter((row) => row.scrollHeight > row.clientHeight).length`;
      expect(await visit.ask(overflowing)).toBe(0);
      expect(visit.complaints).toEqual([]);
    },
  );

  test('shows a Saturday: 63 live matches of a feed without names in dense rows, in two columns on a wide screen', async () => {
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
    const visit = await follow('/?show=live');
    await visit.page.setViewport({ width: 1440, height: 900 });
    await visit.shows('#halted', '9 of 63 halted');
    expect(await visit.texts('.group h3')).toEqual(['Competition 900', 'Competition 901', 'Competition 902']);
    const clock = new Date().toISOString().slice(11, 14);
    await visit.shows('.match[data-guard="halted"] small', `since ${clock}`);
    await visit.page.click('#view summary');
    await visit.page.click('#view input[name="dense"]');
    await visit.page.click('#view summary');
    const rows = () =>
      visit.ask<{ heights: number[]; lefts: number[]; cut: number; page: number }>(`(() => {
        const rows = [...document.querySelectorAll('.match')];
        const boxes = rows.map((row) => row.getBoundingClientRect());
        return {
          heights: [...new Set(boxes.map(({ height }) => height))],
          lefts: [...new Set(boxes.map(({ left }) => left))],
          cut: [...document.querySelectorAll('.match a')].filter((row) => row.scrollHeight > row.clientHeight).length,
          page: document.documentElement.scrollHeight,
        };
      })()`);
    const one = await rows();
    expect(one).toMatchObject({ heights: [28], cut: 0 });
    expect(one.lefts).toHaveLength(1);
    expect(one.page).toBeLessThan(2_500);
    await visit.page.setViewport({ width: 1700, height: 900 });
    const two = await rows();
    expect(two).toMatchObject({ heights: [28], cut: 0 });
    expect(two.lefts).toHaveLength(2);
    expect(two.page).toBeLessThan(1_500);
    expect(visit.complaints).toEqual([]);
  });

  test('highlights only the score of a change, and colours the row by its guard', async () => {
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

  test('stores favourites in the browser, and shows them first or alone', async () => {
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
    await visit.page.click('label:has(input[value="all"])');
    // The page draws its rows with the next frame.
    await visit.until(`document.querySelector('#match-3100042 .star') !== null`);
    await visit.page.click('#match-3100042 .star');
    await visit.page.click('label.show-favourites');
    // Both as cards with all that they have, without a scroll bar or a text that is cut.
    await visit.until(`document.getElementById('board').dataset.as === 'cards'`);
    for (const width of [1440, 1024, 390]) {
      await visit.page.setViewport({ width, height: 900 });
      const cards = await visit.ask<[height: number, cut: string][]>(
        `[...document.querySelectorAll('.match')].map((card) => [card.getBoundingClientRect().height, [...card.querySelectorAll('a, a *:not(.visually-hidden)')].filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflow !== 'visible' || one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflow !== 'visible' || one.getBoundingClientRect().bottom > card.getBoundingClientRect().bottom).map((one) => one.className).join()])`,
      );
      expect(cards, `at ${width} px`).toHaveLength(2);
      expect(new Set(cards.map(([height]) => height)).size).toBe(1);
      expect(cards.map(([, cut]) => cut)).toEqual(['', '']);
      expect(await visit.texts(`${ROW} .away .scorers`)).toEqual(['Paulinho 36′, Thiago Silva 65′']);
      expect(await visit.texts(`${ROW} .half-time`)).toEqual([', half-time HT 0–1']);
    }
    await visit.page.click('#match-3100042 .star');
    await visit.page.click(STAR);
    await visit.shows('.empty', 'No favourite yet');
  });

  test('alerts by sound, title or desktop notification, as chosen, and only of the chosen kinds', async () => {
    stage.served.played.publish(match, now(), { ...firstHalf(3), reported: [0, 0] });
    const visit = await follow('/', (page) =>
      page.evaluateOnNewDocument(`{
        window.alerted = [];
        window.Notification = class { constructor(title, { body }) { alerted.push(body); } };
        Notification.permission = 'granted';
        Notification.requestPermission = async () => 'granted';
        const make = AudioContext.prototype.createOscillator;
        AudioContext.prototype.createOscillator = function () { alerted.push('note'); return make.call(this); };
      }`),
    );
    const { page } = visit;
    const title = await page.title();
    publish(22, { reported: [1, 0] }, { confirmation: 'confirmed' });
    await visit.shows(`${ROW} .goals.home`, '1');
    expect(await visit.ask('alerted')).toEqual([]);
    expect(await page.title()).toBe(title);
    await page.click('#alerts summary');
    for (const value of ['title', 'desktop']) await page.click(`#alerts input[value="${value}"]`);
    await page.click('#alerts input[value="halted"]');
    expect(await visit.texts('#alerts-state')).toEqual(['on']);
    await page.reload();
    await visit.live();
    publish(23, { reported: [0, 0] }, { confirmation: 'cancelled' });
    await visit.until(`alerted.some((one) => one.startsWith('Goal cancelled: Serbia 0'))`);
    expect(await page.title()).toContain('Goal cancelled: Serbia 0');
    stage.served.played.health(null, { state: 'down', reason: 'network' });
    await visit.until(`alerted.includes('Feed down: Webhooks.')`);
    expect(await visit.ask(`alerted.filter((one) => one === 'note' || one.startsWith('Halted'))`)).toEqual(
      [],
    );
    await page.click('#alerts summary');
    await page.click('#alerts input[value="sound"]');
    await visit.until(`alerted.includes('note')`);
    expect(visit.complaints).toEqual([]);
  });

  test('applies theme and density at once, on every page and after a reload, and answers keys', async () => {
    play();
    const visit = await follow('/');
    const paper = () => visit.ask<string>('getComputedStyle(document.documentElement).backgroundColor');
    await visit.page.keyboard.press('?');
    await visit.page.click('#view input[value="dark"]');
    expect(await paper()).toBe('rgb(17, 21, 15)');
    const height = () => visit.ask<number>(`document.querySelector('.match').getBoundingClientRect().height`);
    const before = await height();
    await visit.page.click('#view input[name="dense"]');
    expect(await height()).toBeLessThan(before);
    await visit.page.click('#view summary');
    await visit.page.keyboard.press('l');
    expect(await visit.ask('location.search')).toBe('?show=live');
    await visit.page.keyboard.press('/');
    await visit.page.keyboard.type('?braz');
    expect(await visit.ask('document.activeElement.value')).toBe('?braz');
    await visit.page.reload();
    await visit.live();
    expect(await paper()).toBe('rgb(17, 21, 15)');
    await visit.page.emulateTimezone('Asia/Tokyo');
    await visit.page.click('#view summary');
    await visit.page.click('#view input[value="local"]');
    await visit.page.goto(`${stage.origin}/match/${match.id}`);
    await visit.shows('.zone', 'Asia/Tokyo');
    const [iso, shown] = await visit.ask<[string, string]>(
      `(() => { const one = document.querySelector('.history time'); return [one.dateTime, one.textContent]; })()`,
    );
    expect(shown).toContain(new Date(Date.parse(iso) + 9 * 3_600_000).toISOString().slice(11, 19));
    expect(visit.complaints).toEqual([]);
  });
});
