/** Real seasons against their official tables (../shared/data), where they are present. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deriveTables } from './tables.ts';
import { cell, rulesFile } from './testing/results.ts';
import type { MatchResult } from './types.ts';

const data = new URL('../../../../shared/data/', import.meta.url);
const provider = new URL('../../../../shared/provider/Standings__standings_39719.json', import.meta.url);

const pair = z.tuple([z.int(), z.int()]);
const seasonFile = z.object({
  matches: z.array(
    z.object({ round: z.string(), date: z.string(), time: z.string() }).and(
      z.union([
        z.object({ home: z.string(), away: z.string(), ft: pair, ht: pair }),
        z
          .object({
            team1: z.string(),
            team2: z.string(),
            score: z.object({ ft: pair, ht: pair.optional() }),
          })
          .transform(({ team1, team2, score }) => ({ home: team1, away: team2, ...score })),
      ]),
    ),
  ),
});
const tableFile = z.object({
  table: z.array(
    z.object({
      rank: z.int(),
      team: z.string(),
      mp: z.int(),
      w: z.int(),
      d: z.int(),
      l: z.int(),
      gf: z.int(),
      ga: z.int(),
      pts: z.int(),
      points_adjustment: z.int(),
    }),
  ),
});

type Season = z.infer<typeof seasonFile>['matches'];

function read<T>(file: URL, schema: z.ZodType<T>): T {
  return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** Every match is told as its provider would: with ids in place of names. */
function resultsOf(matches: Season, ids: ReadonlyMap<string, number>): MatchResult[] {
  const side = (name: string) => ({ id: ids.get(name) ?? 0, name });
  return matches.map(({ round, date, time, home, away, ft, ht }, at) => ({
    event_id: at + 1,
    version: 1,
    removed: false,
    round_id: Number(/\d+/.exec(round)?.[0] ?? Math.floor(at / 2) + 1),
    start_date: `${date} ${time}`,
    status_id: 11,
    status_type: 'finished',
    home: side(home),
    away: side(away),
    score: { home: ft[0], away: ft[1] },
    first_half: ht === undefined ? null : { home: ht[0], away: ht[1] },
    second_half: ht === undefined ? null : { home: ft[0] - ht[0], away: ft[1] - ht[1] },
    goals: null,
    cards: null,
  }));
}

function idsOf(names: Iterable<string>): Map<string, number> {
  return new Map([...new Set(names)].sort().map((name, at) => [name, at + 1]));
}

const tables = new URL('tables/', data);
const seasons = existsSync(tables)
  ? readdirSync(tables).flatMap((file) => /^(.*)\.table\.json$/.exec(file)?.[1] ?? [])
  : [];

describe.runIf(seasons.length > 0)('official tables (../shared/data/tables)', () => {
  it.each(seasons)('%s', (name) => {
    const { matches } = read(new URL(`seasons/${name}.json`, data), seasonFile);
    const official = read(new URL(`tables/${name}.table.json`, data), tableFile).table;
    const ids = idsOf(matches.flatMap(({ home, away }) => [home, away]));
    const corrections = official
      .filter(({ points_adjustment }) => points_adjustment !== 0)
      .map(({ team, points_adjustment }) => ({
        participant_id: ids.get(team) ?? 0,
        value: points_adjustment,
        reason: 'Regulations' as const,
        from: null,
      }));
    const rules = { ...rulesFile(name.slice(0, 2)), corrections };
    const league = deriveTables(resultsOf(matches, ids), rules).tables.get('league');
    expect(league?.corrections).toEqual(corrections);
    expect(
      league?.rows.map((row) => ({
        rank: row.rank,
        team: row.name,
        mp: cell(row, 'mp'),
        w: cell(row, 'won'),
        d: cell(row, 'draw'),
        l: cell(row, 'lost'),
        gf: cell(row, 'goals_scored'),
        ga: cell(row, 'goals_allowed'),
        pts: cell(row, 'pts'),
        points_adjustment: corrections.find(({ participant_id }) => participant_id === row.id)?.value ?? 0,
      })),
    ).toEqual(official);
  });
});

/** Names in the match file that the provider writes otherwise; the country after them is left out first. */
const PROVIDERS_NAMES = new Map([
  ['Celtic FC', 'Celtic'],
  ['Sporting CP', 'Sporting'],
  ['Olympiakos Piraeus', 'Olympiakos Pireus'],
  ['Atlético Madrid', 'Atletico Madrid'],
  ['Bayern München', 'Bayern Munchen'],
  ['APOEL Nikosia', 'APOEL Nicosia'],
  ['Chelsea FC', 'Chelsea'],
  ['NK Maribor', 'Maribor'],
  ['Feyenoord', 'Feyenoord Rotterdam'],
  ['SL Benfica', 'Benfica'],
  ['Qarabağ FK', 'Qarabag Agdam'],
  ['FC Basel 1893', 'FC Basel'],
  ['Beşiktaş', 'Besiktas'],
]);

const groupFile = z.object({
  api: z.object({
    data: z.object({
      standings: z.object({
        groups: z.array(
          z.object({
            name: z.string(),
            zones: z.array(z.object({ id: z.int(), name: z.string(), colour: z.string() })),
            corrections: z.array(z.never()),
            participants: z.array(
              z.object({
                id: z.int(),
                name: z.string(),
                rank: z.int(),
                zone_name: z.string(),
                columns: z.array(
                  z.object({
                    id: z.int(),
                    name: z.string(),
                    short_name: z.string(),
                    code: z.string(),
                    value: z.union([z.int(), z.string()]),
                  }),
                ),
              }),
            ),
          }),
        ),
      }),
    }),
  }),
});

describe.runIf(existsSync(provider) && existsSync(tables))('the group stage of 2017-18 (../shared)', () => {
  it('equals the provider’s own answer in every column', () => {
    const { groups } = read(provider, groupFile).api.data.standings;
    const ids = new Map(groups.flatMap(({ participants }) => participants.map(({ id, name }) => [name, id])));
    const named = (name: string) => {
      const short = name.replace(/ \([A-Z]{3}\)$/, '');
      return PROVIDERS_NAMES.get(short) ?? short;
    };
    const matches = read(new URL('seasons/uefa.cl_2017-18.json', data), seasonFile).matches.map((match) => ({
      ...match,
      home: named(match.home),
      away: named(match.away),
    }));
    const rules = rulesFile('champions-league-groups-2017-18');
    expect(groups).toHaveLength(8);
    for (const group of groups) {
      const ours = deriveTables(
        resultsOf(
          matches.filter(({ round }) => round === group.name),
          ids,
        ),
        rules,
      ).tables.get('league');
      expect(ours?.zones.map(({ id, name, colour }) => ({ id, name, colour }))).toEqual(group.zones);
      expect(ours?.corrections).toEqual(group.corrections);
      expect(
        ours?.rows.map(({ id, name, rank, zone_name, columns }) => ({ id, name, rank, zone_name, columns })),
      ).toEqual(
        group.participants.map(({ columns, ...row }) => ({
          ...row,
          columns: columns.map(({ id, code, short_name, value }) => ({ id, code, short_name, value })),
        })),
      );
    }
  });
});
