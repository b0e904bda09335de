/** Renders an incident as the contract shows it from its register. Pure. */

import { withFlags } from '#contract/provider-message.ts';
import { incidentObject } from '#domain/event.ts';
import type { JsonObject } from '#json/values.ts';
import type { CatalogueRecord, Incident } from '#records/types.ts';
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import { STATUSES } from '#soccer/statuses.ts';
import type { RenderedIncident } from '../store/incidents.ts';

/** Returns an incident type of the provider's catalogue; null if unknown. */
type IncidentTypeRecord = (incidentId: number) => Pick<CatalogueRecord, 'name' | 'incident'> | null;

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
  const type = INCIDENT_TYPES_OF_SOCCER.get(incident.incident_id);
  const listed = typeRecord(incident.incident_id);
  const flagged = withFlags(incident, listed?.incident);
  const { [FEED_ONLY]: _, ...reported } = incidentObject(flagged);
  const phase = incident.event_status_id === null ? undefined : STATUSES.get(incident.event_status_id);
  const shown: JsonObject = {
    ...reported,
    incident_name: incident.incident_name ?? listed?.name ?? type?.name ?? '',
    event_status_name: incident.event_status_name ?? phase?.name ?? null,
    for:
      incident.counts_for ??
      listed?.incident?.for ??
      type?.for ??
      (incident.participant_id === null ? 'none' : 'own'),
    properties: collection(reported.properties),
    additional_info: collection(reported.additional_info),
    ...(isMissing ? { missing: 'yes' } : {}),
  };
  return { json: JSON.stringify(shown), important: flagged.important === true };
}

function collection(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? value : {};
}
