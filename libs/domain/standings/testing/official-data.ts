/**
 * Public data of real competitions, read from `OFFICIAL_DIR` (default ../shared/data/official): copies of the repositories
 * openfootball/football.json (CC0) as football.json/, jfjelstul/worldcup (CC BY-SA 4.0, data-csv) as worldcup/, and
 * jalapic/engsoccerdata (data-raw) as engsoccerdata/. See docs/reference/standings.md.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SeasonResult } from '../types.ts';
import { teamOf } from './results.ts';

const DIR =
  process.env.OFFICIAL_DIR || fileURLToPath(new URL('../../../../../shared/data/official', import.meta.url));

/** Whether a file of the data exists. */
export function hasOfficial(file: string): boolean {
  return existsSync(`${DIR}/${file}`);
}

type OpenMatch = {
  readonly round: string;
  readonly date: string;
  readonly time?: string;
  readonly team1: string;
  readonly team2: string;
  readonly score?: { readonly ft?: [number, number] };
};

/** The matches of a season as results, and the id of each team by name. */
export type OfficialSeason = { readonly results: SeasonResult[]; readonly ids: ReadonlyMap<string, number> };

/** Reads a season of football.json. `stageOf`: the stage of a round; null leaves its matches out. */
export function readOpenSeason(file: string, stageOf: (round: string) => number | null): OfficialSeason {
  const { matches } = JSON.parse(readFileSync(`${DIR}/football.json/${file}`, 'utf8')) as {
    readonly matches: readonly OpenMatch[];
  };
  const names = [...new Set(matches.flatMap(({ team1, team2 }) => [team1, team2]))].sort();
  const ids = new Map(names.map((name, at) => [name, at + 1]));
  const results = matches.flatMap(({ round, date, time, team1, team2, score }, at): SeasonResult[] => {
    const stage_id = stageOf(round);
    if (stage_id === null || score?.ft === undefined) return [];
    const [home, away] = score.ft;
    return [
      finished(at + 1, `${date} ${time ?? '00:00'}`, stage_id, {
        home: teamOf(ids.get(team1) ?? 0, team1),
        away: teamOf(ids.get(team2) ?? 0, team2),
        score: { home, away },
      }),
    ];
  });
  return { results, ids };
}

/** Returns a finished match of a stage. */
export function finished(
  event_id: number,
  start_date: string,
  stage_id: number,
  known: Pick<SeasonResult, 'home' | 'away' | 'score'> & Partial<SeasonResult>,
): SeasonResult {
  return {
    event_id,
    version: 1,
    cause: { offset: 0 },
    removed: false,
    stage_id,
    group_id: null,
    round_id: null,
    start_date,
    status_id: 11,
    status_type: 'finished',
    first_half: null,
    second_half: null,
    goals: null,
    cards: null,
    ...known,
  };
}

/** Reads a table of comma-separated values with a header; a quoted value may contain commas. No rows without the file. */
export function readCsv(file: string): Record<string, string>[] {
  // Tests that are left out without the data are still collected.
  if (!hasOfficial(file)) return [];
  const [head = '', ...lines] = readFileSync(`${DIR}/${file}`, 'utf8').trim().split(/\r?\n/);
  const names = valuesOf(head);
  return lines.map((line) => {
    const values = valuesOf(line);
    return Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));
  });
}

function valuesOf(line: string): string[] {
  return Array.from(
    line.matchAll(/("([^"]*)"|[^,]*)(,|$)/g),
    ([, plain = '', quoted]) => quoted ?? plain,
  ).slice(
    0,
    // An empty match at the end of the line is no value.
    line.endsWith(',') ? undefined : -1,
  );
}
