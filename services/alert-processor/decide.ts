/** What a transition is an alert of. Pure: docs/guides/alerts.md. */
import { INCIDENT } from '#contract/soccer.ts';
import { hasResult } from '#domain/result.ts';
import type { Alert, MatchTransition, Score } from '#topics/generated/types.ts';
import type { AlertKind } from './rules.ts';

/** An alert before rules and names. */
export type Finding = {
  readonly kind: AlertKind;
  readonly reasons: readonly string[];
} & Pick<Alert, 'incident_id' | 'score' | 'score_before'>;

/** A status of transitions, e.g. `11 finished`; without the id where the provider names none. */
const STATUS = /^(?:(\d+) )?([a-z]+)$/;

/**
 * What a transition reports; `closed` are the reasons of the match's guard before it, none where it was open. A goal is a score that
 * rises from a known one: the first score that is known at all is no goal. Several
 * goals of one version are a finding each.
 */
export function findingsOf(transition: MatchTransition, closed: readonly string[]): readonly Finding[] {
  const { kind, incident_id, incident_type, score, value, guard, incident_presence, goals } = transition;
  switch (kind) {
    case 'score_changed': {
      const { before, after } = score ?? { before: null, after: null };
      const rise = before === null || after === null ? 0 : riseOf(before, after);
      if (rise === 0) return [];
      // Without goals the score is the provider's result; the first list after one also has the goals that it counted.
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
      // One that is taken back already was never seen to stand.
      return incident_type === INCIDENT.redCard &&
        incident_presence?.removed !== true &&
        incident_presence?.incident?.confirmation !== 'cancelled'
        ? [finding('red_card', { incident_id })]
        : [];
    case 'status_changed':
      return isFinal(value?.after ?? '') && !isFinal(value?.before ?? '') ? [finding('final', {})] : [];
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

/** By how many goals a score rises, of both sides together. */
function riseOf(before: Score, after: Score): number {
  return Math.max(after.home - before.home, 0) + Math.max(after.away - before.away, 0);
}

/** Whether a match of this status has its result. */
function isFinal(status: string): boolean {
  const [, id, type = null] = STATUS.exec(status) ?? [];
  return hasResult(id === undefined ? null : Number(id), type);
}

function finding(kind: AlertKind, detail: Partial<Omit<Finding, 'kind'>>): Finding {
  return { kind, incident_id: null, score: null, score_before: null, reasons: [], ...detail };
}
