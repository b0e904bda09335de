/** Tools that list sports, competitions and teams. */
import { z } from 'zod';
import { toWholeNumber } from '#contract/values.ts';
import { dataOf, id, pageOf } from './common.ts';
import { type ToolScope, tool } from './tool.ts';

export const listSports = tool({
  name: 'list_sports',
  title: 'Sports',
  description: 'Lists the sports with their ids.',
  operations: ['sports.index'],
  input: z.object({}),
  pageSize: 50,
  output: z.object({
    sports: z.array(
      z.object({
        sport_id: z.int(),
        name: z.string(),
        has_clock: z.boolean().describe('Whether its matches have a clock, else only a status.'),
      }),
    ),
  }),
  missing: 'Unknown sport.',
  answer(paging, { data }) {
    const answer = data.sports(paging);
    const { sports } = dataOf<'sports.index'>(answer);
    return {
      sports: sports.map(({ id: sport_id, name, has_timer }) => ({
        sport_id,
        name,
        has_clock: has_timer === 'yes',
      })),
      total: answer.total ?? sports.length,
    };
  },
});

const season = z.object({
  season_id: z.int(),
  name: z.string().nullable(),
  current: z.boolean(),
});

const competition = z.object({
  competition_id: z.int(),
  name: z.string().nullable(),
  area: z.string().nullable().describe('Country or region.'),
  sport_id: z.int().nullable(),
  seasons: z.array(season).describe('Latest first, at most 10.'),
});

/** Maximum number of seasons that are returned with a competition. */
const MAX_SEASONS = 10;

function seasonsOf(competitionId: number, { queries, access }: ToolScope): z.input<typeof season>[] {
  return queries
    .seasons(competitionId, access)
    .slice(0, MAX_SEASONS)
    .map(({ id: season_id, name, current }) => ({ season_id, name, current }));
}

export const listCompetitions = tool({
  name: 'list_competitions',
  title: 'Competitions',
  description:
    'Lists the competitions of your contract with their seasons. To find one by name, call search.',
  operations: ['competitions.index'],
  input: z.object({ sport_id: id.optional().describe('Only of this sport.') }),
  pageSize: 20,
  output: z.object({ competitions: z.array(competition) }),
  missing: 'Unknown competition. Call search to find one by name.',
  answer(args, scope) {
    const answer = scope.data.competitions(args, scope.access);
    const { competitions } = dataOf<'competitions.index'>(answer);
    return {
      competitions: competitions.map((record) => ({
        competition_id: record.id,
        name: record.name === '' ? null : record.name,
        area: record.area_name ?? null,
        sport_id: toWholeNumber(record.sport_id),
        seasons: seasonsOf(record.id, scope),
      })),
      total: answer.total ?? competitions.length,
    };
  },
});

const NOTHING_FOUND =
  'No team or competition has such a name; players are not searched. For a player: call get_match for a match of the team, or get_top_scorers. For another spelling: try fewer or shorter words.';

const found = z.object({
  kind: z.enum(['team', 'competition']),
  team_id: z.int().nullable(),
  competition_id: z.int().nullable().describe('Of a team: one that it plays in.'),
  name: z.string(),
  area: z.string().nullable(),
  competition: z.string().nullable().describe('Of a team: name of that competition.'),
  seasons: z.array(season).describe('Of a competition.'),
});

export const search = tool({
  name: 'search',
  title: 'Search by name',
  description:
    'Finds teams and competitions by part of their name, best first. Ignores accents, case and punctuation. Start here to find the id for a name.',
  operations: ['competitions.index', 'events.index'],
  input: z.object({
    query: z.string().trim().min(2).max(80).describe('Part of the name, such as "besiktas" or "world cup".'),
    kind: z.enum(['any', 'team', 'competition']).default('any'),
  }),
  pageSize: 10,
  output: z.object({
    results: z.array(found),
    hint: z.string().nullable().describe('What to do if nothing is found.'),
  }),
  missing: 'Unknown name. Try fewer or shorter words.',
  answer({ query, kind, ...paging }, scope) {
    const noSeason = { season_id: null, stage_id: null, group_id: null };
    const teams = kind === 'competition' ? [] : scope.queries.teams(query, scope.access);
    const competitions = kind === 'team' ? [] : scope.queries.competitions(query, scope.access);
    const all = [
      ...competitions.map((one) => () => ({
        kind: 'competition' as const,
        team_id: null,
        competition_id: one.id,
        name: one.name,
        area: one.area,
        competition: null,
        seasons: seasonsOf(one.id, scope),
      })),
      ...teams.map(({ id: team_id, competition_id, name }) => () => ({
        kind: 'team' as const,
        team_id,
        competition_id,
        name,
        area: null,
        competition: scope.queries.place({ competition_id, ...noSeason }).competition,
        seasons: [],
      })),
    ];
    return {
      results: pageOf(all, paging).map((make) => make()),
      hint: all.length === 0 ? NOTHING_FOUND : null,
      total: all.length,
    };
  },
});
