/** Law 5: what goals and their cancellations are, and which side they count for. */

import type { Incident } from '#records/types.ts';
import { SHOOT_OUT_PHASES } from '#soccer/soccer.ts';
import type { Sides } from './event-facts.ts';
import { GOAL_RULES, typesOf } from './sports/table.ts';

/** Types of incidents that are goals, in play or in the shoot-out. */
export const GOAL_TYPES = typesOf('goals');

const OWN_GOALS = typesOf('own_goals');
const CANCELLATIONS = typesOf('cancellations');
const RED_CARDS = typesOf('red_cards');
const YELLOW_CARDS = typesOf('yellow_cards');
const STARTS = typesOf('starts');
const COUNTS_FOR = new Map([...GOAL_RULES.values()].flatMap(({ counts_for }) => [...counts_for]));

/** An incident of a register; `incident` is null when only deletes have arrived. */
export type KnownIncident = {
  readonly id: string;
  readonly incident: Incident | null;
  readonly removed: boolean;
  /** Not on the provider's latest list, and not proven to be removed (law 3). */
  readonly missing: boolean;
};

/** Whether an incident shows that the timeline is reported from its start. */
export function isTimelineStart({ incident_id }: Incident): boolean {
  return STARTS.has(incident_id);
}

/** A side of a match. */
export type Side = 'home' | 'away';
/** Both sides, as far as goals need them. */
export type KnownSides = Pick<Sides, 'home' | 'away'>;
/** An incident with a body. */
export type WithBody = KnownIncident & { readonly incident: Incident };

/** Whether an incident is a goal, in play or in the shoot-out. */
export function isGoal(incident: Incident): boolean {
  return GOAL_TYPES.has(incident.incident_id);
}

/** Whether an incident is a goal of its participant's for the other side. */
export function isOwnGoal(incident: Incident): boolean {
  return OWN_GOALS.has(incident.incident_id);
}

/** Whether an incident cancels a goal. */
export function isCancellation(incident: Incident): boolean {
  return CANCELLATIONS.has(incident.incident_id);
}

/** Whether an incident is a goal, or may decide whether one counts. */
export function concernsGoals(incident: Incident): boolean {
  return isGoal(incident) || isCancellation(incident);
}

/** Whether an incident is a red card. */
export function isRedCard(incident: Incident): boolean {
  return RED_CARDS.has(incident.incident_id);
}

/** Whether an incident is a yellow or a red card. */
export function isCard(incident: Incident): boolean {
  return isRedCard(incident) || YELLOW_CARDS.has(incident.incident_id);
}

/** The fields that decide which side an incident counts for. */
export type Scoring = Pick<Incident, 'incident_id' | 'participant_id' | 'counts_for'>;

/** Returns the side that a goal or a cancellation counts for; null when it is unknown. */
export function sideOf(incident: Scoring, { home, away }: KnownSides): Side | null {
  const participant = incident.participant_id;
  const isHome = participant === home?.id;
  if (!isHome && participant !== away?.id) return null;
  const countsFor = countsForOf(incident);
  if (countsFor === 'own') return isHome ? 'home' : 'away';
  if (countsFor === 'rival') return isHome ? 'away' : 'home';
  return null;
}

function countsForOf(incident: Scoring): string {
  return incident.counts_for ?? COUNTS_FOR.get(incident.incident_id) ?? 'none';
}

/** Returns why a goal counts for no side, as in the anomalies of match state. */
export function whyNoSide(incident: Incident): string {
  const countsFor = countsForOf(incident);
  if (countsFor === 'own' || countsFor === 'rival') return 'unknown_participant';
  return countsFor === 'all' || countsFor === 'none' ? `for_${countsFor}` : 'unknown_for';
}

/** Whether a cancellation that names a goal, or none, subtracts it: it awaits no confirmation. */
export function stands({ incident }: WithBody): boolean {
  return incident.confirmation === 'confirmed' || incident.confirmation === null;
}

/** Whether an incident belongs to the shoot-out; one whose phase is unknown belongs to play. */
export function isInShootOut({ event_status_id }: Pick<Incident, 'event_status_id'>): boolean {
  return SHOOT_OUT_PHASES.has(event_status_id);
}

/** Whether the body of an incident has arrived. */
export function hasBody(one: KnownIncident): one is WithBody {
  return one.incident !== null;
}
