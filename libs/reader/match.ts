import { nextState } from '../trading/trading.ts';
import type { KeyIncidentRecord, MatchStateRecord, ScoreRecord, TransitionRecord } from './records.ts';

/** The status of a goal. */
export type GoalStatus = 'stands' | 'cancelled';

/** A change that a reader acts on. */
export type ReaderChange =
  | {
      readonly kind: 'goal';
      readonly eventId: number;
      /** The match's version at which the goal has this status. */
      readonly version: number;
      readonly incidentId: string;
      readonly status: GoalStatus;
      /** Why the goal is cancelled: as in match state; `not_counted`: for no side; `corrected`: for another team. Null while unknown. */
      readonly reason: string | null;
      /** The team of the scorer, also for an own goal. Null if unknown, as the next two fields. */
      readonly teamId: number | null;
      readonly player: string | null;
      /** The minute as shown, e.g. `45+2`. */
      readonly minute: string | null;
      /** The match's score with the previous report; null before the first, and if unknown. */
      readonly before: ScoreRecord | null;
      /** The match's score with this report; null if unknown. */
      readonly score: ScoreRecord | null;
    }
  | {
      /** The scorer of a goal that stands became known, or was corrected. */
      readonly kind: 'scorer';
      readonly eventId: number;
      readonly version: number;
      readonly incidentId: string;
      readonly teamId: number | null;
      readonly player: string;
      readonly minute: string | null;
    }
  | {
      /** Transitions of the versions from `version` to `until` were not read. The state of the match is still right. */
      readonly kind: 'gap';
      readonly eventId: number;
      readonly version: number;
      readonly until: number;
    };

/** A goal as last reported. */
type ReportedGoal = {
  readonly status: GoalStatus;
  /** The team that it counted for while it stood, and the scorer's; null: unknown. */
  readonly countsFor: number | null;
  readonly teamId: number | null;
  readonly player: string | null;
};

/** A match: its newest state and transition, and its goals as reported. */
export class ReaderMatch<S extends MatchStateRecord = MatchStateRecord> {
  readonly #eventId: number;
  /** The newest state, as `nextState` holds it; null before the first. */
  state: S | null = null;
  /** The newest version of which a transition was read. */
  changed = 0;
  #n = -1;
  /** The version at which a transition newer than the state cancelled a goal, by goal. */
  readonly #cancelledAt = new Map<string, number>();
  readonly #reported = new Map<string, ReportedGoal>();
  #score: ScoreRecord | null = null;
  #reportedScore: ScoreRecord | null = null;

  constructor(eventId: number) {
    this.#eventId = eventId;
  }

  /** Applies a state. Returns false if it is not newer than the known one; one that denies it closes its guard. */
  applyState(state: S): boolean {
    this.state = nextState(this.state, state);
    if (this.state !== state) return false;
    for (const [id, version] of this.#cancelledAt) if (version <= state.version) this.#cancelledAt.delete(id);
    if (this.#cancelledAt.size === 0) this.#score = state.score;
    return true;
  }

  /** Skips the transitions up to the version of the state, which includes them. */
  startAfterState(): void {
    const version = this.state?.version ?? 0;
    if (version <= this.changed) return;
    this.changed = version;
    this.#n = Number.POSITIVE_INFINITY;
  }

  /** Applies a transition. Returns null if it is not newer than the last one; else the gap before it, if there is one. */
  applyTransition(transition: TransitionRecord): readonly ReaderChange[] | null {
    const { version, n, kind, incident_id, score } = transition;
    const last = this.changed;
    if (version < last || (version === last && n <= this.#n)) return null;
    this.changed = version;
    this.#n = n;
    if (kind === 'goal_cancelled' && incident_id !== null && version > (this.state?.version ?? 0)) {
      this.#cancelledAt.set(incident_id, version);
      if (score !== null) this.#score = score.after;
    }
    if (version <= last + 1) return [];
    return [{ kind: 'gap', eventId: this.#eventId, version: last + 1, until: version - 1 }];
  }

  /** Returns the goals whose status differs from the reported one. From then on their status is the reported one. */
  report(): readonly ReaderChange[] {
    const { version = 0, counting_goals = [], void_goals = {}, key_incidents = [] } = this.state ?? {};
    const now = new Map<string, { status: GoalStatus; reason: string | null; version: number }>();
    for (const [id, { status }] of this.#reported)
      if (status === 'stands') now.set(id, { status: 'cancelled', reason: 'not_counted', version });
    for (const id of counting_goals) now.set(id, { status: 'stands', reason: null, version });
    for (const [id, reason] of Object.entries(void_goals))
      now.set(id, { status: 'cancelled', reason, version });
    // A cancelled goal that was not reported as standing is reported with the next state.
    for (const [id, at] of this.#cancelledAt)
      if (this.#reported.get(id)?.status !== 'stands') now.delete(id);
      else now.set(id, { status: 'cancelled', reason: void_goals[id] ?? null, version: at });
    const changes: ReaderChange[] = [];
    const keys = new Map<string, Partial<KeyIncidentRecord>>(key_incidents.map((key) => [key.id, key]));
    const eventId = this.#eventId;
    let before = this.#reportedScore;
    for (const [incidentId, { status }] of now) {
      const reported = this.#reported.get(incidentId);
      const { counts_for_id: countsFor = null, minute = null } = keys.get(incidentId) ?? {};
      if (status !== 'stands' || reported?.status !== 'stands' || reported.countsFor === null) continue;
      if (countsFor === null || countsFor === reported.countsFor) continue;
      const { teamId, player } = reported;
      this.#reported.set(incidentId, { ...reported, status: 'cancelled' });
      const score = this.#without(before, reported.countsFor);
      const what = { kind: 'goal', status: 'cancelled', reason: 'corrected' } as const;
      changes.push({ ...what, eventId, version, incidentId, teamId, player, minute, before, score });
      before = score;
    }
    for (const [incidentId, { status, reason, version: at }] of now) {
      const { team_id: teamId = null, player_name: player = null, ...key } = keys.get(incidentId) ?? {};
      const { minute = null, counts_for_id: countsFor = null } = key;
      const is = { eventId, version: at, incidentId, teamId, minute };
      const reported = this.#reported.get(incidentId);
      if (reported?.status !== status) {
        this.#reported.set(incidentId, { status, countsFor, teamId, player });
        changes.push({ kind: 'goal', ...is, player, status, reason, before, score: this.#score });
      } else if (status === 'stands' && player !== null && player !== reported.player) {
        this.#reported.set(incidentId, { ...reported, player });
        changes.push({ kind: 'scorer', ...is, player });
      }
    }
    this.#reportedScore = this.#score;
    return changes;
  }

  #without(score: ScoreRecord | null, team: number): ScoreRecord | null {
    if (score === null) return null;
    if (team === this.state?.home?.id) return { home: score.home - 1, away: score.away };
    return team === this.state?.away?.id ? { home: score.home, away: score.away - 1 } : score;
  }
}
