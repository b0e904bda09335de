/** Renders tables as `data.standings` (spec, "Standing"), from the records of topics. */
import { writeTyped } from '#json/typed-record.ts';
import type { JsonObject } from '#json/values.ts';
import type { ProviderStandings } from '#records/types.ts';

/** Renders a ranking of the provider. */
export function rankingRecord({ standings_id: id, version: _, ...ranking }: ProviderStandings): JsonObject {
  return writeTyped({ ...ranking, id } as object);
}
