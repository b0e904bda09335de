import type { Incident } from '#topics/generated/types.ts';
import { readSides } from '../event-facts.ts';
import { tallyGoals } from '../goals.ts';
import { type IncidentOptions, incident, participants } from './messages.ts';

export const sides = readSides(participants());
export const goal = (id: string, options?: IncidentOptions) => incident(id, 413, options);
export const cancels = (id: string, options?: IncidentOptions) => incident(id, 424, options);

/** Returns the tally of a timeline in id order. `removed`: the ids of removed incidents. */
export function tally(timeline: readonly Incident[], removed: readonly string[] = [], of = sides) {
  const known = timeline.map((one) => ({ id: one.id, incident: one, removed: removed.includes(one.id) }));
  const is424 = ({ incident }: (typeof known)[number]) => incident.incident_id === 424;
  const result = tallyGoals(
    known.filter((one) => !is424(one)),
    known.filter(is424),
    of,
  );
  return { ...result, voided: Object.fromEntries(result.voided) };
}
