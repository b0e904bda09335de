import { z } from 'zod';
import type { StreamTopic } from './reader.ts';

const id = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** The query of the board's page. Invalid values fall back to the default, as people edit addresses by hand. */
export const boardQuery = z.object({
  show: z.enum(['all', 'live', 'upcoming', 'finished']).catch('all'),
  /** Null: all. */
  competition: id.nullable().catch(null),
  /** Words in the names of the teams, with or without accents; empty: all. */
  q: z.string().max(60).catch(''),
});

export type BoardQuery = Readonly<z.output<typeof boardQuery>>;

/** The query of `/board/events`; without parameters the whole board is followed. `season`: `none` stands for the rankings. */
export const streamQuery = z
  .object({
    event: id.optional(),
    season: z.union([z.literal('none').transform(() => null), id]).optional(),
    feeds: z.literal('yes').optional(),
  })
  .transform(({ event, season, feeds }): StreamTopic => {
    if (feeds === 'yes') return { kind: 'feeds' };
    if (event !== undefined) return { kind: 'match', eventId: event };
    return season === undefined ? { kind: 'board' } : { kind: 'season', seasonId: season };
  });

export const standingsQuery = z.object({
  season: id.optional().catch(undefined),
  table: id.optional().catch(undefined),
  show: z.literal('knock-out').optional().catch(undefined),
});

export const matchParams = z.object({ id });
