/** The event and the incident of a message in the provider's shape. Normalized again, they give the same. */
import { eventObject, incidentObject, yesNo } from '#domain/event.ts';
import type { Event, Incident } from '#records/types.ts';
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';

/** The provider's value of an unknown source. */
export const NO_SOURCE = -1;

/** Returns the event of a message. `action`: the one of a message that does not delete the event. */
export function providerEvent(
  id: number,
  event: Event | null,
  action: 'insert' | 'update' = 'update',
): Record<string, unknown> {
  return { id, action, ...(event === null ? {} : eventObject(event)) };
}

/** Returns the incident of a message. Its flags are those of its type where it has none: the contract has no others. */
export function providerIncident(
  incident: Incident,
  action: 'insert' | 'update' | 'delete',
): Record<string, unknown> {
  const { game_break, important, important_for_trader } = flagsOf(incident);
  return {
    ...incidentObject(incident),
    action,
    game_break: yesNo(game_break),
    important: yesNo(important),
    important_for_trader: yesNo(important_for_trader),
  };
}

/** Returns the flags of an incident: its own, else those of its type. */
export function flagsOf({ incident_id, ...own }: Incident) {
  const type = INCIDENT_TYPES_OF_SOCCER.get(incident_id);
  return {
    game_break: own.game_break ?? type?.gameBreak === true,
    important: own.important ?? type?.important === true,
    important_for_trader: own.important_for_trader ?? type?.importantForTrader === true,
  };
}
