/** The provider's records as REST answers them. */
import type { KnownEvent, PublishedIncident } from './provider-state.ts';

/** Returns an incident as published, with its `action` only when it is removed. */
export function incidentView({ record, removed }: PublishedIncident): Readonly<Record<string, unknown>> {
  const { action, ...fields } = record;
  return removed ? { ...fields, action } : fields;
}

/** Returns an event. `ut` is the time of its last change; values are text; '' or 0 stands for a missing value. */
export function eventView({ record, changedAt }: KnownEvent): Readonly<Record<string, unknown>> {
  const { action, participants, details, ...fields } = record;
  return {
    ...fields,
    sport_name: 'Soccer',
    day: '',
    tour_id: 0,
    round_name: fields.round_name ?? '',
    group_id: fields.group_id ?? 0,
    ut: changedAt,
    details: textValues(details as Values),
    participants: participants.map(({ results, stats, ...side }) => ({
      ...side,
      stats: textValues(stats as Values),
      results: textValues(results as Values),
    })),
  };
}

type Values = readonly { readonly id: number; readonly value: unknown }[];

/** Returns values as lists have them, as text; messages have numbers and null. */
function textValues(values: Values): object[] {
  return values.map(({ id, value }) => ({ id, value: value === null ? '' : String(value) }));
}

/** Returns an event without its details and statistics. */
export function plainEventView(event: KnownEvent): Readonly<Record<string, unknown>> {
  const { details, participants, ...fields } = eventView(event);
  return {
    ...fields,
    participants: (participants as Readonly<Record<string, unknown>>[]).map(({ stats, ...side }) => side),
  };
}
