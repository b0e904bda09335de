/** The fields of Touchline's records that a reader needs, as any Avro decoder returns them (docs/reference/topics.md). */

/** Goals of both sides. */
export type ScoreRecord = { readonly home: number; readonly away: number };

/** The guard of match state: whether trading may act on the score. It depends on no clock. */
export type RecordedGuard = { readonly safe: boolean; readonly reasons: readonly string[] };

/** A record of `match-state`. */
export type MatchStateRecord = {
  readonly event_id: number;
  /** Null is unknown. */
  readonly competition_id: number | null;
  /** Number of accepted changes, from 1. */
  readonly version: number;
  /** The provider's status type, e.g. live; null is unknown. */
  readonly status_type: string | null;
  /** The current score, including goals that await confirmation; null is unknown, never zero. */
  readonly score: ScoreRecord | null;
  /** The score without goals that await confirmation; null is unknown, never zero. */
  readonly firm: ScoreRecord | null;
  /** Ids of the goals that count, in order. */
  readonly counting_goals: readonly string[];
  /** The reason why a goal is void, by its id: removed, cancelled, goal_cancelled. */
  readonly void_goals: Readonly<Record<string, string>>;
  readonly guard: RecordedGuard;
  /** The message that made the version: its offset in normalized-messages. */
  readonly cause: { readonly offset: number };
  readonly home: { readonly id: number } | null;
  readonly away: { readonly id: number } | null;
  /** Goals and red cards: who and when. */
  readonly key_incidents: readonly KeyIncidentRecord[];
};

/** A goal or red card of a state. */
export type KeyIncidentRecord = {
  readonly id: string;
  /** The team of the player, also for an own goal. */
  readonly team_id: number | null;
  /** The team whose score a goal that counts raises; null of any other incident. */
  readonly counts_for_id: number | null;
  readonly player_name: string | null;
  /** The minute as shown, e.g. 45+2. */
  readonly minute: string | null;
};

/** A record of `match-transitions`. */
export type TransitionRecord = {
  readonly event_id: number;
  readonly version: number;
  /** Index of the transition within its version, from 0. */
  readonly n: number;
  readonly kind: string;
  /** Null for kinds other than those of incidents and goals. */
  readonly incident_id: string | null;
  /** The score before and after; null for kinds other than those of goals and scores. */
  readonly score: { readonly before: ScoreRecord | null; readonly after: ScoreRecord | null } | null;
};
