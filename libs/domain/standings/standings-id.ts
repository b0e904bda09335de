import { hash } from 'node:crypto';
import type { TableKind } from './columns.ts';

/** What the rows of a table rank, and within which object. */
export type TableObject = {
  readonly type: 'season' | 'stage';
  readonly id: number;
  readonly competitionId: number;
  readonly seasonId: number;
};

/** Our ids begin here, far above the provider's, so that passed-through tables keep theirs. */
export const FIRST_STANDINGS_ID = 2 ** 52;

/**
 * The id of a table: a function of its kind and its object alone, so that every rebuild gives the same id. Competition
 * and season are part of it: a stage reported in two seasons has a table in each, written by two tasks.
 * 52 bits of SHA-256: of a million tables, two share an id with a probability of 1 in 9,000.
 */
export function standingsId(kind: TableKind, { competitionId, seasonId, type, id }: TableObject): number {
  const digest = hash('sha256', `${competitionId}/${seasonId}/${type}/${id}/${kind}`, 'hex');
  return FIRST_STANDINGS_ID + Number.parseInt(digest.slice(0, 13), 16);
}
