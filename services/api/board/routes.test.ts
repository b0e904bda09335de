import { beforeAll, describe, expect, test } from 'vitest';
import { HOSTILE_NAME } from '#views/testing/ranking.ts';
import { incident, SERBIA_BRAZIL } from './testing/scenes.ts';
import { ServedBoard } from './testing/served.ts';

let served: ServedBoard;
/** A board that no test changes. */
beforeAll(async () => {
  served = await ServedBoard.startPlayed();
});

const get = (url: string) => served.get(url);

/** Returns the event ids of the rows of a page, in order. */
function rows(page: string): number[] {
  return [...page.matchAll(/id="match-(\d+)"/g)].map(([, id]) => Number(id));
}

const PAGES = ['/', `/match/${SERBIA_BRAZIL.id}`, '/standings', '/standings?table=39720'];

describe('every page', () => {
  test.each(PAGES)('%s: has no inline script, style or handler; links only to this server', async (url) => {
    const { status, text, headers } = await get(url);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).not.toMatch(/<script(?! type="module" src="\/board\/assets\/)/);
    expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i);
    for (const [, address] of text.matchAll(/\s(?:src|href|action)="([^"]*)"/g))
      expect(address).toMatch(/^(\/(?!\/)|#)/);
  });

  test.each(PAGES)('%s: forbids the browser to load anything else', async (url) => {
    const { headers } = await get(url);
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' });
  });

  test('escapes markup in names', async () => {
    for (const url of PAGES) expect((await get(url)).text).not.toContain(HOSTILE_NAME);
    expect((await get('/')).text).toContain('&lt;script&gt;document.title');
    expect((await get('/standings?table=39720')).text).toContain('&lt;script&gt;document.title');
  });
});

describe('/', () => {
  test.each([
    ['/?show=live', [3100042, 3100041]],
    ['/?show=finished', [3100043, 3100044]],
    ['/?q=braz', [3100041]],
    ['/?competition=31&show=upcoming', [3100045, 3100046, 3100064]],
    ['/?competition=32', []],
    ['/?show=nothing&competition=x&by=y', [3100042, 3100041, 3100045, 3100046, 3100064, 3100043, 3100044]],
  ])('%s', async (url, ids) => expect(rows((await get(url)).text)).toEqual(ids));

  test('escapes markup in the search', async () => {
    expect((await get('/?q="><script>')).text).toContain('value="&quot;&gt;&lt;script&gt;"');
  });

  test('shows the matches that begin next, also where others changed later', async () => {
    const { played } = await ServedBoard.startPlayed();
    const inDays = (days: number) =>
      new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16).replace('T', ' ');
    const scheduled = { status_id: 1, status_type: 'scheduled' };
    for (const [n, days] of [3, 2, 1, -3].entries()) {
      const fixture = { id: 50 + n, home: [1, 'Ajax'], away: [2, 'PSV'] } as const;
      const event = { start_date: inDays(days) };
      played.publish({ ...fixture, event }, Math.floor(Date.now() / 1000) - 9_000, scheduled);
    }
    const small = await ServedBoard.start({ size: 3, view: played.views });
    const { text } = await small.get('/');
    expect(rows(text).filter((id) => id >= 50 && id < 54)).toEqual([52]);
  });

  test('shows no more matches than `size`, except live ones', async () => {
    const small = await ServedBoard.start({ size: 1, view: served.played.views });
    expect(rows((await small.get('/')).text)).toEqual([3100042, 3100041]);
  });
});

describe('/match/{id}', () => {
  test('shows the guard of an open match, and the result of a finished one', async () => {
    const live = (await get(`/match/${SERBIA_BRAZIL.id}`)).text;
    expect(live).toContain('Trading guard');
    expect(live).not.toContain('Final');
    for (const finished of [3100043, 3100044]) {
      const { text } = await get(`/match/${finished}`);
      expect(text).toContain('<p class="verdict">Final</p>');
      expect(text).not.toMatch(/Trading guard|Safe to trade/);
    }
    expect((await get('/match/3100044')).text).toContain('Do not settle yet: 2–0 (result), played 3–0.');
    expect((await get('/?show=finished')).text.split('<aside')[0]).not.toMatch(/<b>(Safe|Halted)</);
  });

  test('shows an abandoned match as not final, and not to be settled', async () => {
    const abandoned = { status_id: 7, status_type: 'finished', clock_status: 'stopped' };
    const now = Math.floor(Date.now() / 1000);
    const own = await ServedBoard.startPlayed();
    own.played.publish(SERBIA_BRAZIL, now, abandoned, incident(40, 442, '70:00'));
    const { text } = await own.get(`/match/${SERBIA_BRAZIL.id}`);
    expect(text).toContain('<p class="verdict">Abandoned</p>');
    expect(text).toContain('Do not settle yet: no result unless one is awarded; ');
    expect(text).not.toMatch(/Final|in regular time/);
  });

  test('is also served as a record', async () => {
    const { status, text } = await get(`/board/matches/${SERBIA_BRAZIL.id}`);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      match: { event_id: SERBIA_BRAZIL.id, score: { home: 0, away: 2 }, firm: { home: 0, away: 1 } },
      coverage: 'complete',
      timeline: expect.arrayContaining([expect.objectContaining({ id: '5-100007', player: 'Mitrović' })]),
    });
  });

  test.each(['/match/1', '/match/x', '/match/0', '/board/matches/1', '/board/matches/-1'])(
    'answers 404 for %s',
    async (url) => expect((await get(url)).status).toBe(404),
  );
});

describe('assets', () => {
  test('are cached by browsers for a year', async () => {
    const [, path = ''] = /<script type="module" src="([^"]+)"/.exec((await get('/')).text) ?? [];
    const { status, headers } = await get(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
  });

  test.each(['/board/assets/../routes.ts', '/board/assets/x/routes.js', '/board/assets/%2e%2e%2froutes.ts'])(
    'are not served at %s',
    async (url) => expect((await get(url)).status).toBe(404),
  );
});

test.each(['/board/events?event=x', '/board/events?season=0'])('refuses %s with 400', async (url) => {
  expect((await get(url)).status).toBe(400);
});
