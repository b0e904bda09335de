/**
 * Tests an evening of a trading desk with real processes: forty parallel matches with reviews, a killed receiver and a
 * frozen api. The board must always equal the topics within its stated delay, and a page without updates must not show
 * safe.
 */
import { beforeAll, expect, test } from 'vitest';
import { CHROMIUM, NEEDS_CHROMIUM, openBrowser, Visit } from '../../integration/board/browser.ts';
import { startMonitor } from '../../integration/feed-monitor/support.ts';
import { startApi } from '../../support/api.ts';
import { atEnd } from '../../support/at-end.ts';
import type { TestService } from '../../support/processes.ts';
import { SEED, seeded } from '../../support/seed.ts';
import { System } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { BOARD_DELAY_MS, BoardLooks } from './board-looks.ts';
import { ReviewedEvening } from './forty-matches.ts';
import { TopicHistory } from './topic-history.ts';

const MATCHES = 40;
const STALE_MS = 4_000;
/** Duration of the freeze after the page has stopped showing safe, milliseconds. */
const FROZEN_MS = 4_000;
/** Number of readings before, between and after the faults. */
const READINGS = 100;

let evening: ReviewedEvening;
let history: TopicHistory;
let api: TestService;
let receiver: TestService;
let startReceiver: () => Promise<unknown>;
let visit: Visit;

beforeAll(async () => {
  if (CHROMIUM === null) return;
  const system = await System.create();
  const { connection } = system.pipeline;
  const first = await system.startReceiver();
  receiver = first.service;
  startReceiver = () => system.startReceiver({ WEBHOOK_PORT: new URL(first.url).port });
  startMonitor(connection, { STALE_AFTER_MS: String(STALE_MS) });
  const [replica, browser] = await Promise.all([
    startApi(connection, temporaryFolder(), { API_BOARD: 'on' }),
    openBrowser(),
  ]);
  atEnd(() => browser.close());
  api = replica.service;
  evening = ReviewedEvening.start(MATCHES, first.url, seeded());
  history = TopicHistory.follow(connection, evening.ids);
  visit = await Visit.open(browser, `${replica.url.replace('127.0.0.1', 'localhost')}/?by=halted`);
  await visit.until(`document.querySelectorAll('[data-guard="safe"]').length === ${MATCHES}`);
});

test.runIf(CHROMIUM !== null)(
  `the board says what the topics say on a desk’s evening${NEEDS_CHROMIUM}`,
  async () => {
    const looks = new BoardLooks(visit);
    const isWell: Parameters<typeof looks.until>[1] = ({ isLive, rows }) =>
      isLive && rows.some(({ guard }) => guard === 'safe');

    evening.reviews = true;
    await looks.times(READINGS);
    await looks.until('every kind of review', () => evening.isVaried);

    const killedAt = Date.now();
    await receiver.kill();
    await looks.until('no match is safe by the topics', () => history.safe === 0);
    await looks.times(READINGS);
    looks.wasBlindSince(killedAt + STALE_MS + BOARD_DELAY_MS);
    await Promise.all([startReceiver(), looks.until('the feed is back', isWell)]);
    await looks.times(READINGS);

    const frozenAt = Date.now();
    api.signal('SIGSTOP');
    await looks.until('the page withdraws', ({ isLive }) => !isLive);
    const withdrawnAt = Date.now();
    await looks.until('the freeze is long', () => Date.now() > withdrawnAt + FROZEN_MS);
    looks.wasBlindSince(frozenAt + BOARD_DELAY_MS);
    api.signal('SIGCONT');
    await looks.until('the api is back', isWell);
    await looks.times(READINGS);

    evening.finish();
    await looks.until('all matches are over', ({ rows }) =>
      rows.every(({ guard }) => guard === 'not_in_play'),
    );
    await looks.times(READINGS);

    const summary = `SEED=${SEED}: ${looks.summary(history)}; withdrawn ${withdrawnAt - frozenAt} ms after the freeze; ${evening.summary}`;
    process.stdout.write(`a desk’s evening, ${summary}\n`);
    expect(looks.wrong(history).slice(0, 5), summary).toEqual([]);
    expect(visit.complaints).toEqual([]);
  },
);
