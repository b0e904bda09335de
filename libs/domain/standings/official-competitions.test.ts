/** Compares competitions of many kinds with their official tables, if their data is present: `npm run test:tables`. */
import { describe, expect, test } from 'vitest';
import OFFICIAL from './testing/official-competitions.json' with { type: 'json' };
import { countOfficial } from './testing/official-count.ts';
import { finished, hasOfficial, readCsv, readOpenSeason } from './testing/official-data.ts';
import { correctionOf, rulesFile, teamOf } from './testing/results.ts';
import { tablesOfSeason } from './testing/seasons.ts';

type OfficialCompetition = {
  readonly file: string;
  readonly rules: string;
  /** The rounds of each stage, as a pattern. */
  readonly stages: Readonly<Record<string, string>>;
  readonly corrections?: Readonly<Record<string, number>>;
  /** Names and points in the official order, by stage. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
};

const competitions = Object.entries(OFFICIAL as unknown as Record<string, OfficialCompetition>);

describe.runIf(hasOfficial('football.json'))('official tables of other kinds of competitions', () => {
  test.each(competitions)('%s', (_, { file, rules, stages, corrections = {}, tables }) => {
    const names = Object.keys(stages);
    const ids = Object.fromEntries(names.map((name, at) => [name, [10 * (at + 1)]]));
    const patterns = names.map((name) => new RegExp(stages[name] ?? ''));
    const stageOf = (round: string) => {
      const at = patterns.findIndex((pattern) => pattern.test(round));
      return at === -1 ? null : 10 * (at + 1);
    };
    const season = readOpenSeason(file, stageOf);
    const deducted = Object.entries(corrections).map(([team, value]) =>
      correctionOf(season.ids.get(team) ?? 0, value),
    );
    const applied = { ...rulesFile(rules, ids), corrections: deducted };
    const shown = tablesOfSeason(season.results, applied, 'league', 'pts');
    for (const [stage, expected] of Object.entries(tables))
      expect(shown[String(ids[stage]?.[0])]).toEqual(expected.map((line, at) => `${at + 1} ${line}`));
    countOfficial(Object.keys(tables).length);
  });
});

/** The conferences of MLS 2016 in the official order, with points. */
const MLS_2016 = {
  East: [
    'New York Red Bulls 57',
    'New York City FC 54',
    'Toronto FC 53',
    'DC United 46',
    'Montreal Impact 45',
    'Philadelphia Union 42',
    'New England Revolution 42',
    'Orlando City 41',
    'Columbus Crew 36',
    'Chicago Fire 31',
  ],
  West: [
    'FC Dallas 60',
    'Colorado Rapids 58',
    'LA Galaxy 52',
    'Seattle Sounders 48',
    'Sporting Kansas City 47',
    'Real Salt Lake 46',
    'Portland Timbers 44',
    'Vancouver Whitecaps 39',
    'San Jose Earthquakes 38',
    'Houston Dynamo 34',
  ],
};

test.runIf(hasOfficial('engsoccerdata/mls.csv'))(
  'the conferences of MLS 2016, with matches between them',
  () => {
    const matches = readCsv('engsoccerdata/mls.csv').filter(
      ({ Season, round }) => Season === '2016' && round === 'regular',
    );
    const names = [...new Set(matches.flatMap(({ home = '', visitor = '' }) => [home, visitor]))].sort();
    const id = (name = '') => names.indexOf(name) + 1;
    const results = matches.map((row, at) =>
      finished(at + 1, `${row.Date} 12:00`, 10, {
        // A match between conferences belongs to the group of the team at home.
        group_id: row.hconf === 'East' ? 1 : 2,
        home: teamOf(id(row.home), row.home ?? ''),
        away: teamOf(id(row.visitor), row.visitor ?? ''),
        score: { home: Number(row.hgoal), away: Number(row.vgoal) },
      }),
    );
    const conferences = (['East', 'West'] as const).map((name, at) => ({
      group_id: at + 1,
      participant_ids: MLS_2016[name].map((line) => id(line.replace(/ \d+$/, ''))),
    }));
    const shown = tablesOfSeason(results, { ...rulesFile('mls'), conferences }, 'league', 'pts');
    expect(shown['10/1']).toEqual(MLS_2016.East.map((line, at) => `${at + 1} ${line}`));
    expect(shown['10/2']).toEqual(MLS_2016.West.map((line, at) => `${at + 1} ${line}`));
    countOfficial(2);
  },
);
