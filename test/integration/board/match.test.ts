/** The page of a match, in Chromium. */
import { describe, expect, test } from 'vitest';
import {
  incident,
  SERBIA_BRAZIL as match,
  playSerbiaBrazil,
  secondHalf,
} from '../../../services/api/board/testing/scenes.ts';
import { OPEN, ServedBoard } from '../../../services/api/board/testing/served.ts';
import { untilTrue } from '../../support/poll.ts';
import { CHROMIUM, NEEDS_CHROMIUM, type Visit } from './browser.ts';
import { ShownBoard } from './shown-board.ts';

const PATH = `/match/${match.id}`;
const DISALLOWED = '#incident-5-100007';
const CANCELLATION = '#incident-5-100009';

describe.runIf(CHROMIUM !== null)(`the page of a match${NEEDS_CHROMIUM}`, () => {
  const stage = ShownBoard.set({ play: ({ played }) => playSerbiaBrazil(played, Date.now() / 1000) });

  test('keeps score and guard in view at any width', async () => {
    const visit = await stage.follow(PATH);
    for (const width of [1440, 1024, 390])
      for (const end of [0, 100_000]) {
        await visit.page.setViewport({ width, height: 700 });
        await visit.ask(`scrollTo(0, ${end})`);
        const [top, bottom, room] = await visit.ask<number[]>(
          `[document.getElementById('scoreline').getBoundingClientRect().top, document.getElementById('guard').getBoundingClientRect().bottom, innerHeight]`,
        );
        expect(top, `at ${width} px`).toBeGreaterThanOrEqual(0);
        expect(bottom, `at ${width} px`).toBeLessThan((room ?? 0) * 0.5);
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

  /** Opens a page as a client that may halt trading by hand. */
  async function operate(path: string): Promise<Visit> {
    const access = { clientId: 7, competitions: null, operations: null };
    const viewer = { clientId: 7, access: () => access, operator: () => ({ name: 'client 7', access }) };
    const sessions = { ...OPEN.sessions, viewer: () => viewer };
    const served = await ServedBoard.start({
      view: stage.served.played.views,
      orderHalt: async () => {},
      gate: { ...OPEN, sessions },
    });
    const origin = await served.listen();
    const page = await stage.browser.newPage();
    await page.setCookie({ name: 'touchline_session', value: 'v1.all', url: origin });
    const visit = await stage.openIn(page, `${origin}${path}`);
    await visit.live();
    return visit;
  }

  test('keeps what a reader typed and opened when it is read again', async () => {
    const visit = await operate(PATH);
    await visit.page.type('.reason input', 'stream is late');
    await visit.page.select('.by-hand select', '10');
    await visit.page.click('.side details summary');
    const ut = Math.floor(Date.now() / 1000);
    const fields = { participant_id: match.home[0], subparticipant_name: 'Matić' };
    stage.served.played.publish(match, ut, secondHalf(40), incident(30, 419, '85:00', fields));
    await visit.shows('.timeline', 'Matić');
    expect(await visit.ask(`document.querySelector('.reason input').value`)).toBe('stream is late');
    expect(await visit.ask(`document.querySelector('.by-hand select').value`)).toBe('10');
    expect(await visit.ask(`document.querySelector('.side details').open`)).toBe(true);
  });

  test('keeps the chosen scope of an order while another competition goes out of play', async () => {
    const visit = await operate('/halts');
    const publish = (competition_id: number, fields: object) => {
      const teams = { home: [1, 'Ajax'], away: [2, 'PSV'] } as const;
      const fixture = { id: competition_id, ...teams, event: { competition_id } };
      stage.served.played.publish(fixture, Math.floor(Date.now() / 1000), { ...secondHalf(1), ...fields });
    };
    const select = '.by-hand select[name="scope"]';
    for (const id of [900, 901]) publish(id, { bet_status: 'stopped' });
    await visit.shows(select, 'Competition 901');
    await visit.page.select(select, 'competition:901');
    publish(900, { status_id: 11, status_type: 'finished' });
    await visit.shows('.lead', '2 live matches');
    expect(await visit.ask(`document.querySelector('${select}').value`)).toBe('competition:901');
    await visit.page.select(select, 'all');
    await visit.until(`!document.querySelector('${select}').textContent.includes('900')`);
    const options = `[...document.querySelectorAll('${select} option')].map(({ value, text }) => [value, text])`;
    expect(await visit.ask(options)).toContainEqual(['competition:901', 'Competition 901']);
  });

  test('is fetched again after a failed fetch during which the match changed', async () => {
    const visit = await stage.follow(PATH);
    const session = await visit.page.createCDPSession();
    await session.send('Network.enable');
    let changes = 0;
    session.on('Network.eventSourceMessageReceived', ({ eventName }) => {
      if (eventName === 'match') changes += 1;
    });
    let fail: (() => Promise<void>) | undefined;
    await visit.page.setRequestInterception(true);
    visit.page.on('request', (request) => {
      if (request.resourceType() !== 'fetch' || fail !== undefined) void request.continue();
      else fail = () => request.respond({ status: 503 });
    });
    const book = (n: number, name: string) =>
      stage.served.played.publish(
        match,
        Math.floor(Date.now() / 1000) + n,
        secondHalf(40),
        incident(n, 419, '85:00', { participant_id: match.home[0], subparticipant_name: name }),
      );
    book(30, 'Matić');
    await untilTrue('the page fetches itself', () => fail !== undefined);
    const before = changes;
    book(31, 'Kolarov');
    await untilTrue('the page received the next change', () => changes > before);
    await fail?.();
    await visit.until(`document.getElementById('main').innerText.includes('Kolarov')`);
  });
});
