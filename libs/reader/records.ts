/** The fields of Touchline's records that a reader needs, as any Avro decoder gives them (docs/reference/topics.md). */

/** Goals of both sides. */
export type Score = { readonly home: number; readonly away: number };

/** Whether trading may act on the score as far as match state knows; it knows no clock. */
export type RecordedGuard = { readonly safe: boolean; readonly reasons: readonly string[] };

/** A record of `match-state`. */
export type MatchStateRecord = {
  readonly event_id: number;
  /** Counts accepted changes, from 1. */
  readonly version: number;
  /** The provider's, e.g. live; null is unknown. */
  readonly status_type: string | null;
  /** The score without goals that await confirmation; null is unknown, never zero. */
  readonly firm: Score | null;
  /** Ids of the goals that count, in order. */
  readonly counting_goals: readonly string[];
  /** Why a goal is void, by its id: removed, cancelled, goal_cancelled. */
  readonly void_goals: Readonly<Record<string, string>>;
  readonly guard: RecordedGuard;
};

/** A record of `match-transitions`. */
export type TransitionRecord = {
  readonly event_id: number;
  readonly version: number;
  /** Numbers the transitions of a version, from 0. */
  readonly n: number;
  readonly kind: string;
  /** Of incident and goal kinds. */
  readonly incident_id: string | null;
};
