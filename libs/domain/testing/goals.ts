import type { Incident } from '#records/types.ts';
import { readSides, type Sides } from '../event-facts.ts';
import { EventRegister } from '../event-register.ts';
import { tallyGoals } from '../goals.ts';
import { eventOf, type IncidentOptions, incident, participants, START } from './messages.ts';

/** Returns the sides of an event with this `participants` value. */
export function sidesOf(value: unknown): Sides {
  const register = new EventRegister();
  register.apply(eventOf({ participants: value }), { ut: START, messageId: null });
  return readSides(register);
}

export const sides = sidesOf(participants());
export const goal = (id: string, options?: IncidentOptions) => incident(id, 413, options);
export const cancels = (id: string, options?: IncidentOptions) => incident(id, 424, options);

/** Returns the tally of a timeline in id order. `removed` and `missing`: the ids of such incidents. */
export function tally(
  timeline: readonly Incident[],
  removed: readonly string[] = [],
  of = sides,
  missing: readonly string[] = [],
) {
  const known = timeline.map((one) => ({
    id: one.id,
    incident: one,
    removed: removed.includes(one.id),
    missing: missing.includes(one.id),
  }));
  const is424 = ({ incident }: (typeof known)[number]) => incident.incident_id === 424;
  const result = tallyGoals(
    known.filter((one) => !is424(one)),
    known.filter(is424),
    of,
  );
  return { ...result, voided: Object.fromEntries(result.voided), voidBy: Object.fromEntries(result.voidBy) };
}
