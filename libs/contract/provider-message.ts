/** The event and the incident of a message in the provider's shape. Normalized again, they give the same. */
import { eventJson, incidentObject, NO_EVENT } from '#domain/event.ts';
import type { CatalogueIncidentType, Event, Incident } from '#records/types.ts';
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';

/** Returns the JSON of the event of a message. `action`: the one of a message that does not delete the event. */
export function providerEvent(id: number, event: Event | null, action: 'insert' | 'update' = 'update') {
  return eventJson(event ?? NO_EVENT, event?.action == null ? { id, action } : { id });
}

/** Returns the incident of a message. Its flags are those of its type where it has none: the contract has no others. */
export function providerIncident(
  incident: Incident,
  action: 'insert' | 'update' | 'delete',
): Record<string, unknown> {
  return { ...incidentObject(withFlags(incident)), action };
}

/** Returns the JSON of a message: its envelope, and `data` with its subject (`incident` or `alert`) and the event of `providerEvent`. */
export function messageJson(envelope: object, subject: object, event: string): string {
  const own = JSON.stringify(envelope).slice(0, -1);
  const first = JSON.stringify(subject).slice(0, -1);
  return `${own},"data":${first}${first === '{' ? '' : ','}"event":${event}}}`;
}

/** Returns an incident with its flags: its own, else those of its type in the provider's catalogue (`listed`), else the built-in ones. */
export function withFlags(incident: Incident, listed: CatalogueIncidentType | null = null): Incident {
  const type = INCIDENT_TYPES_OF_SOCCER.get(incident.incident_id);
  return {
    ...incident,
    game_break: incident.game_break ?? listed?.game_break ?? type?.gameBreak === true,
    important: incident.important ?? listed?.important ?? type?.important === true,
    important_for_trader:
      incident.important_for_trader ?? listed?.important_for_trader ?? type?.importantForTrader === true,
  };
}
