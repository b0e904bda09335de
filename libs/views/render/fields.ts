/** Reads and writes values of a provider's record, and renders the levels of the tree from the catalogue's. Pure. */
import { type TreeLevel, UNKNOWN_NODE } from '#contract/rest/tree.ts';
import { yesNo } from '#domain/event.ts';
import { foldName } from '#domain/name-search.ts';
import { writeRecord } from '#json/records.ts';
import type { JsonObject } from '#json/values.ts';
import type { CatalogueRecord } from '#records/types.ts';
import { SOCCER } from '#soccer/soccer.ts';
import type { Views } from '../store/views.ts';

/** Returns the objects of a list; none if it is anything else. */
export function recordsOf(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : [];
}

/** The fields that the provider's own client takes as null: it refuses a whole page for a null in any other that it knows. */
const NULLABLE: ReadonlySet<string> = new Set(
  (
    'winner_id progress_id clock_time clock_status played_time latency round_id round_name day source_super channel_id ' +
    'client_event_id booked_by protocol_verified_by protocol_verified_at participant_id participant_name subparticipant_id ' +
    'subparticipant_name event_time confirmation parent_id additional_info info add_data x_pos y_pos tour_id result_verified_at result_verified_by'
  ).split(' '),
);

/** Whether the provider's client takes null as the value of a field. */
export function isNullable(name: string): boolean {
  return NULLABLE.has(name);
}

/** Returns a record without the nulls that the provider's client refuses. `none`: null as the record has it, e.g. the JSON text `null`. */
export function withoutNulls<T>(
  record: Readonly<Record<string, T>>,
  none: unknown = null,
): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(record).filter(([name, value]) => value !== none || isNullable(name)),
  );
}

/** The one flag of the contract that is a boolean. */
const BOOLEAN = 'generate_season_stats';

/** Returns what a record of the catalogue says, as the contract writes it, without its id and its time. */
export function catalogueObject({ name, other, ...record }: CatalogueRecord): JsonObject {
  const { kind } = record;
  const own = kind === 'group' ? {} : { ...record[kind] };
  const shown = Object.entries(own).map(([field, value]) => [
    field,
    typeof value === 'boolean' && field !== BOOLEAN ? yesNo(value) : value,
  ]);
  return {
    ...withoutNulls(writeRecord({ name, ...Object.fromEntries(shown), other })),
    // The provider writes it also where there is none.
    ...(record.incident === null ? {} : { group: record.incident.group }),
  };
}

/** Returns a slug as providers write it: `Manchester United` with id 136195 is `manchester-united,136195`. */
export function slugOf(name: string, id: number): string {
  return `${slugWords(name)},${id}`;
}

/** Returns the slug of an event, with an underscore between its sides: `sivasspor_trabzonspor,3108995`. */
export function eventSlug(name: string, id: number): string {
  return `${name.split(' - ').map(slugWords).join('_')},${id}`;
}

/** Returns a name as it appears in URLs: `manchester-united`. */
export function slugWords(name: string): string {
  return foldName(name).replaceAll(' ', '-');
}

/** Returns a lookup of nodes as JSON text with every field of the level: the provider's record, else what events say, else its empty values. */
export function nodeLookup({ catalogue, tree }: Pick<Views, 'catalogue' | 'tree'>) {
  return (level: TreeLevel, id: number): string => {
    const entry = catalogue.find(level, id);
    const name = entry?.name ?? '';
    const sport_id = level === 'competition' ? tree.sportOf(id) : null;
    const sport_name = catalogue.name('sport', sport_id) ?? (sport_id === SOCCER ? 'Soccer' : '');
    const reported = Object.entries(entry === null ? {} : catalogueObject(entry));
    return JSON.stringify({
      ...UNKNOWN_NODE[level],
      ...(sport_id === null ? {} : { sport_id, sport_name }),
      ...(level === 'competition' ? { slug: name === '' ? '' : slugOf(name, id) } : {}),
      ...Object.fromEntries(reported.filter(([, value]) => value !== null)),
      id,
      name,
      ut: entry?.ut ?? 0,
    });
  };
}
