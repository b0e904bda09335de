/** Real seasons and their official tables, read from the files `NAME.json` and `NAME.table.json`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const SHARED = fileURLToPath(new URL('../../../../../shared/', import.meta.url));

/** The folders of seasons, tables and the provider's own answers; they may be missing. */
const SEASONS_DIR = process.env.SEASONS_DIR || `${SHARED}data/seasons`;
const TABLES_DIR = process.env.TABLES_DIR || `${SHARED}data/tables`;
const PROVIDER_DIR = process.env.PROVIDER_DIR || `${SHARED}provider`;

const goals = z.tuple([z.int(), z.int()]);
const score = z.object({ ft: goals.nullish(), ht: goals.nullish() });

const match = z
  .object({
    round: z.string(),
    date: z.string(),
    time: z.string().nullish(),
    status: z.enum(['awarded', 'cancelled', 'postponed']).nullish(),
    /** A play-off after the season; not a match of the table. */
    playoff: z.unknown().optional(),
  })
  .and(
    z.union([
      score.extend({ home: z.string(), away: z.string() }),
      z
        .object({ team1: z.string(), team2: z.string(), score: score.nullish() })
        .transform(({ team1, team2, score }) => ({ home: team1, away: team2, ...score })),
    ]),
  );
const seasonFile = z.object({ matches: z.array(match) });

/** A match of a season, teams by name. */
export type SeasonMatch = z.infer<typeof match>;

const officialRow = z.object({
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
});
const tableFile = z.object({ table: z.array(officialRow) });

/** A row of an official table; `pts` includes `points_adjustment`. */
export type OfficialRow = z.infer<typeof officialRow>;

const providerFile = z.object({
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

/** A group of the provider's own answer. */
export type ProviderGroup = z.infer<typeof providerFile>['api']['data']['standings']['groups'][number];

/** The names of the seasons that have a table, such as en.1_2018-19. */
export function seasonsWithTable(): string[] {
  if (!existsSync(TABLES_DIR)) return [];
  return readdirSync(TABLES_DIR)
    .flatMap((file) => /^(.*)\.table\.json$/.exec(file)?.[1] ?? [])
    .filter((name) => existsSync(`${SEASONS_DIR}/${name}.json`))
    .sort();
}

/** Whether the matches of a season are present. */
export function hasSeason(name: string): boolean {
  return existsSync(`${SEASONS_DIR}/${name}.json`);
}

/** The matches of a season, without those played after it. */
export function readSeason(name: string): SeasonMatch[] {
  return read(`${SEASONS_DIR}/${name}.json`, seasonFile).matches.filter(({ playoff }) => !playoff);
}

export function readOfficialTable(name: string): OfficialRow[] {
  return read(`${TABLES_DIR}/${name}.table.json`, tableFile).table;
}

const GROUP_STAGE = 'uefa.cl_2017-18';

/** Whether the provider's own answer for the group stage of 2017-18 exists, and its matches. */
export function hasGroupStage(): boolean {
  return (
    existsSync(`${PROVIDER_DIR}/Standings__standings_39719.json`) &&
    existsSync(`${SEASONS_DIR}/${GROUP_STAGE}.json`)
  );
}

/** The groups of 2017-18 as the provider answered, and their matches under its names; the round is the group's name. */
export function readGroupStage(): { groups: ProviderGroup[]; matches: SeasonMatch[] } {
  const { groups } = read(`${PROVIDER_DIR}/Standings__standings_39719.json`, providerFile).api.data.standings;
  const names = new Set(groups.map(({ name }) => name));
  const matches = readSeason(GROUP_STAGE)
    .filter(({ round }) => names.has(round))
    .map((one) => ({ ...one, home: providersName(one.home), away: providersName(one.away) }));
  return { groups, matches };
}

/** Names of the match file that the provider spells differently; the country suffix is removed first. */
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

function providersName(name: string): string {
  const short = name.replace(/ \([A-Z]{3}\)$/, '');
  return PROVIDERS_NAMES.get(short) ?? short;
}

function read<T>(file: string, schema: z.ZodType<T>): T {
  return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
}
