import { expect, test } from 'vitest';
import { eventMessage, incidentMessage, KICK_OFF } from '#ingestion/testing/messages.ts';
import { backbone } from '../../setup/backbone.ts';
import { clients, received, startApi } from '../../support/api.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { CHROMIUM, NEEDS_CHROMIUM, openBrowser, Visit } from './browser.ts';

const EVENT = 7_000_001;
const ROW = `#match-${EVENT}`;

test.runIf(CHROMIUM !== null)(
  `shows a provider’s message in Chromium after it passed through the topics${NEEDS_CHROMIUM}`,
  async ({ onTestFinished }) => {
    const pipeline = await Pipeline.create({ ...backbone(), services: ['match-processor', 'api'] });
    pipeline.startProcessor();
    const feed = await pipeline.openFeed();
    onTestFinished(() => feed.close());
    const ut = Math.floor(Date.now() / 1000);
    await feed.send(received(eventMessage({ id: 1, ut }), incidentMessage({ id: 2, ut }, KICK_OFF)));
    const api = await startApi(pipeline.connection, temporaryFolder(), { API_BOARD: 'on' });
    const browser = await openBrowser();
    const board = await Visit.open(browser, api.url);
    await board.live();
    await board.shows(`${ROW} .goals.home`, '0');
    const match = await Visit.open(browser, `${api.url}/match/${EVENT}`);
    await match.live();

    const goal = (n: number, confirmation: string) =>
      feed.send(received(incidentMessage({ id: 10 + n, ut: ut + n }, { confirmation })));
    await goal(1, 'tbd');
    await board.shows(`${ROW} .goals.home`, '1');
    await board.shows(`${ROW} .firm`, 'firm 0–0');
    await board.shows(`${ROW} .guard`, 'Halted');
    await match.shows('.timeline', 'Reported, awaiting confirmation 0–0 → 1–0');
    await goal(2, 'cancelled');
    await board.shows(`${ROW} .goals.home`, '0');
    await match.shows('.timeline s', 'Goal');
    await match.shows('.timeline', 'Cancelled by the provider; it no longer counts 1–0 → 0–0');
    expect([...board.complaints, ...match.complaints]).toEqual([]);

    const [, credentials = ''] =
      /(client_id \d+[\s\S]*secret_key \w+)/.exec(await clients(pipeline.connection, 'add --name reader')) ??
      [];
    const docs = await Visit.open(browser, `${api.url}/docs#/Events/events.incidents`);
    const { page } = docs;
    await page.locator('.btn.authorize').click();
    await page.locator('.auth-container input').fill(await api.token(credentials));
    await page.locator('.auth-btn-wrapper .authorize').click();
    await page.locator('.auth-btn-wrapper .btn-done').click();
    await page.locator('[data-param-name="id"] input').fill(String(EVENT));
    await page.locator('.execute').click();
    await docs.shows('.live-responses-table .response', '"confirmation": "cancelled"');
    expect(docs.complaints).toEqual([]);

    const stopping = api.service.stop();
    await board.shows('#connection', 'Connection lost');
    expect(await stopping).toBe(0);
  },
);
