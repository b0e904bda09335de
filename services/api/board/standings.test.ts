import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { leagueTable, topScorers } from './testing/provider-tables.ts';
import { playKnockOut, SEMI_FINALS } from './testing/scenes.ts';
import { ServedBoard } from './testing/served.ts';

let served: ServedBoard;
beforeEach(async () => {
  served = await ServedBoard.start();
  served.played.table(39719, 2, 'League standings', leagueTable());
});
afterEach(() => served.close());

async function get(url: string): Promise<string> {
  const { body } = await served.app.inject({ url });
  return body;
}

describe('/standings', () => {
  test('lists both legs of a tie, and links the whole tie to its current leg', async () => {
    const now = Math.floor(Date.now() / 1000);
    playKnockOut(served.played, now);
    const event = { start_date: '2018-07-16 18:00', stage_id: SEMI_FINALS, group_id: null };
    const fixture = { id: 3_100_080, home: [43_003, 'Belgium'], away: [43_002, 'France'], event } as const;
    served.played.publish(fixture, now, { status_id: 1, status_type: 'scheduled' });
    const body = await get('/standings?season=312&show=knock-out');
    const [tie = ''] = body.match(/<li class="slot" data-key="tie-43002-43003">.*?<\/li>/s) ?? [];
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
      played.publish(fixture, 1_790_000_000, { status_id: 11, status_type: 'finished', reported });
    }
    const body = await get('/standings?season=312&show=knock-out');
    const won = [...body.matchAll(/<span class="team">([^<]*)<span class="visually-hidden"> \(won\)/g)];
    expect(won.map(([, team]) => team)).toEqual(['Team 10']);
  });

  test('offers the knock-out stages in the select of tables', async () => {
    playKnockOut(served.played, Date.now() / 1000);
    const body = await get('/standings?season=312&table=knock-out&q=');
    expect(body).toContain('<option value="knock-out" selected>Knock-out</option>');
    expect(body).toContain(`id="round-${SEMI_FINALS}"`);
  });

  test('shows players with their teams, and searches both names', async () => {
    served.played.table(39800, 18, 'Top scorers', topScorers());
    const page = (q: string) => get(`/standings?season=312&table=39800&q=${encodeURIComponent(q)}`);
    const rows = async (q: string): Promise<string[]> =>
      [...(await page(q)).matchAll(/<th scope="row" class="name">(.*?)<\/th>/g)].map(([, name = '']) => name);
    expect(await page('')).toContain('<th scope="col" class="name">Team</th>');
    expect(await rows('')).toEqual(['Philippe Coutinho', 'Neymar', 'Aleksandar Mitrović']);
    expect(await rows('mitrovic')).toEqual(['Aleksandar Mitrović']);
    expect(await rows('brazil ney')).toEqual(['Neymar']);
    expect(await rows('nobody')).toEqual([]);
    expect(await page('nobody')).toContain('No player found');
    expect(await get('/standings?season=312&q=nobody')).toContain('Costa Rica');
  });
});
