/** Finds the alerts in transitions: docs/guides/alerts.md. Pure. */

import { hasResult } from '#domain/result.ts';
import type { Alert, MatchState, MatchTransition, Score, StandingCard } from '#records/types.ts';
import { INCIDENT } from '#soccer/soccer.ts';
import type { AlertKind } from './rules.ts';

/** An alert before rules and names are applied. */
export type Finding = {
  readonly kind: AlertKind;
  readonly reasons: readonly string[];
  /** The team of a red card, and of a goal that stopped counting; null of other kinds. */
  readonly team_id: number | null;
} & Pick<Alert, 'incident_id' | 'score' | 'score_before'>;

/** A status in transitions, e.g. `11 finished`; without the id when the provider sends none. */
const STATUS = /^(?:(\d+) )?([a-z]+)$/;

/** What the earlier transitions of a version did to the score. */
export type VersionSoFar = {
  /** The score after them; undefined before the first of them. */
  readonly score?: Score | null;
  /** Whether one of them cancelled a goal. */
  readonly isExplained: boolean;
};

/** Returns what a version did to the score, this transition included. A reinstated goal is in its `score_changed`. */
export function scoreSoFar({ kind, score }: MatchTransition, so: VersionSoFar): VersionSoFar {
  if (kind !== 'sides_exchanged' && kind !== 'goal_cancelled') return so;
  return { score: score?.after ?? null, isExplained: so.isExplained || kind === 'goal_cancelled' };
}

/**
 * Returns the findings of a transition. `closed`: the reasons of the match's guard before it, empty when the guard was open.
 * A goal is a score that rises from a known one: the first known score is no goal, nor are sides that are exchanged. Each of
 * several goals of one version is a finding. Red cards: `redCardFindings`. `so`: the transitions of its version before it.
 */
export function findingsOf(
  transition: MatchTransition,
  closed: readonly string[],
  so: VersionSoFar = { isExplained: false },
): readonly Finding[] {
  const { kind, incident_id, team_id, score, value, guard, goals } = transition;
  switch (kind) {
    case 'score_changed': {
      const before = so.score === undefined ? (score?.before ?? null) : so.score;
      const after = score?.after ?? null;
      const rise = before === null || after === null ? 0 : riseOf(before, after);
      // Only the provider's result says so: no incident was taken back.
      const hasFallen = before !== null && after !== null && goals.length === 0 && riseOf(after, before) > 0;
      if (rise === 0 && hasFallen && !so.isExplained)
        return [finding('goal_cancelled', { score: after, score_before: before })];
      if (rise === 0) return [];
      // Without goals the score is the provider's result. The first list after a result also has goals that the result counted.
      const ids = goals.length === 0 ? [null] : goals.slice(-rise);
      return ids.map((id) => finding('goal', { incident_id: id, score: after, score_before: before }));
    }
    case 'goal_cancelled':
      return [
        finding('goal_cancelled', {
          incident_id,
          team_id,
          score: score?.after ?? null,
          score_before: score?.before ?? null,
        }),
      ];
    case 'status_changed': {
      const [was, is] = [isFinal(value?.before ?? ''), isFinal(value?.after ?? '')];
      if (was === is) return [];
      return [finding(is ? 'final' : 'final_withdrawn', {})];
    }
    case 'guard_changed': {
      const reasons = guard?.safe === false ? guard.reasons : [];
      const [differed, differs] = [closed, reasons].map((some) => some.includes('score_differs'));
      return [
        ...(reasons.length > 0 && closed.length === 0 ? [finding('guard_closed', { reasons })] : []),
        ...(differs && !differed ? [finding('score_differs', { reasons })] : []),
        ...(differed && !differs ? [finding('score_agrees', { reasons })] : []),
        ...(reasons.length === 0 && closed.length > 0 ? [finding('guard_opened', { reasons: closed })] : []),
      ];
    }
    default:
      return [];
  }
}

/** Whether a transition may change which red cards stand. `known`: those that stood before it. */
export function concernsRedCards(
  { kind, incident_id, incident_type }: MatchTransition,
  known: readonly StandingCard[],
): boolean {
  if (!kind.startsWith('incident_')) return false;
  return incident_type === INCIDENT.redCard || known.some(({ id }) => id === incident_id);
}

/** Returns the red cards of a match that stand, in the order of their ids. */
export function standingRedCards({ key_incidents }: Pick<MatchState, 'key_incidents'>): StandingCard[] {
  return key_incidents
    .filter(({ incident_type, stands }) => incident_type === INCIDENT.redCard && stands)
    .map(({ id, team_id }) => ({ id, team_id }));
}

/** Returns the findings of red cards that stand no more, then of those that stand now. A card of another team is another card. */
export function redCardFindings(
  before: readonly StandingCard[],
  after: readonly StandingCard[],
): readonly Finding[] {
  const without = (some: readonly StandingCard[], others: readonly StandingCard[]) =>
    some.filter(({ id, team_id }) => !others.some((one) => one.id === id && one.team_id === team_id));
  return [
    ...without(before, after).map((card) => redCardFinding('red_card_cancelled', card)),
    ...without(after, before).map((card) => redCardFinding('red_card', card)),
  ];
}

function redCardFinding(kind: AlertKind, { id, team_id }: StandingCard): Finding {
  return finding(kind, { incident_id: id, team_id });
}

/** Returns by how many goals a score rises, both sides together. */
function riseOf(before: Score, after: Score): number {
  return Math.max(after.home - before.home, 0) + Math.max(after.away - before.away, 0);
}

/** Whether a match with this status has its result. */
function isFinal(status: string): boolean {
  const [, id, type = null] = STATUS.exec(status) ?? [];
  return hasResult(id === undefined ? null : Number(id), type);
}

function finding(kind: AlertKind, detail: Partial<Omit<Finding, 'kind'>>): Finding {
  return { kind, incident_id: null, team_id: null, score: null, score_before: null, reasons: [], ...detail };
}
