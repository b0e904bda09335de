import { z } from 'zod';
import type { BoardQuery } from './arrange.ts';

const id = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** The query of the board's page. Invalid values fall back to the default, as people edit addresses by hand. */
export const boardQuery: z.ZodType<BoardQuery> = z.object({
  show: z.enum(['all', 'live', 'upcoming', 'finished']).catch('all'),
  competition: id.nullable().catch(null),
  q: z.string().max(60).catch(''),
});

/** The query of `/board/events`; without parameters the whole board is followed. */
export const streamQuery = z.object({
  event: id.optional(),
  /** `none`, parsed as null: the rankings, which belong to no season. */
  season: z.union([z.literal('none').transform(() => null), id]).optional(),
  /** Follows the feeds only. */
  feeds: z.literal('yes').optional(),
  /** Follows the clocks of the season's matches too, for a bracket. */
  clocks: z.literal('yes').optional(),
});

/** The query of `/standings`. `table=knock-out` means `show=knock-out`: the select of tables lists the knock-out stages too. */
export const standingsQuery = z
  .object({
    season: id.optional().catch(undefined),
    table: z
      .union([id, z.literal('knock-out')])
      .optional()
      .catch(undefined),
    show: z.literal('knock-out').optional().catch(undefined),
    q: z.string().max(60).catch(''),
  })
  .transform(({ table, show, ...rest }) =>
    table === 'knock-out' ? { ...rest, table: undefined, show: table } : { ...rest, table, show },
  );

/** The parameters of the pages and records of one match. */
export const matchParams = z.object({ id });
