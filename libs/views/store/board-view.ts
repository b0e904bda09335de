/** The values that the live board shows. */

import type { TreeLevel } from '#contract/rest/tree.ts';
import type { ClockRule } from '#domain/clock.ts';
import { clockRuleOf, statusNameOf } from '#domain/event-facts.ts';
import { EventRegister } from '#domain/event-register.ts';
import { type PeriodResult, periodResults } from '#domain/sports/periods.ts';
import type { Incident, MatchState, MatchTransition, Standings } from '#records/types.ts';

/** The state of a match without the memory of its register. */
export type ShownState = Omit<MatchState, 'reports'> & {
  /** How its clock is read. */
  readonly clock_rule: ClockRule;
  /** The name of its status as the provider reported it with the status; null where it reported none. */
  readonly status_name: string | null;
  /** The results of its quarters, periods or sets; none in soccer. */
  readonly periods: readonly PeriodResult[];
};

/** Returns what surfaces show of a match state. `event`: its register, where it was restored already. */
export function shownStateOf(
  { reports, ...state }: MatchState,
  event = EventRegister.restore(reports),
): ShownState {
  const { sport_id } = state;
  return {
    ...state,
    clock_rule: clockRuleOf(sport_id, event),
    status_name: statusNameOf(event),
    periods: periodResults(sport_id, event.sides()),
  };
}

/** The current value of an incident, removed or not. */
export type ShownIncident = Readonly<
  Pick<
    Incident,
    | 'id'
    | 'incident_id'
    | 'participant_id'
    | 'confirmation'
    | 'event_status_id'
    | 'event_time'
    | 'parent_id'
    | 'ut'
  >
> & {
  readonly removed: boolean;
  /** Time at which its latest record was received, Unix milliseconds. */
  readonly received_at: number;
  /** Whether its record or else its type marks it as important. */
  readonly important: boolean;
  /** The record as `GET /v2/events/{id}/incidents` shows it, with names of types and players. */
  readonly record: Readonly<Record<string, unknown>>;
};

/** What decides which side a goal counts for, and in which half it was. */
export type ScoringIncident = Readonly<
  Pick<Incident, 'incident_id' | 'participant_id' | 'counts_for' | 'event_status_id'>
>;

/** A transition that belongs to the story of its match. */
export type StoryStep = Readonly<ReturnType<typeof storyStepOf>>;

export function storyStepOf(transition: MatchTransition) {
  const { id, version, n, kind, incident_id, incident_type, score, value } = transition;
  const { key_incident, key_incident_before, match, goals, cause } = transition;
  return {
    id,
    version,
    n,
    kind,
    incident_id,
    incident_type,
    /** Of a goal that no longer counts: the team that it named. */
    team_id: kind === 'goal_cancelled' ? ((key_incident_before ?? key_incident)?.team_id ?? null) : null,
    score,
    value,
    /** The new guard, where it changed. */
    guard: kind === 'guard_changed' ? match.guard : null,
    /** Ids of the goals that began to count for their team. */
    goals: goals.map((goal) => goal.id),
    /** The provider's time, Unix seconds. */
    ut: cause.ut,
    /** Unix milliseconds. */
    received_at: cause.received_at,
  };
}

/** Ids of competition, season, stage and group of a match; null where unknown. */
export type LevelIds = Pick<MatchState, `${TreeLevel}_id`>;

/** Names of competition, season, stage and group of a match; null where unknown. */
export type LevelNames = Readonly<Record<TreeLevel, string | null>>;

export type TableEntry = Readonly<
  Pick<Standings, 'standings_id' | 'name' | 'type_id' | 'type_name' | 'subtype' | 'object_type' | 'object_id'>
>;

export type SeasonEntry = {
  readonly season_id: number;
  readonly season: string | null;
  readonly competition_id: number | null;
  readonly competition: string | null;
};

type KnockOutMatch = {
  readonly state: ShownState;
  /** Name of its round within the stage; null if it has none. */
  readonly round: string | null;
  /** The participant that advances, as marked by the provider; null if none is marked. */
  readonly advancing_id: number | null;
  /** The winner of this match alone, as marked by the provider; null if none is marked. */
  readonly winner_id: number | null;
  /** Ids of the events of its series, which may include its own id; empty if none was reported. */
  readonly series: readonly number[];
};

/** A stage with brackets and without a table. */
export type KnockOutStage = {
  readonly stage_id: number;
  readonly name: string | null;
  /** Ordered by start and id. */
  readonly matches: readonly KnockOutMatch[];
};
