/** Renders an incident as the contract shows it from its register. Pure. */

import { joinObjects } from '#contract/provider-message.ts';
import { text } from '#domain/values.ts';
import { type JsonObject, toWholeNumber } from '#json/values.ts';
import type { Incident } from '#records/types.ts';
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import { STATUSES } from '#soccer/statuses.ts';
import type { RenderedIncident } from '../store/incidents.ts';

/** Returns the record of an incident type in the provider's catalogue; undefined if unknown. */
type IncidentTypeRecord = (incidentId: number) => Readonly<JsonObject> | undefined;

/** The field that only the feed's incidents carry (spec, "Clock model"). */
const FEED_ONLY = 'period_timer';

/**
 * Renders the provider's record with every field of the spec's DTO, without the one that only the feed has. A missing field comes from its type in the provider's
 * catalogue, else from the built-in type; flags of an unknown type are `no`. `isMissing` adds `missing`, our addition to the contract:
 * the provider's latest list omits the incident, and nothing proves that it was removed (law 3).
 */
export function renderIncident(
  incident: Incident,
  typeRecord: IncidentTypeRecord,
  isMissing = false,
): RenderedIncident {
  const reported: JsonObject = JSON.parse(incident.body);
  const type = INCIDENT_TYPES_OF_SOCCER.get(incident.incident_id);
  const listed = typeRecord(incident.incident_id);
  const phase = incident.event_status_id === null ? undefined : STATUSES.get(incident.event_status_id);
  const flag = (name: string, known: boolean | undefined): string =>
    text(reported[name]) ?? text(listed?.[name]) ?? (known === true ? 'yes' : 'no');
  const important = flag('important', type?.important);
  const shown: JsonObject = {
    id: incident.id,
    incident_id: incident.incident_id,
    incident_name: text(reported.incident_name) ?? text(listed?.name) ?? type?.name ?? '',
    participant_id: incident.participant_id,
    participant_name: text(reported.participant_name),
    subparticipant_id: toWholeNumber(reported.subparticipant_id),
    subparticipant_name: text(reported.subparticipant_name),
    event_status_id: incident.event_status_id,
    event_status_name: text(reported.event_status_name) ?? phase?.name ?? null,
    event_time: text(reported.event_time),
    for:
      incident.counts_for ??
      text(listed?.for) ??
      type?.for ??
      (incident.participant_id === null ? 'none' : 'own'),
    confirmation: incident.confirmation,
    attribute_ids: Array.isArray(reported.attribute_ids) ? reported.attribute_ids : [],
    properties: collection(reported.properties),
    additional_info: collection(reported.additional_info),
    important,
    important_for_trader: flag('important_for_trader', type?.importantForTrader),
    game_break: flag('game_break', type?.gameBreak),
    ut: incident.ut,
    parent_id: incident.parent_id,
    ...(isMissing ? { missing: 'yes' } : {}),
  };
  return { json: joined(incident.body, reported, shown), important: important === 'yes' };
}

/** Merges the shown fields into the reported record. Most are equal; then the reported text is copied. */
function joined(body: string, reported: JsonObject, shown: JsonObject): string {
  if (Object.hasOwn(reported, FEED_ONLY)) {
    const { [FEED_ONLY]: _, ...others } = reported;
    return JSON.stringify({ ...others, ...shown });
  }
  const added: Record<string, unknown> = {};
  for (const name of Object.keys(shown)) {
    if (!Object.hasOwn(reported, name)) added[name] = shown[name];
    else if (reported[name] !== shown[name]) return JSON.stringify({ ...reported, ...shown });
  }
  return joinObjects(body, JSON.stringify(added));
}

function collection(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? value : {};
}
