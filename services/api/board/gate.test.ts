import { inspect } from 'node:util';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Access } from '#contract/rest/provider.ts';
import { type HaltOrder, NotHaltedError } from '#topics/halt-orders.ts';
import { ranking } from '#views/testing/ranking.ts';
import { forFile } from '../../../test/support/at-end.ts';
import type { GateOptions } from './gate.ts';
import { LEVEL_IDS } from './testing/playing.ts';
import { SERBIA_BRAZIL } from './testing/scenes.ts';
import { ServedBoard } from './testing/served.ts';

const ALL: Access = { clientId: 1, competitions: null, operations: null };
/** Contracts by the text of a session; null: the session is over. */
let contracts: Record<string, Access | null>;
let served: ServedBoard;
/** The orders that were published. */
let ordered: HaltOrder[];

const sessions = {
  open: async (clientId: string, secretKey: string) =>
    clientId === '7' && secretKey === 'right' ? 'v1.all' : null,
  viewer(session: string) {
    const access = contracts[session];
    if (access == null) return null;
    const operator = () => (session === 'v1.tables' ? null : { name: `client 1 (${session})`, access });
    return { clientId: access.clientId, access: () => contracts[session] ?? null, operator };
  },
  end(session: string) {
    contracts[session] = null;
  },
};

async function start(changes: Partial<GateOptions> = {}): Promise<ServedBoard> {
  const board = await ServedBoard.startPlayed({
    gate: { sessions, openOnLoopback: false, competitions: null, publicUrl: undefined, ...changes },
    orderHalt: async (order) => {
      if (order.action === 'resume') throw new NotHaltedError(order.scope);
      ordered.push(order);
    },
  });
  board.played.ranking(ranking(777, 'teams'));
  return board;
}

const boards: Record<string, Promise<ServedBoard>> = {};
/** Serves a board that no test changes, one for each gate. */
async function serve(changes: Partial<GateOptions> = {}): Promise<void> {
  const gate = inspect(changes);
  boards[gate] ??= forFile(() => start(changes));
  served = await boards[gate];
}

beforeEach(async () => {
  ordered = [];
  contracts = {
    'v1.all': ALL,
    'v1.world': { ...ALL, competitions: new Set([LEVEL_IDS.competition_id]) },
    'v1.other': { ...ALL, competitions: new Set([9]) },
    'v1.tables': { ...ALL, operations: new Set(['standings.index', 'standings.show']) },
  };
  await serve();
});

function get(url: string, session = '', host = 'board.example') {
  const cookie = session === '' ? {} : { cookie: `theme=dark; touchline_session=${session}` };
  return served.get(url, { host, ...cookie });
}

const RIGHT = { client_id: '7', secret_key: 'right' };

function post(url: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  return served.app.inject({
    method: 'POST',
    url,
    payload: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
}

const MATCH = `/match/${SERBIA_BRAZIL.id}`;
const RECORD = `/board/matches/${SERBIA_BRAZIL.id}`;
const PAGES = ['/', MATCH, '/standings', '/match/5?x=1'];
const DATA = [RECORD, '/board/events', `/board/events?event=${SERBIA_BRAZIL.id}`, '/board/events?season=312'];

describe('without a session', () => {
  test.each(PAGES)('%s asks for credentials and shows nothing', async (url) => {
    const { status, text, headers } = await get(url);
    expect(status).toBe(401);
    expect(text).toContain(`<input type="hidden" name="to" value="${url}">`);
    expect(text).not.toMatch(/Serbia|Brazil|World Cup/);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['cache-control']).toBe('no-store');
  });

  test.each(DATA)('%s is refused', async (url) => {
    const { status, text } = await get(url);
    expect([status, JSON.parse(text)]).toEqual([401, { error: 'Sign in first' }]);
  });

  test('an ended, unknown or malformed session is refused', async () => {
    contracts['v1.all'] = null;
    for (const session of ['v1.all', 'v1.nobody', '"', 'v1.all;'])
      expect((await get('/', session)).status).toBe(401);
  });

  test('the style sheet of the sign-in page is served', async () => {
    const [, path = ''] = /href="([^"]*sign-in\.css)"/.exec((await get('/')).text) ?? [];
    expect((await get(path)).status).toBe(200);
  });
});

describe('on loopback', () => {
  test('a server of some competitions names them when it does not find a page', async () => {
    await serve({ openOnLoopback: true, competitions: new Set([9]) });
    const words = 'his server serves only the competition 9';
    const { status, text } = await get(MATCH, '', 'localhost');
    expect([status, text.includes(words)]).toEqual([404, true]);
    const refused = { error: `Not found here: t${words}` };
    expect(JSON.parse((await get(RECORD, '', 'localhost')).text)).toEqual(refused);
    expect((await get('/standings?season=312', '', 'localhost')).text).toContain(words);
    expect((await get('/feeds', '', 'localhost')).text).toContain(`<p>T${words}.</p>`);
    expect((await get('/', '', 'localhost')).text).not.toContain('Serbia');
  });

  test.each(['localhost:8081', '127.0.0.1', '[::1]:8081'])('%s needs no session', async (host) => {
    await serve({ openOnLoopback: true });
    expect((await get('/', '', host)).status).toBe(200);
  });

  // DNS rebinding: a web page whose name resolves to this machine could read the board through its visitor's browser.
  test.each(['board.example', 'localhost.example', '10.0.0.1'])('%s needs a session', async (host) => {
    await serve({ openOnLoopback: true });
    expect((await get('/', '', host)).status).toBe(401);
    expect((await get('/', 'v1.all', host)).status).toBe(200);
  });

  test.each(['x-forwarded-host', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'])(
    'a request of a proxy, with %s, needs a session',
    async (name) => {
      await serve({ openOnLoopback: true });
      expect((await served.get('/', { host: 'localhost:8081', [name]: 'localhost' })).status).toBe(401);
    },
  );

  test('a client on another machine needs a session', async () => {
    await serve({ openOnLoopback: true });
    const asked = { url: '/', headers: { host: 'localhost:8081' }, remoteAddress: '192.0.2.7' };
    expect((await served.app.inject(asked)).statusCode).toBe(401);
  });
});

describe('/sign-in', () => {
  test('gives the right credentials a cookie that no script reads, and leads on', async () => {
    const to = '/standings?season=312';
    const { statusCode, headers } = await post('/sign-in', { ...RIGHT, client_id: ' 7 ', to });
    expect([statusCode, headers.location]).toEqual([303, to]);
    expect(headers['set-cookie']).toBe(
      'touchline_session=v1.all; HttpOnly; Path=/; Max-Age=36000; SameSite=Lax',
    );
    expect((await get('/', 'v1.all')).status).toBe(200);
    expect((await get('/sign-in', 'v1.all')).text).toContain('Signed in as client 1');
  });

  test('marks the cookie as secure when clients use https', async () => {
    await serve({ publicUrl: 'https://board.example' });
    expect((await post('/sign-in', RIGHT)).headers['set-cookie']).toMatch(/; Secure$/);
  });

  test('shows the form again after wrong credentials, and repeats no secret', async () => {
    const wrong = { ...RIGHT, secret_key: 'swordfish', to: MATCH };
    const { statusCode, body, headers } = await post('/sign-in', wrong);
    expect(statusCode).toBe(401);
    expect(body).toContain('These credentials are wrong.');
    expect(body).toContain(`value="${MATCH}"`);
    expect(body).not.toContain('swordfish');
    expect(headers['set-cookie']).toBeUndefined();
  });

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    'javascript:alert(1)',
    '\t//evil.example',
  ])('redirects to the board instead of %j', async (to) => {
    expect((await post('/sign-in', { ...RIGHT, to })).headers.location).toBe('/');
  });

  test('takes no form of another site, and nothing but a form', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const { statusCode, headers } = await post('/sign-in', RIGHT, { 'sec-fetch-site': site });
      expect([statusCode, headers['set-cookie']]).toEqual([403, undefined]);
    }
    const own = { 'sec-fetch-site': 'same-origin', origin: 'null' };
    expect((await post('/sign-in', RIGHT, own)).statusCode).toBe(303);
    expect((await post('/sign-in', RIGHT, { 'content-type': 'application/json' })).statusCode).toBe(400);
    expect((await post('/sign-in', { client_id: '7' })).statusCode).toBe(400);
    expect((await post('/sign-in', { ...RIGHT, to: 'x'.repeat(5_000) })).statusCode).toBe(400);
  });

  test.each(['/sign-in', '/sign-out'])(
    'takes no form at %s whose origin is another, from an old browser',
    async (path) => {
      await serve({ publicUrl: 'https://board.example' });
      const sent = async (origin: string) => {
        const headers = { host: '10.0.0.7:8081', origin, cookie: 'touchline_session=v1.all' };
        return (await post(path, RIGHT, headers)).statusCode;
      };
      const foreign = ['https://evil.example', 'https://board.example.evil', 'http://10.0.0.7', 'null', ''];
      for (const origin of foreign) expect([origin, await sent(origin)]).toEqual([origin, 403]);
      expect(contracts['v1.all']).toBe(ALL);
      for (const origin of ['https://board.example', 'http://10.0.0.7:8081'])
        expect([origin, await sent(origin)]).toEqual([origin, 303]);
    },
  );

  test('deletes the cookie when signing out', async () => {
    const { statusCode, headers } = await post('/sign-out', {});
    expect([statusCode, headers.location]).toEqual([303, '/sign-in']);
    expect(headers['set-cookie']).toMatch(/^touchline_session=; .*Max-Age=0;/);
  });
});

describe('a contract', () => {
  test('for all competitions shows all pages', async () => {
    for (const url of ['/', MATCH, RECORD, '/halts', '/standings', '/standings?table=777'])
      expect([url, (await get(url, 'v1.all')).status]).toEqual([url, 200]);
  });

  test('for one competition shows it, and no ranking, which belongs to none', async () => {
    expect((await get('/', 'v1.world')).text).toContain('Brazil');
    expect((await get('/standings', 'v1.world')).text).not.toContain('Rankings');
    for (const url of [MATCH, RECORD]) expect((await get(url, 'v1.world')).status).toBe(200);
    for (const url of ['/standings?table=777', '/match/9'])
      expect((await get(url, 'v1.world')).status).toBe(404);
  });

  test('for another competition shows nothing of it', async () => {
    for (const url of ['/', '/halts'])
      expect((await get(url, 'v1.other')).text).not.toMatch(/Serbia|Brazil|World Cup/);
    expect((await get('/standings', 'v1.other')).text).not.toContain('World Cup');
    const tables = ['/standings?season=312', '/standings?table=39719', '/board/events?season=312'];
    for (const url of [MATCH, RECORD, ...tables])
      expect([url, (await get(url, 'v1.other')).status]).toEqual([url, 404]);
  });

  test('without the operations of a page does not open it', async () => {
    expect((await get('/standings', 'v1.tables')).status).toBe(200);
    for (const url of ['/', MATCH, '/halts', RECORD, '/board/events', '/board/events?event=1'])
      expect([url, (await get(url, 'v1.tables')).status]).toEqual([url, 403]);
  });
});

describe('a reader of /board/events', () => {
  /** Opens the stream. Returns the text received so far, and whether the stream ended. */
  async function follow(session: string, query = '') {
    const response = await fetch(`${await served.listen()}/board/events${query}`, {
      headers: { cookie: `touchline_session=${session}` },
    });
    const reading = { status: response.status, text: '', ended: false };
    void (async () => {
      for await (const part of response.body ?? []) reading.text += Buffer.from(part).toString();
      reading.ended = true;
    })().catch(() => {});
    return reading;
  }

  const ids = (text: string): number[] =>
    [...text.matchAll(/event: match\ndata: {"event_id":(\d+)/g)].map(([, id]) => Number(id));

  test('receives only matches of its contract, in the snapshot and as changes', async () => {
    served = await start();
    const all = await follow('v1.all');
    const other = await follow('v1.other');
    await expect.poll(() => ids(all.text).length).toBeGreaterThan(3);
    served.played.publish({ ...SERBIA_BRAZIL, id: 4_000_001 }, 1_790_000_500, { status_type: 'live' });
    const elsewhere = { ...SERBIA_BRAZIL, id: 4_000_002, event: { competition_id: 9 } };
    served.played.publish(elsewhere, 1_790_000_501, { status_type: 'live' });
    // A match is sent again when its feed health changes, so there may be duplicates.
    await expect.poll(() => ids(all.text)).toEqual(expect.arrayContaining([4_000_001, 4_000_002]));
    await expect.poll(() => new Set(ids(other.text))).toEqual(new Set([4_000_002]));
  });

  test('follows the tables with the operations of tables', async () => {
    const tables = await follow('v1.tables', '?season=312');
    await expect.poll(() => tables.text).toContain('event: snapshot');
  });

  test('is disconnected when its session is over', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    try {
      served = await start();
      const all = await follow('v1.all');
      const world = await follow('v1.world');
      await expect.poll(() => ids(all.text).length * ids(world.text).length).toBeGreaterThan(3);
      contracts['v1.all'] = null;
      vi.advanceTimersByTime(10_000);
      await expect.poll(() => all.ended).toBe(true);
      expect(world.ended).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('an order by hand', () => {
  const scope = `match:${SERBIA_BRAZIL.id}`;
  const ORDER = { scope, action: 'halt', reason: ' late stream ', minutes: '10' };
  const give = (fields: Record<string, string>, session: string, headers: Record<string, string> = {}) =>
    post('/halts', { ...ORDER, ...fields }, { cookie: `touchline_session=${session}`, ...headers });

  test('is published with who gave it, when, why and until when', async () => {
    const answer = await give({}, 'v1.world');
    expect([answer.statusCode, answer.headers.location]).toEqual([303, MATCH]);
    const [{ order: { at = 0 } = {}, ...halt } = {}] = ordered;
    expect(halt).toEqual({ scope, action: 'halt', until: at + 600_000 });
    expect(ordered[0]?.order).toMatchObject({ user: 'client 1 (v1.world)', reason: 'late stream' });
  });

  test.each([
    ['without a session', 403, {}, '', {}],
    ['of a client that may not', 403, {}, 'v1.tables', {}],
    ['about a match outside the contract', 403, {}, 'v1.other', {}],
    ['about everything where the contract covers some competitions', 403, { scope: 'all' }, 'v1.world', {}],
    ['from a page of another site', 403, {}, 'v1.all', { origin: 'https://evil.example' }],
    ['without a reason', 400, { reason: ' ' }, 'v1.all', {}],
    ['about what has no such scope', 400, { scope: 'season:3' }, 'v1.all', {}],
    ['to resume what is not halted', 409, { action: 'resume' }, 'v1.all', {}],
  ] as const)('is refused %s', async (_, status, fields, session, headers) => {
    expect((await give(fields, session, headers)).statusCode).toBe(status);
    expect(ordered).toEqual([]);
  });

  test('has its forms only on the pages of a session that may give it', async () => {
    for (const path of ['/halts', MATCH]) {
      expect((await get(path, 'v1.world')).text).toContain('Halt by hand</button>');
      await serve({ openOnLoopback: true });
      expect((await get(path, '', 'localhost')).text).not.toContain('action="/halts"');
    }
  });
});
