import { hash } from 'node:crypto';
import type { TableKind } from './columns.ts';

/** The season or stage whose matches a table ranks. */
export type TableObject = {
  readonly type: 'season' | 'stage';
  readonly id: number;
  readonly competitionId: number;
  readonly seasonId: number;
};

/** The smallest id of our tables: far above the provider's. */
export const FIRST_STANDINGS_ID = 2 ** 52;

/**
 * Returns the id of a table: 52 bits of SHA-256 of kind and object alone, so that every rebuild gives the same one. A stage of
 * two seasons has a table in each. `ownId`: the number of a table that the rules define.
 */
export function standingsId(
  kind: TableKind,
  { competitionId, seasonId, type, id }: TableObject,
  ownId: number | null = null,
): number {
  const own = ownId === null ? '' : `/${ownId}`;
  const digest = hash('sha256', `${competitionId}/${seasonId}/${type}/${id}/${kind}${own}`, 'hex');
  return FIRST_STANDINGS_ID + Number.parseInt(digest.slice(0, 13), 16);
}

/** Whether rules define a table of ours beside those of the stages, whose names begin with that of their type. */
export function isOwnTable(
  id: number,
  { name, type_name }: { readonly name: string; readonly type_name: string },
): boolean {
  return id >= FIRST_STANDINGS_ID && !name.startsWith(type_name);
}
