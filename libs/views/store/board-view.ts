/** What the live board is shown from: plain values. */

import type { TreeLevel } from '#contract/rest/tree.ts';
import type { Incident, MatchState, MatchTransition, StandingsEntry } from '#topics/generated/types.ts';

/** The state of a match without the memory of its register. */
export type ShownState = Omit<MatchState, 'fields'> & {
  /** Whether extra time was played; null where unknown. */
  readonly extra_time: boolean | null;
};

/** An incident as it is known now, removed or not. */
export type ShownIncident = Readonly<Omit<Incident, 'counts_for' | 'body'>> & {
  readonly removed: boolean;
  /** When its latest record was received, Unix milliseconds. */
  readonly received_at: number;
  /** Of an important soccer type, or marked important. */
  readonly important: boolean;
  /** The record as `GET /v2/events/{id}/incidents` shows it: names of types, players and so on. */
  readonly record: Readonly<Record<string, unknown>>;
};

/** One thing that changed: a transition that belongs to the story of the match. */
export type StoryStep = Pick<
  MatchTransition,
  'id' | 'version' | 'n' | 'kind' | 'incident_id' | 'incident_type' | 'score' | 'value' | 'guard'
> & {
  /** The provider's time, Unix seconds. */
  readonly ut: number;
  /** Unix milliseconds. */
  readonly received_at: number;
};

export function storyStepOf(transition: MatchTransition): StoryStep {
  const { id, version, n, kind, incident_id, incident_type, score, value, guard, cause } = transition;
  const { ut, received_at } = cause;
  return { id, version, n, kind, incident_id, incident_type, score, value, guard, ut, received_at };
}

/** Where a match is. */
export type PlaceIds = Pick<MatchState, `${TreeLevel}_id`>;

/** Names by level; null where unknown. */
export type PlaceNames = Readonly<Record<TreeLevel, string | null>>;

/** A table that there is. */
export type TableEntry = Readonly<
  Pick<
    StandingsEntry,
    'standings_id' | 'name' | 'type_id' | 'type_name' | 'subtype' | 'object_type' | 'object_id'
  >
>;

/** A season that has matches or tables. */
export type SeasonEntry = {
  readonly season_id: number;
  readonly season: string | null;
  readonly competition_id: number | null;
  readonly competition: string | null;
};

export type KnockOutMatch = {
  readonly state: ShownState;
  /** The name of its round within the stage; null where it has none. */
  readonly round: string | null;
  /** The participant that the provider marks as the one that advances; null where it marks none. */
  readonly advancing_id: number | null;
  /** The same of the winner of this match alone. */
  readonly winner_id: number | null;
  /** The events of its series, its own maybe among them; empty where none was reported. */
  readonly series: readonly number[];
};

/** A stage that has brackets and no table of its own. */
export type KnockOutStage = {
  readonly stage_id: number;
  readonly name: string | null;
  /** By start and id. */
  readonly matches: readonly KnockOutMatch[];
};
