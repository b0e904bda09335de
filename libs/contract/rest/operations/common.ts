/** The common parts of several operations. */
import { z } from 'zod';
import {
  CATALOGUE_LIMITS,
  dateParameter,
  idParameter,
  pagingParameters,
  STATUS_TYPES,
  secondsParameter,
} from '../parameters.ts';
import type { CatalogueQuery, Paging } from '../provider.ts';

/** For shapes that the spec does not show. */
export const AS_PUBLISHED = "as in the examples of the provider's published client";

/** Parameters of every catalogue. */
export const catalogue = { ...pagingParameters(CATALOGUE_LIMITS), timestamp: secondsParameter.optional() };

/** Parameters of a catalogue with a filter by sport. */
export const ofSport = { ...catalogue, sport_id: idParameter.optional() };

/** Both ends of a window of dates. */
export const dates = { date_from: dateParameter.optional(), date_to: dateParameter.optional() };

export const statusType = z.enum(STATUS_TYPES);

/** Values of the parameters of a catalogue. */
type CatalogueValues = Paging & {
  readonly timestamp?: number | undefined;
  readonly sport_id?: number | undefined;
};

/** The values as a catalogue query. */
export function catalogueQuery(values: CatalogueValues): CatalogueQuery {
  return { ...pageOf(values), timestamp: values.timestamp ?? null, sportId: values.sport_id ?? null };
}

/** The paging part of more parameters. */
export const pageOf = ({ limit, page }: Paging): Paging => ({ limit, page });

/** yes is true, no is false, missing is null: no filter. */
export const flag = (value: 'yes' | 'no' | undefined): boolean | null =>
  value === undefined ? null : value === 'yes';
