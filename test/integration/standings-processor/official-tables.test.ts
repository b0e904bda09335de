/** Real seasons through the pipeline against their official tables, in SEASONS_DIR and TABLES_DIR: `npm run test:tables`. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  hasGroupStage,
  type OfficialRow,
  readGroupStage,
  readOfficialTable,
  readSeason,
  SEASONS_DIR,
  seasonsWithTable,
  TABLES_DIR,
} from '#domain/standings/testing/season-files.ts';
import { normalizeMessage } from '#ingestion/normalize.ts';
import type { NormalizedMessage } from '#topics/generated/types.ts';
import { readDataset } from '../../../data/dataset.ts';
import { parseFaults } from '../../../services/simulator/faults.ts';
import { simulateMatch } from '../../../services/simulator/match.ts';
import { backbone } from '../../setup/backbone.ts';
import { type MatchPlace, matchMessages } from '../../support/standings/provider-messages.ts';
import {
  rulesFolder,
  type TableGroup,
  TablesPipeline,
  tableOf,
} from '../../support/standings/tables-pipeline.ts';

const RULES = fileURLToPath(new URL('../../../data/rules/', import.meta.url));
const LEAGUE = 2;
const GROUPS = { competition: 1658, season: 29848, stage: 85270 };

/** A season of a league, and the ids that its messages have. */
type League = {
  readonly name: string;
  readonly place: MatchPlace;
  readonly teams: ReadonlyMap<string, number>;
};

const TELLING = { seed: 'ranks', faults: parseFaults('some'), keepAliveEvery: 0, clockEvery: 0 };

const WORLD_CUP = worldCup();
const place = backbone();
const leagues = seasonsWithTable().map(leagueOf);

if (leagues.length === 0) {
  test.skip(`there are no official tables in ${TABLES_DIR} with seasons in ${SEASONS_DIR}`, () => {});
}

const files = leagues.length === 0 ? '' : `${leagues.length} seasons, `;
const fixture = hasGroupStage() ? 'the group stage of 2017-18, ' : '';
test(`${files}${fixture}the groups of the World Cup 2018 give the official tables`, async () => {
  const run = await TablesPipeline.create(place);
  const stage = hasGroupStage() ? groupStage() : null;
  const rules = rulesFolder(
    Object.fromEntries(leagues.map((league) => [`${league.name}.test.json`, rulesOf(league)])),
  );
  const processors = [run.pipeline.startProcessor(), run.startTables({ RULES_DIR: rules })];
  await run.feed([...leagues.flatMap(messagesOf), ...(stage?.messages ?? []), ...worldCupMessages()]);
  const output = await run.output();
  await Promise.all(processors.map((processor) => processor.stop()));

  for (const { name, place: where } of leagues) {
    const [group] = tableOf(output, LEAGUE, 'stage', Number(where.stage)).groups;
    expect.soft(officialRows(group), name).toEqual(readOfficialTable(name));
  }
  for (const { id, name, ranks } of WORLD_CUP.groups) {
    const group = tableOf(output, LEAGUE, 'stage', WORLD_CUP.stage).groups.find(
      (one) => one.id === String(id),
    );
    const ranked = group?.participants.map((row) => [row.rank, row.id]);
    expect.soft(ranked, name).toEqual(ranks.map((team, at) => [at + 1, team]));
  }
  if (stage === null) return;
  const table = tableOf(output, LEAGUE, 'stage', GROUPS.stage);
  expect(table.groups.map(({ id }) => id)).toEqual(stage.groups.map((_, at) => String(at + 1)));
  expect(
    table.groups.map(({ zones, corrections, participants }) => ({
      zones,
      corrections,
      participants: participants.map(({ id, name, rank, zone_name, columns }) => ({
        id,
        name,
        rank,
        zone_name,
        columns,
      })),
    })),
  ).toEqual(
    stage.groups.map(({ zones, corrections, participants }) => ({ zones, corrections, participants })),
  );
});

function leagueOf(name: string, at: number): League {
  const names = readSeason(name).flatMap(({ home, away }) => [home, away]);
  const first = (at + 1) * 1_000;
  return {
    name,
    place: { competition: 900_000 + at, season: 910_000 + at, stage: 920_000 + at, group: null },
    // In order of names, which decides between teams equal on everything.
    teams: new Map([...new Set(names)].sort().map((team, place) => [team, first + place])),
  };
}

/** The rules of a season's file, else of its country, for the ids of the test, with the corrections of the table. */
function rulesOf({ name, place: where, teams }: League): object {
  const file = [name, name.slice(0, 2), 'default'].map((one) => `${RULES}${one}.json`).find(existsSync);
  if (file === undefined) throw new Error(`there are no rules for ${name}`);
  const corrections = readOfficialTable(name)
    .filter(({ points_adjustment }) => points_adjustment !== 0)
    .map(({ team, points_adjustment }) => ({
      participant_id: teams.get(team),
      value: points_adjustment,
      reason: 'Regulations',
    }));
  return {
    ...JSON.parse(readFileSync(file, 'utf8')),
    applies_to: [{ competition_id: where.competition, season_id: where.season }],
    corrections,
  };
}

function messagesOf({ name, place: where, teams }: League): NormalizedMessage[] {
  const side = (team: string) => ({ id: teams.get(team) ?? 0, name: team });
  return readSeason(name).flatMap((match, at) =>
    matchMessages(match, {
      event: Number(where.season) * 1_000 + at,
      place: where,
      round: Number(/\d+/.exec(match.round)?.[0] ?? at),
      home: side(match.home),
      away: side(match.away),
    }),
  );
}

function groupStage() {
  const { groups, matches } = readGroupStage();
  const ids = new Map(groups.flatMap(({ participants }) => participants.map(({ id, name }) => [name, id])));
  const side = (team: string) => ({ id: ids.get(team) ?? 0, name: team });
  const messages = groups.flatMap(({ name }, group) =>
    matches
      .filter(({ round }) => round === name)
      .flatMap((match, at) =>
        matchMessages(match, {
          event: 29_848_000 + group * 100 + at,
          place: { ...GROUPS, group: group + 1 },
          round: Math.floor(at / 2) + 1,
          home: side(match.home),
          away: side(match.away),
        }),
      ),
  );
  return { groups, messages };
}

function worldCup() {
  const { competition, matches } = readDataset('world-cup-2018');
  const { id: stage, groups } = competition.stages.find(({ knockout }) => !knockout) ?? { id: 0, groups: [] };
  return { competition, stage, groups, matches: matches.filter((match) => match.stage === stage) };
}

/** Reported with goals and cards that did not happen, which are then removed. */
function worldCupMessages(): NormalizedMessage[] {
  return WORLD_CUP.matches.flatMap((facts) =>
    simulateMatch(facts, WORLD_CUP.competition, Date.parse(facts.date) / 1_000, TELLING).messages.flatMap(
      (message) => {
        const from = { origin: 'feed', deliveryId: 'd', receivedAt: message.ut * 1_000 } as const;
        const result = normalizeMessage(message, from);
        return result.kind === 'normalized' ? result.message : [];
      },
    ),
  );
}

function officialRows(group: TableGroup | undefined): OfficialRow[] {
  return (group?.participants ?? []).map(({ id, name, rank, columns }) => {
    const value = (code: string) => Number(columns.find((column) => column.code === code)?.value);
    const correction = group?.corrections.find(({ participant_id }) => participant_id === id);
    return {
      rank,
      team: name,
      mp: value('mp'),
      w: value('won'),
      d: value('draw'),
      l: value('lost'),
      gf: value('goals_scored'),
      ga: value('goals_allowed'),
      pts: value('pts'),
      points_adjustment: Number(correction?.value ?? 0),
    };
  });
}
