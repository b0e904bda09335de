import { hash } from 'node:crypto';
import type { TableKind } from './columns.ts';

/** What the rows of a table are ranked in, and where that is. */
export type TableObject = {
  readonly type: 'season' | 'stage';
  readonly id: number;
  readonly competitionId: number;
  readonly seasonId: number;
};

/** Ours begin here, far above the provider's, so that tables that are passed through keep theirs. */
export const FIRST_STANDINGS_ID = 2 ** 52;

/**
 * The id of a table: of its kind and what it is of alone, so that it is the same over every rebuild. The competition
 * and the season are part of it: a stage that was told of two seasons has a table of each, written by two tasks.
 * 52 bits of SHA-256: of a million tables, two share an id with a probability of 1 in 9,000.
 */
export function standingsId(kind: TableKind, { competitionId, seasonId, type, id }: TableObject): number {
  const digest = hash('sha256', `${competitionId}/${seasonId}/${type}/${id}/${kind}`, 'hex');
  return FIRST_STANDINGS_ID + Number.parseInt(digest.slice(0, 13), 16);
}
