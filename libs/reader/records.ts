/** The fields of Touchline's records that a reader needs, as any Avro decoder gives them (docs/reference/topics.md). */

/** Goals of both sides. */
export type ScoreRecord = { readonly home: number; readonly away: number };

/** Whether trading may act on the score as far as match state knows; it knows no clock. */
export type RecordedGuard = { readonly safe: boolean; readonly reasons: readonly string[] };

/** A record of `match-state`. */
export type MatchStateRecord = {
  readonly event_id: number;
  /** Counts accepted changes, from 1. */
  readonly version: number;
  /** The provider's, e.g. live; null is unknown. */
  readonly status_type: string | null;
  /** The current score, goals that await confirmation included; null is unknown, never zero. */
  readonly score: ScoreRecord | null;
  /** The score without goals that await confirmation; null is unknown, never zero. */
  readonly firm: ScoreRecord | null;
  /** Ids of the goals that count, in order. */
  readonly counting_goals: readonly string[];
  /** Why a goal is void, by its id: removed, cancelled, goal_cancelled. */
  readonly void_goals: Readonly<Record<string, string>>;
  readonly guard: RecordedGuard;
  /** Goals and red cards: who and when. */
  readonly key_incidents?: readonly KeyIncidentRecord[];
};

/** A goal or red card of a state. */
type KeyIncidentRecord = {
  readonly id: string;
  /** The team that it names; of an own goal, the scorer's. */
  readonly team_id: number | null;
  readonly player_name: string | null;
  /** As shown, e.g. 45+2. */
  readonly minute: string | null;
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
  /** Before and after, of kinds of goals and scores. */
  readonly score: { readonly before: ScoreRecord | null; readonly after: ScoreRecord | null } | null;
};
