import { expect, test } from 'vitest';
import type { NormalizedMessage } from '#topics/generated/types.ts';
import { backbone } from '../../setup/backbone.ts';
import { fixtures, type MadeUpMatch, reportOf } from '../../support/standings/made-up-season.ts';
import {
  AWARDED,
  eventOf,
  FINISHED,
  FIRST_HALF,
  incidentOf,
  type MatchPlace,
  SCHEDULED,
} from '../../support/standings/provider-messages.ts';
import {
  linesOf,
  rulesFolder,
  type TablesOutput,
  TablesPipeline,
  tableOf,
} from '../../support/standings/tables-pipeline.ts';

const LEAGUE = 2;
const LIVE = 244;
const COMPETITION = 5;
const CORRECTED = 60;

const place = backbone();

/** A match of a season of four teams: two play in the first match of a round, two in the second. */
function matchOf(season: number, index: number, where: Partial<MatchPlace> = {}): MadeUpMatch {
  const all = fixtures(
    { competition: COMPETITION, season, stage: season * 10, group: 1, ...where },
    4,
    season * 1_000,
  );
  return all[index] as MadeUpMatch;
}

const finished = (match: MadeUpMatch, home: number, away: number, minutes = 105, fields = {}) =>
  eventOf({ ...reportOf(match, minutes, FINISHED, { 2: [home, away] }), fields });

const incident = (match: MadeUpMatch, minutes: number, id: number, type: number, more = {}) =>
  incidentOf(reportOf(match, minutes, minutes > 105 ? FINISHED : FIRST_HALF), {
    id: `5-${match.event}-${id}`,
    incident_id: type,
    participant_id: match.home.id,
    subparticipant_id: 77,
    subparticipant_name: 'Seventy-seven',
    event_status_id: 33,
    event_time: '10:00',
    ...more,
  });

/** Feeds steps, each once all earlier ones are in the tables, and returns the tables after each. */
async function after(run: TablesPipeline, ...steps: NormalizedMessage[][]): Promise<TablesOutput[]> {
  const outputs: TablesOutput[] = [];
  for (const step of steps) {
    await run.feed(step);
    outputs.push(await run.output());
  }
  return outputs;
}

const league = (output: TablesOutput | undefined, season: number, stage = season * 10) =>
  output === undefined
    ? []
    : linesOf(tableOf(output, LEAGUE, 'stage', stage), 'mp', 'goals_scored', 'goals_allowed', 'pts');

const groupsOf = (output: TablesOutput | undefined, stage: number) =>
  output === undefined
    ? []
    : tableOf(output, LEAGUE, 'stage', stage).groups.map(({ id, participants }) => [id, participants.length]);

const statusOf = ({ entries }: TablesOutput, season: number) => {
  const last = new Map(
    entries
      .filter(({ season_id }) => season_id === season)
      .map((entry) => [entry.standings_id, entry.item_status]),
  );
  return [...new Set(last.values())];
};

test('the tables after a change equal those of a season with only its final results', async () => {
  const rules = rulesFolder({
    'corrected.json': {
      format: 1,
      name: 'a correction in the second round',
      applies_to: [{ competition_id: COMPETITION, season_id: CORRECTED }],
      points: { won: 3, draw: 1, lost: 0 },
      tie_break: ['points', 'goals_diff'],
      corrections: [{ participant_id: 4, value: -4, reason: 'Financial issues', from: '2026-08-08' }],
    },
  });
  const run = await TablesPipeline.create(place);
  const processors = [run.pipeline.startProcessor(), run.startTables({ RULES_DIR: rules })];
  // Each of these seasons has one change; the steps are fed together, to wait three times only.
  const moved = matchOf(50, 0);
  const elsewhere = { ...moved, place: { ...moved.place, group: 2 } };
  const gone = matchOf(51, 0);
  const stays = matchOf(52, 1);
  const deleted = matchOf(52, 0);
  const scored = matchOf(53, 0);
  const awarded = matchOf(54, 0);
  const back = matchOf(55, 0);
  const newSeason = matchOf(56, 0);
  const rounds = [matchOf(CORRECTED, 0), matchOf(CORRECTED, 2), matchOf(CORRECTED, 4)] as const;
  const toCome = (match: MadeUpMatch) => eventOf(reportOf(match, -10_000, SCHEDULED));

  const [first, second, third] = await after(
    run,
    [
      ...[moved, gone, stays, deleted, awarded, back, newSeason].map((match) => finished(match, 2, 0)),
      incident(scored, 0, 1, 429),
      incident(scored, 10, 2, 413),
      finished(scored, 1, 0),
      ...[rounds[1], rounds[2]].map(toCome),
      finished(rounds[0], 1, 0),
    ],
    [
      finished(elsewhere, 2, 0, 200),
      finished(gone, 2, 0, 200, { item_status: 'deleted' }),
      finished(deleted, 2, 0, 200, { action: 'delete' }),
      // After the final whistle.
      incident(scored, 200, 2, 413, { confirmation: 'cancelled' }),
      eventOf(reportOf(awarded, 200, AWARDED, { 2: [0, 3] })),
      eventOf(reportOf(back, 200, FIRST_HALF, { 2: [2, 0] })),
      finished({ ...newSeason, place: { ...newSeason.place, season: 57 } }, 2, 0, 200),
      finished(rounds[1], 1, 0),
    ],
    [finished(gone, 2, 0, 300, { item_status: 'active' }), finished(rounds[2], 0, 0)],
  );
  await Promise.all(processors.map((processor) => processor.stop()));
  if (first === undefined || second === undefined || third === undefined) throw new Error('no tables');
  const { home, away } = moved;
  const won = (match: MadeUpMatch, goals = 2) => [
    `1 ${match.home.name} 1 ${goals} 0 3`,
    `2 ${match.away.name} 1 0 ${goals} 0`,
  ];
  const drawn = [home, away].map(({ name }) => name).sort();

  // Moved to another group of its stage.
  expect(groupsOf(first, 500)).toEqual([['1', 2]]);
  expect(groupsOf(second, 500)).toEqual([['2', 2]]);
  expect(league(second, 50)).toEqual(won(moved));
  // The only match of a season removed, and there again.
  expect(league(first, 51)).toEqual(won(gone));
  expect(statusOf(second, 51)).toEqual(['deleted']);
  expect(statusOf(third, 51)).toEqual(['active']);
  expect(league(third, 51)).toEqual(won(gone));
  // One of several deleted.
  expect(league(first, 52)).toHaveLength(4);
  expect(league(second, 52)).toEqual(won(stays));
  // A goal cancelled after the final whistle.
  expect(league(first, 53)).toEqual(won(scored, 1));
  expect(league(second, 53)).toEqual(drawn.map((name) => `1 ${name} 1 0 0 1`));
  const scorers = ({ last }: TablesOutput) =>
    [...last.values()].find(({ type_id, season_id }) => type_id === 6 && season_id === 53)?.body;
  expect(scorers(first)).toContain('Seventy-seven');
  expect(scorers(second)).not.toContain('Seventy-seven');
  // Awarded to the other side.
  expect(league(second, 54)).toEqual([`1 ${away.name} 1 3 0 3`, `2 ${home.name} 1 0 3 0`]);
  // Back from finished: it counts in the live table alone.
  expect(league(second, 55)).toEqual(drawn.map((name) => `1 ${name} 0 0 0 0`));
  expect(
    linesOf(
      tableOf(second, LIVE, 'stage', 550),
      'pts',
      'is_playing',
      'home_result',
      'away_result',
      'event_id',
    ),
  ).toEqual([`1 ${home.name} 3 yes 2 0 ${back.event}`, `2 ${away.name} 0 yes 2 0 ${back.event}`]);
  // Moved to another season, but not to another stage.
  expect(statusOf(second, 56)).toEqual(['deleted']);
  expect(statusOf(second, 57)).toEqual(['active']);
  // A correction that is in force from the second round on.
  const corrections = (output: TablesOutput) =>
    tableOf(output, LEAGUE, 'stage', CORRECTED * 10).groups.map((group) => group.corrections);
  const points = (output: TablesOutput) =>
    linesOf(tableOf(output, LEAGUE, 'stage', CORRECTED * 10), 'pts').find((line) => line.includes('Team 04'));
  expect(corrections(first)).toEqual([[]]);
  expect(corrections(second)).toMatchObject([[{ participant_id: 4, value: '-4' }]]);
  const played = [rounds[0], rounds[1]].map(({ home: team }) => (team.id === 4 ? 3 : 0));
  expect(points(first)?.endsWith(` ${played[0]}`)).toBe(true);
  expect(points(second)?.endsWith(` ${(played[0] ?? 0) + (played[1] ?? 0) - 4}`)).toBe(true);
  expect(corrections(third)).toMatchObject([[{ participant_id: 4, value: '-4' }]]);
});

test('the live table follows every goal; the league table follows the final whistle, and both are equal then', async () => {
  const run = await TablesPipeline.create({ ...place, prefix: `${place.prefix}live.` });
  const processors = [run.pipeline.startProcessor(), run.startTables()];
  const over = matchOf(70, 1);
  const playing = matchOf(70, 0);
  const steps = await after(
    run,
    [finished(over, 1, 1), incident(playing, 0, 1, 429)],
    [incident(playing, 10, 2, 413)],
    [incident(playing, 20, 3, 413, { participant_id: playing.away.id })],
    [incident(playing, 30, 3, 413, { participant_id: playing.away.id, confirmation: 'cancelled' })],
    [finished(playing, 1, 0)],
  );
  await Promise.all(processors.map((processor) => processor.stop()));
  const shown = steps.map((output) => {
    const live = tableOf(output, LIVE, 'stage', 700);
    const table = tableOf(output, LEAGUE, 'stage', 700);
    const columns = ['mp', 'pts', 'goals_diff', 'form'];
    const idle = (line: string) => !line.includes(playing.home.name) && !line.includes(playing.away.name);
    const teamsOf = (lines: string[]) => lines.filter(idle).map((line) => line.slice(line.indexOf('Team')));
    // Of teams that do not play, both are equal at any time.
    expect(teamsOf(linesOf(live, ...columns)).sort()).toEqual(teamsOf(linesOf(table, ...columns)).sort());
    return {
      live: linesOf(live, 'pts', 'is_playing')
        .filter((line) => line.includes(playing.home.name))[0]
        ?.slice(-5),
      version: [...output.last.values()].find(({ type_id }) => type_id === LEAGUE)?.version,
    };
  });
  expect(shown).toEqual([
    { live: '1 yes', version: 1 },
    { live: '3 yes', version: 1 },
    { live: '1 yes', version: 1 },
    { live: '3 yes', version: 1 },
    { live: ' 3 no', version: 2 },
  ]);
  const [end] = steps.slice(-1);
  if (end === undefined) throw new Error('no tables');
  const both = [LIVE, LEAGUE].map((type) =>
    linesOf(tableOf(end, type, 'stage', 700), 'mp', 'won', 'goals_diff', 'pts', 'form'),
  );
  expect(both[0]).toEqual(both[1]);
});
