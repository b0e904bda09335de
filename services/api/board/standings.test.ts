import { beforeEach, describe, expect, test } from 'vitest';
import { FIRST_STANDINGS_ID } from '#domain/standings/table-id.ts';
import { ranking } from '#views/testing/ranking.ts';
import { shownTable, tableRecord } from '#views/testing/records.ts';
import { LEVEL_IDS } from './testing/playing.ts';
import { firstHalf, playKnockOut, SEMI_FINALS, SERBIA_BRAZIL } from './testing/scenes.ts';
import { ServedBoard } from './testing/served.ts';

let served: ServedBoard;
beforeEach(async () => {
  served = await ServedBoard.startPlayed();
});

const FINISHED = { status_id: 11, status_type: 'finished' } as const;
const SEASON = LEVEL_IDS.season_id;
const get = (url: string) => served.get(url);
/** Returns what the first group of a pattern finds in a page, each time. */
const all = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, found]) => found);

describe('/standings', () => {
  test('opens the season in play, else that of the match that changed last', async () => {
    const now = Math.floor(Date.now() / 1000);
    const { played } = served;
    const other = { competition_id: 32, season_id: 3000, stage_id: 3001, group_id: null };
    const fixture = { id: 7001, home: [1, 'Ajax'], away: [2, 'PSV'], event: other } as const;
    played.name('season', other.season_id, other.competition_id, 'Eredivisie 2018');
    const opened = async () => /data-stream="season=(\d+)/.exec((await get('/standings')).text)?.[1];
    expect(await opened()).toBe(String(LEVEL_IDS.season_id));
    const stage = { has_brackets: 'yes', show_standings: 'no', sort: 1 };
    played.name('stage', other.stage_id, other.season_id, 'Play-offs', stage);
    for (const [n, id] of [7001, 7002, 7003].entries())
      played.publish({ ...fixture, id }, now - 60 + n, { ...firstHalf(20), reported: [0, 0] });
    expect(await opened()).toBe(String(other.season_id));
    expect((await get('/standings?table=39719')).text).toContain('<caption id="caption-39719-0">Group E');
    for (const id of [7001, 7002, 7003]) played.publish({ ...fixture, id }, now, FINISHED);
    for (const id of [SERBIA_BRAZIL.id, 3100042]) played.publish({ ...SERBIA_BRAZIL, id }, now, FINISHED);
    played.publish(fixture, now + 1, { ...FINISHED, reported: [1, 0] });
    expect(await opened()).toBe(String(other.season_id));
  });

  test('shows the league table, with zones, corrections and movement', async () => {
    const { text } = await get('/standings');
    expect(text).toContain('<caption id="caption-39719-0">Group E</caption>');
    expect(text).toContain('<span class="visually-hidden">up </span>1');
    expect(text).toContain('Costa Rica: -2 points (Financial issues)');
    expect(text).toContain('fill="#002400"');
    expect(text).not.toContain('elsewhere');
    expect(text).not.toContain('data-playing="yes"');
  });

  test('shows the corrections of the provider’s table, and where it differs', async () => {
    expect((await get('/standings')).text).not.toContain('provider’s');
    const group = (value: number) => ({
      id: '31211',
      name: '',
      participants: [
        {
          id: 50_000,
          name: 'Brazil',
          rank: 1,
          columns: [{ id: 8, code: 'pts', short_name: 'Pts', value }],
        },
      ],
    });
    const of = { object_type: 'stage', object_id: LEVEL_IDS.stage_id };
    const correction = {
      participant_id: 50_000,
      participant_name: 'Brazil',
      value: '-6',
      reason: 'Regulations',
    };
    const theirs = { ...of, groups: [{ ...group(1), corrections: [correction, -1] }] };
    served.played.give(tableRecord(39719, { ...of, season_id: SEASON, version: 2 }, [group(7)]));
    served.played.name('provider_league', 40_001, SEASON, '', theirs);
    const { text } = await get('/standings');
    const [provider = ''] = text.match(/<div class="provider">.*(?=<\/div>)/s) ?? [];
    expect(provider).toContain('Corrections in the provider’s table');
    expect(all(provider, /<li>(.*?)<\/li>/g)).toEqual([
      'Brazil: -6 points (Regulations)',
      '-1 points',
      'Brazil: 1 points there, 7 here',
    ]);
    expect((await get('/standings?season=312&table=39720')).text).not.toContain('provider’s');
  });

  test('names a group by the catalogue when the table does not, and shows the tables of each stage', async () => {
    const table = { groups: [{ id: LEVEL_IDS.group_id, name: '', participants: [] }] };
    served.played.name('stage', LEVEL_IDS.stage_id + 1, SEASON, 'Final');
    served.played.table(39719, 2, 'League standings', table, 2);
    served.played.table(1, 2, 'League standings', { groups: [{ name: '' }] }, 1, LEVEL_IDS.stage_id + 1);
    const { text } = await get('/standings');
    expect(text).toContain('>Group E</caption>');
    expect(all(text, /<h2>(.*?)<\/h2>/g)).toEqual(['Group stage']);
    expect(text).toContain('>Final</caption>');
  });

  test('heads each table by its stage, also one without a name, and by the name that rules give it', async () => {
    const table = { groups: [{ id: '', name: '' }] };
    const own = FIRST_STANDINGS_ID + 7;
    served.played.table(39719, 2, 'League standings', table, 2);
    served.played.table(1, 2, 'League standings', table, 1, 99);
    const of = { object_type: 'season', object_id: SEASON, season_id: SEASON, type_name: 'League standings' };
    served.played.give(shownTable(own, table, { ...of, name: 'General table' }));
    const { text } = await get('/standings');
    const captions = all(text, /<caption[^>]*>(.*?)<\/caption>/g);
    expect(captions).toEqual(['Stage 99', 'Group stage', 'General table']);
  });

  test('shows a bracket and no league table for knock-out stages', async () => {
    expect((await get('/standings')).text).not.toContain('Knock-out');
    playKnockOut(served.played, Date.now() / 1000);
    const { text } = await get('/standings');
    expect(text).toContain('href="/standings?season=312&amp;show=knock-out">Knock-out</a>');
    expect(text).not.toContain('Semi-finals');
    expect((await get('/standings?season=312&table=39730')).status).toBe(404);
    const bracket = (await get('/standings?season=312&show=knock-out')).text;
    expect(all(bracket, /<h2 id="round-\d+">(.*?)<\/h2>/g)).toEqual(['Semi-finals', 'Final', 'Third place']);
    expect(bracket).toContain('Croatia<span class="visually-hidden"> (won)</span>');
    expect(all(bracket, /data-joined="(\w+)"/g)).toEqual(['yes', 'no', 'no']);
    expect(bracket).toContain('<a class="whole" href="/match/3100073" data-phase="live">');
    expect(bracket).not.toContain('<table');
    expect(bracket).toContain('data-refresh="2"');
    expect(bracket).toContain('aria-current="true">Knock-out</a>');
  });

  test('shows the bracket of a season that has only knock-out stages', async () => {
    const cup = await ServedBoard.start();
    playKnockOut(cup.played, Date.now() / 1000);
    const { text } = await cup.get('/standings');
    expect(text).toContain(`id="round-${SEMI_FINALS}"`);
    expect(text).not.toContain('<table');
  });

  test.each([
    '/standings?season=1',
    '/standings?season=312&table=1',
    '/standings?season=312&show=knock-out',
    '/standings?table=777&show=knock-out',
  ])('answers 404 for a season, table or knock-out stage that does not exist: %s', async (url) => {
    served.played.ranking(ranking(777, 'teams'));
    expect((await get(url)).status).toBe(404);
  });

  test('marks the playing teams in the live table', async () => {
    const { text } = await get('/standings?season=312&table=39720');
    expect(text).toContain('data-playing="yes"');
    expect(text).toContain(`<a class="playing" href="/match/${SERBIA_BRAZIL.id}">`);
  });

  test('shows rankings when there is no season', async () => {
    const alone = await ServedBoard.start();
    alone.played.ranking(ranking(778, 'clubs'));
    const { text } = await alone.get('/standings');
    expect(text).toContain('Real Madrid');
    expect(text).not.toContain('aria-label="Seasons"');
  });

  test('says when there is no table', async () => {
    const empty = await ServedBoard.start();
    const { status, text } = await empty.get('/standings');
    expect([status, text.includes('There is no table yet.')]).toEqual([200, true]);
  });

  test('lists both legs of a tie, and links the whole tie to its current leg', async () => {
    const now = Math.floor(Date.now() / 1000);
    playKnockOut(served.played, now);
    const event = { start_date: '2018-07-16 18:00', stage_id: SEMI_FINALS, group_id: null };
    const fixture = { id: 3_100_080, home: [43_003, 'Belgium'], away: [43_002, 'France'], event } as const;
    served.played.publish(fixture, now, { status_id: 1, status_type: 'scheduled' });
    const { text: body } = await get('/standings?season=312&show=knock-out');
    const [tie = ''] = body.match(/<li class="slot" id="tie-43002-43003">.*?<\/li>/s) ?? [];
    const links = tie.matchAll(/<a( class="whole")? href="\/match\/(\d+)"/g);
    expect(Array.from(links, ([, whole, id]) => [id, whole !== undefined])).toEqual([
      ['3100071', false],
      ['3100080', true],
    ]);
    expect(tie).toMatch(/Leg 1: 1–0[\s\S]*Leg 2: /);
  });

  test('marks the winner of a tie by both legs, and none while a match of its series is missing', async () => {
    const { played } = served;
    played.name('stage', 900, 312, 'Semi-finals', { has_brackets: 'yes', show_standings: 'no' });
    const legs = [
      [1, 10, 11, [3, 0], { winner_id: 10 }],
      [2, 11, 10, [1, 0], { winner_id: 11 }],
      [3, 20, 21, [1, 0], { winner_id: 20, series: { order: 1, event_ids: [3, 4] } }],
    ] as const;
    for (const [id, home, away, reported, more] of legs) {
      const event = { start_date: `2018-07-0${id} 20:00`, stage_id: 900, group_id: null, ...more };
      const fixture = { id, home: [home, `Team ${home}`], away: [away, `Team ${away}`], event } as const;
      played.publish(fixture, 1_790_000_000, { ...FINISHED, reported });
    }
    const { text: body } = await get('/standings?season=312&show=knock-out');
    const won = /<span class="team">([^<]*)<span class="visually-hidden"> \(won\)/g;
    expect(all(body, won)).toEqual(['Team 10']);
  });
});
