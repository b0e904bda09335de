/** Finds the alerts in transitions: docs/guides/alerts.md. Pure. */

import { hasResult } from '#domain/message-key.ts';
import { hasRulesOfGoals } from '#domain/sports/goal-rules.ts';
import type { Alert, Guard, KeyIncident, MatchTransition, Score } from '#records/types.ts';
import { INCIDENT } from '#soccer/soccer.ts';
import type { AlertKind } from './rules.ts';

/** An alert before rules and names are applied. */
export type Finding = {
  readonly kind: AlertKind;
  readonly reasons: readonly string[];
  /** The goal or card: as it counted or stood, where it does no more. Null of other kinds, and of a goal of the provider's result alone. */
  readonly incident: KeyIncident | null;
} & Pick<Alert, 'score' | 'score_before'>;

/** A status in transitions, e.g. `11 finished`; without the id when the provider sends none. */
const STATUS = /^(?:(\d+) )?([a-z]+)$/;

/** Returns the findings of a transition. A goal is a rise from a known score; a reinstated one is in its `score_changed`. */
export function findingsOf(transition: MatchTransition): readonly Finding[] {
  const { kind, key_incident: incident, key_incident_before: incidentBefore } = transition;
  const { score, value, match, goals, remaining } = transition;
  switch (kind) {
    case 'score_changed': {
      const before = remaining === null ? (score?.before ?? null) : remaining.score;
      const after = score?.after ?? null;
      const rise = before === null || after === null ? 0 : riseOf(before, after);
      // Only the provider's result says so: no incident was taken back.
      const hasFallen = before !== null && after !== null && goals.length === 0 && riseOf(after, before) > 0;
      if (rise === 0 && hasFallen && remaining?.cancelled !== true)
        return [finding('goal_cancelled', { score: after, score_before: before })];
      if (rise === 0) return [];
      // Without goals the score is the provider's result. The first list after a result also has goals that the result counted.
      const scored = goals.length === 0 ? [null] : goals.slice(-rise);
      return scored.map((goal) => finding('goal', { incident: goal, score: after, score_before: before }));
    }
    case 'goal_cancelled':
      return [
        finding('goal_cancelled', {
          // A goal may be known as cancelled from the first.
          incident: incidentBefore ?? incident,
          score: score?.after ?? null,
          score_before: score?.before ?? null,
        }),
      ];
    case 'status_changed': {
      const [was, is] = [isFinal(value?.before ?? ''), isFinal(value?.after ?? '')];
      if (was === is) return [];
      return [is ? finding('final', { score: match.score }) : finding('final_withdrawn', {})];
    }
    case 'guard_changed': {
      const [closed, reasons] = [reasonsOf(match.guard_before), reasonsOf(match.guard)];
      const [differed, differs] = [closed, reasons].map((some) => some.includes('score_differs'));
      return [
        ...(reasons.length > 0 && closed.length === 0 ? [finding('guard_closed', { reasons })] : []),
        ...(differs && !differed ? [finding('score_differs', { reasons })] : []),
        ...(differed && !differs ? [finding('score_agrees', { reasons })] : []),
        ...(reasons.length === 0 && closed.length > 0 ? [finding('guard_opened', { reasons: closed })] : []),
      ];
    }
    default:
      return hasRulesOfGoals(match.sport_id) && transition.incident_presence !== null
        ? redCardFindings(incidentBefore, incident)
        : [];
  }
}

function reasonsOf(guard: Guard | null): readonly string[] {
  return guard === null || guard.safe ? [] : guard.reasons;
}

function redCardFindings(before: KeyIncident | null, after: KeyIncident | null): readonly Finding[] {
  const [stood, stands] = [isRedCard(before), isRedCard(after)];
  if (stood && stands && before?.team_id === after?.team_id) return [];
  return [
    ...(stood ? [finding('red_card_cancelled', { incident: before })] : []),
    ...(stands ? [finding('red_card', { incident: after })] : []),
  ];
}

function isRedCard(incident: KeyIncident | null): boolean {
  return incident?.stands === true && incident.incident_type === INCIDENT.redCard;
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
  return { kind, incident: null, score: null, score_before: null, reasons: [], ...detail };
}
