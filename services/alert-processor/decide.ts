/** Finds the alerts in transitions: docs/guides/alerts.md. Pure. */
import { INCIDENT } from '#contract/soccer.ts';
import { hasResult } from '#domain/result.ts';
import type { Alert, MatchTransition, Score } from '#topics/generated/types.ts';
import type { AlertKind } from './rules.ts';

/** An alert before rules and names are applied. */
export type Finding = {
  readonly kind: AlertKind;
  readonly reasons: readonly string[];
} & Pick<Alert, 'incident_id' | 'score' | 'score_before'>;

/** A status in transitions, e.g. `11 finished`; without the id when the provider sends none. */
const STATUS = /^(?:(\d+) )?([a-z]+)$/;

/**
 * Returns the findings of a transition. `closed`: the reasons of the match's guard before it, empty when the guard was open.
 * A goal is a score that rises from a known one: the first known score is no goal. Each of several goals of one version is
 * a finding.
 */
export function findingsOf(transition: MatchTransition, closed: readonly string[]): readonly Finding[] {
  const { kind, incident_id, incident_type, score, value, guard, incident_presence, goals } = transition;
  switch (kind) {
    case 'score_changed': {
      const { before, after } = score ?? { before: null, after: null };
      const rise = before === null || after === null ? 0 : riseOf(before, after);
      if (rise === 0) return [];
      // Without goals the score is the provider's result. The first list after a result also has goals that the result counted.
      const ids = goals.length === 0 ? [null] : goals.slice(-rise);
      return ids.map((id) => finding('goal', { incident_id: id, score: after, score_before: before }));
    }
    case 'goal_cancelled':
      return [
        finding('goal_cancelled', {
          incident_id,
          score: score?.after ?? null,
          score_before: score?.before ?? null,
        }),
      ];
    case 'incident_added':
      // A card that is already removed or cancelled was never valid.
      return incident_type === INCIDENT.redCard &&
        incident_presence?.removed !== true &&
        incident_presence?.incident?.confirmation !== 'cancelled'
        ? [finding('red_card', { incident_id })]
        : [];
    case 'status_changed': {
      const [was, is] = [isFinal(value?.before ?? ''), isFinal(value?.after ?? '')];
      if (was === is) return [];
      return [finding(is ? 'final' : 'final_withdrawn', {})];
    }
    case 'guard_changed': {
      const reasons = guard?.safe === false ? guard.reasons : [];
      const differs = reasons.includes('score_differs') && !closed.includes('score_differs');
      return [
        ...(reasons.length > 0 && closed.length === 0 ? [finding('guard_closed', { reasons })] : []),
        ...(differs ? [finding('score_differs', { reasons })] : []),
      ];
    }
    default:
      return [];
  }
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
  return { kind, incident_id: null, score: null, score_before: null, reasons: [], ...detail };
}
