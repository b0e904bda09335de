/** The state on which two systems must agree when they received the same matches, by any source. Pure. */
import type { MatchState, MatchTransition } from '#records/types.ts';
import type { PipelineOutput } from '../../support/pipeline.ts';

/** A match without traces of its delivery: versions, causes, times of fields, bytes of bodies. */
export type Essence = ReturnType<typeof essenceOf>;

/** Returns the essence of every match, by event id. */
export function essence({ states, incidents }: PipelineOutput): Record<number, Essence> {
  const all = [...incidents.values()];
  return Object.fromEntries(
    [...states]
      .sort(([a], [b]) => a - b)
      .map(([id, state]) => [
        id,
        essenceOf(
          state,
          all.filter(({ event_id }) => event_id === id),
        ),
      ]),
  );
}

function essenceOf(state: MatchState, registers: readonly RegisterOf[]) {
  const { score, firm, shoot_out, status_id, status_type, verified_result, coverage, under_review } = state;
  const { counting_goals, void_goals, orphans, removed, anomalies, home, away } = state;
  const incidents = registers.flatMap(({ id, removed: gone, incident }) =>
    // Only a delete was published: the incident never existed.
    incident === null
      ? []
      : [
          {
            id,
            removed: gone,
            type: incident.incident_id,
            confirmation: incident.confirmation,
            participant: incident.participant_id,
            status: incident.event_status_id,
            time: incident.event_time,
            parent: incident.parent_id,
            ut: incident.ut,
          },
        ],
  );
  return {
    score,
    firm,
    shoot_out,
    status_id,
    status_type,
    verified_result,
    coverage,
    under_review,
    counting_goals,
    void_goals,
    orphans,
    removed,
    anomalies,
    home: home?.id,
    away: away?.id,
    incidents: incidents.sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

type RegisterOf = PipelineOutput['incidents'] extends ReadonlyMap<string, infer V> ? V : never;

/** Net effect of all transitions of a match. */
export type NetEffect = {
  score: MatchState['score'];
  firm: MatchState['firm'];
  status: string | null;
  readonly removed: string[];
  readonly void: string[];
};

/** Returns the net effect of all transitions by event id: a reader of transitions alone must reach it. */
export function netEffects(transitions: readonly MatchTransition[]): Record<number, NetEffect> {
  const effects = new Map<number, NetEffectState>();
  for (const transition of transitions) {
    const known = effects.get(transition.event_id) ?? { removed: new Set(), void: new Set() };
    effects.set(transition.event_id, known);
    apply(known, transition);
  }
  return Object.fromEntries(
    [...effects]
      .sort(([a], [b]) => a - b)
      .map(([id, { score = null, firm = null, status = null, removed, void: voided }]) => [
        id,
        { score, firm, status, removed: [...removed].sort(), void: [...voided].sort() },
      ]),
  );
}

type NetEffectState = Partial<Pick<NetEffect, 'score' | 'firm' | 'status'>> & {
  readonly removed: Set<string>;
  readonly void: Set<string>;
};

function apply(known: NetEffectState, { kind, incident_id, score, value }: MatchTransition): void {
  const id = incident_id ?? '';
  switch (kind) {
    case 'score_changed':
      known.score = score?.after ?? null;
      break;
    case 'firm_score_changed':
      known.firm = score?.after ?? null;
      break;
    case 'status_changed':
      known.status = value?.after ?? null;
      break;
    case 'incident_removed':
      known.removed.add(id);
      break;
    case 'incident_reinstated':
      known.removed.delete(id);
      break;
    case 'goal_cancelled':
      known.void.add(id);
      break;
    case 'goal_reinstated':
      known.void.delete(id);
      break;
    default:
  }
}

/** Returns the same as `netEffects`, from the states. */
export function netStates({ states }: PipelineOutput): Record<number, NetEffect> {
  return Object.fromEntries(
    [...states]
      .sort(([a], [b]) => a - b)
      .map(([id, { score, firm, status_id, status_type, removed, void_goals }]) => [
        id,
        {
          score,
          firm,
          status: `${status_id} ${status_type}`,
          removed: removed.toSorted(),
          void: Object.keys(void_goals).sort(),
        },
      ]),
  );
}

/** Returns transition ids that were published more than once. */
export function publishedTwice({ transitions }: PipelineOutput): string[] {
  const seen = new Set<string>();
  return transitions.flatMap(({ id }) => {
    if (seen.has(id)) return [id];
    seen.add(id);
    return [];
  });
}
