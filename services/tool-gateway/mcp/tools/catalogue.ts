import { z } from 'zod';
import { toWholeNumber } from '#json/values.ts';
import { dataOf, id } from './common.ts';
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
      sports: sports.map((one) => ({ ...one, sport_id: one.id, has_clock: one.has_timer === 'yes' })),
      total: answer.total ?? sports.length,
    };
  },
});

export const season = z.object({
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

const MAX_SEASONS = 10;

export function seasonsOf(competitionId: number, { queries, access }: ToolScope): z.input<typeof season>[] {
  const seasons = queries.seasons(competitionId, access).slice(0, MAX_SEASONS);
  return seasons.map(({ id: season_id, ...named }) => ({ season_id, ...named }));
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
        name: record.name || null,
        area: record.area_name ?? null,
        sport_id: toWholeNumber(record.sport_id),
        seasons: seasonsOf(record.id, scope),
      })),
      total: answer.total ?? competitions.length,
    };
  },
});
