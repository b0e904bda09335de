/** Views of two competitions for tests of the endpoint, each with a finished and a live match, a table and top scorers. */
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import type { ViewRecord } from '#views/records.ts';
import type { ServedCompetitions } from '#views/store/served.ts';
import { catalogueRecord, shownTable } from '#views/testing/records.ts';
import { ViewsWorld } from '#views/testing/world.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns the ids of a competition; its names have a mark (`markOf`), so that a leak is visible. */
const leagueOf = (competition: number, match: number, table: number, team: number) => ({
  competition,
  season: competition + 10,
  stage: competition + 20,
  match,
  earlier: match + 1,
  table,
  scorers: table + 1,
  teams: [team, team + 1] as const,
});

export const OPEN = leagueOf(601, 7_000_001, 71, 101);
export const CLOSED = leagueOf(602, 8_000_001, 81, 201);

export type League = typeof OPEN;

/** Returns the mark that every name of a league contains. */
export const markOf = (league: League): string => (league.competition === 601 ? 'Göteborg' : 'Zürich');

/** Creates a world with both. `served`: ids of the served competitions; null is all. */
export function leagues(served: ServedCompetitions = null): ViewsWorld {
  const world = new ViewsWorld(served);
  world.views.caughtUp();
  for (const league of [OPEN, CLOSED]) {
    world.give(...catalogue(league), ...tables(league));
    world.play(
      eventMessage({ id: `${league.earlier}` }, event(league, league.earlier, FINISHED, [2, 1])),
      goalMessage(league, { id: `${league.match}` }),
    );
  }
  return world;
}

const FINISHED: Fields = {
  status_id: 11,
  status_type: 'finished',
  start_date: '2026-08-01 15:00',
  clock_status: 'stopped',
};

/** Creates the event of a match of a league, as in a message. */
export function event(
  league: League,
  id: number,
  changes: Fields = {},
  goals?: readonly [number, number],
): Fields {
  const mark = markOf(league);
  const [home, away] = league.teams;
  const side = (team: number, counter: number) => ({
    id: team,
    counter,
    name: `${mark} ${team}`,
    short_name: `${mark} ${team}`,
    acronym: 'T',
    results: goals === undefined ? [] : [{ id: 2, value: goals[counter - 1] }],
    stats: [],
  });
  return {
    id,
    name: `${mark} match`,
    competition_id: league.competition,
    season_id: league.season,
    stage_id: league.stage,
    group_id: null,
    round_id: 1,
    round_name: `${mark} round`,
    participants: [side(home, 1), side(away, 2)],
    ...changes,
  };
}

/** Creates a goal of the home side. */
export function incident(league: League, changes: Fields = {}): Fields {
  const mark = markOf(league);
  return {
    participant_id: league.teams[0],
    participant_name: `${mark} home`,
    confirmation: 'confirmed',
    subparticipant_id: 9_000,
    subparticipant_name: `${mark} player`,
    ...changes,
  };
}

/** Creates the message of a goal in the live match of a league. */
export function goalMessage(league: League, head: Fields, changes: Fields = {}) {
  return incidentMessage(head, incident(league, changes), event(league, league.match));
}

function catalogue(league: League): ViewRecord[] {
  const mark = markOf(league);
  const named = (kind: string, id: number, parent: number | null, body: Fields): ViewRecord =>
    catalogueRecord(kind, id, parent, { id, name: `${mark} ${kind}`, ...body });
  return [
    named('competition', league.competition, null, { sport_id: 5, area_name: `${mark} area` }),
    named('season', league.season, league.competition, { actual: 'yes' }),
    named('stage', league.stage, league.season, {}),
  ];
}

/** Creates a newer version of the table of a league, with this body. */
export function changedTable(league: League, body: object): ViewRecord {
  return shownTable(league.table, body, { ...idsOf(league, 2), version: 2, ut: 1_700_000_001 });
}

/** Returns the fields of a table that catalogue and topic of tables share. */
function idsOf({ competition, season }: League, type_id: number) {
  return { type_id, object_id: season, competition_id: competition, season_id: season };
}

function tables(league: League): ViewRecord[] {
  const rows: readonly (readonly [number, number])[] = [
    [101, 3],
    [102, 0],
  ];
  return [
    table(league, league.table, 2, 'League standings', rows),
    table(league, league.scorers, 6, 'Top scorers', [[9_000, 5]]),
  ];
}

function table(
  league: League,
  id: number,
  typeId: number,
  type: string,
  rows: readonly (readonly [number, number])[],
): ViewRecord {
  const mark = markOf(league);
  const ids = idsOf(league, typeId);
  const names = { name: `${mark} ${type}`, type_name: type, object_name: `${mark} season` };
  const body = {
    id,
    name: `${mark} ${type}`,
    type_id: typeId,
    type_name: type,
    season_id: league.season,
    columns: [],
    object_type: 'season',
    object_id: league.season,
    groups: [
      {
        id: '',
        name: '',
        zones: [],
        corrections: [],
        participants: rows.map(([row, points], n) => ({
          id: row,
          name: `${mark} ${row}`,
          rank: n + 1,
          last_rank: n + 1,
          subparticipant_id: league.teams[0],
          subparticipant_name: `${mark} club`,
          columns: [
            { id: 1, code: typeId === 6 ? 'goals_scored' : 'pts', short_name: 'P', value: points },
            { id: 2, code: 'mp', short_name: 'MP', value: '1' },
          ],
        })),
      },
    ],
  };
  return shownTable(id, body, { ...ids, ...names });
}
