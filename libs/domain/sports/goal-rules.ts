/** What the laws of goals and of the guard know of a sport: one table for each, as data. */

/** The signals of incidents for the guard. Law 9 reads the last of each alone: a message costs the same in a long timeline. */
export const SIGNALS = [
  'possible_goal',
  'possible_card',
  'possible_penalty',
  'possible_var',
  'goal_decided',
  'card_decided',
  'penalty_decided',
  'var_decided',
  'game_break',
  'play',
  'interruption',
  'other_status',
] as const;

export type Signal = (typeof SIGNALS)[number];

/** Types of incidents by the signal that they give. */
export type SignalTable = Readonly<Partial<Record<Signal, readonly number[]>>>;

/** Whose goal an incident is: the participant's own, the other side's, nobody's. */
type CountsFor = 'all' | 'own' | 'rival' | 'none';

/** The types of incidents that the laws read in a sport. A type belongs to one sport alone. */
export type GoalRules = {
  /** Goals, in play or in the shoot-out. */
  readonly goals: readonly number[];
  /** Goals of a team's own player for the other side. */
  readonly own_goals: readonly number[];
  /** What cancels a goal. */
  readonly cancellations: readonly number[];
  readonly red_cards: readonly number[];
  readonly yellow_cards: readonly number[];
  /** What shows that the timeline is reported from its start. */
  readonly starts: readonly number[];
  /** Whose goal a type is where the incident does not say it. */
  readonly counts_for: ReadonlyMap<number, CountsFor>;
  /** Signals of what happened. A cancelled incident gives none. */
  readonly happened: SignalTable;
  /** Signals of decisions. A cancelled one decides too: against what it would have decided. */
  readonly decided: SignalTable;
};
