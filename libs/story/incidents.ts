import { incidentMinute } from '#domain/clock.ts';
import { GOAL_TYPES, isInShootOut, sameScore, scoresAfter } from '#domain/goals.ts';
import { object, text } from '#domain/values.ts';
import type { Score } from '#records/types.ts';
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import { INCIDENT, POSSIBLE_INCIDENTS } from '#soccer/soccer.ts';
import type { ShownIncident, ShownState, StoryStep } from '#views/store/board-view.ts';
import { movedGoals } from '#views/store/story-steps.ts';
import { lateBy } from './minute.ts';
import { scoreWords } from './words.ts';

/** An important incident on the page of a match. */
export type TimelineEntry = ReturnType<typeof entryOf>;

/** One change of an incident. */
export type IncidentStep = TimelineEntry['story'][number];

const GOAL_KINDS: ReadonlySet<string> = new Set(['goal_cancelled', 'goal_reinstated']);

const VOID_GOALS: Readonly<Record<string, string>> = {
  removed: 'Does not count: the provider removed it.',
  cancelled: 'Does not count: the provider cancelled it.',
  goal_cancelled: 'Does not count: cancelled by a “goal cancelled” incident.',
};
const ANOMALIES: Readonly<Record<string, string>> = {
  for_all: 'Counts for no one: the provider says it is for all.',
  for_none: 'Counts for no one: the provider says it is for none.',
  unknown_for: 'Counts for no one: the side it counts for is unknown.',
  unknown_participant: 'Counts for no one: its team is not one of the two.',
};

/** Returns the important incidents with their stories, in the order of their ids: the provider's order, which is not that of time. */
export function timelineOf(
  state: ShownState,
  incidents: readonly ShownIncident[],
  story: readonly StoryStep[],
): TimelineEntry[] {
  const context = {
    state,
    stories: Map.groupBy(story, ({ incident_id }) => incident_id),
    effects: effectsOf(story),
    running: runningScores(state, incidents),
    anomalies: new Map(
      state.anomalies.map((anomaly) => {
        const at = anomaly.lastIndexOf(':');
        return [anomaly.slice(0, at), anomaly.slice(at + 1)];
      }),
    ),
  };
  return incidents
    .filter(({ important, incident_id }) => important || POSSIBLE_INCIDENTS.has(incident_id))
    .map((incident) => entryOf(incident, context));
}

type StoryContext = {
  readonly state: ShownState;
  readonly stories: ReadonlyMap<string | null, readonly StoryStep[]>;
  readonly effects: ReturnType<typeof effectsOf>;
  readonly running: ReturnType<typeof runningScores>;
  readonly anomalies: ReadonlyMap<string, string>;
};
/** The changes of the score and of the firm score, e.g. `1–0 → 2–0`; null: no change. */
type ScoreEffect = { readonly score: string | null; readonly firm: string | null };

function entryOf(incident: ShownIncident, context: StoryContext) {
  const { state, stories, anomalies, running, effects } = context;
  const { id, incident_id, record } = incident;
  const anomaly = anomalies.get(id);
  return {
    id,
    incident_id,
    name: INCIDENT_TYPES_OF_SOCCER.get(incident_id)?.name ?? textOf(record.incident_name) ?? 'Incident',
    kind: kindOf(incident_id),
    card: incident_id === INCIDENT.redCard ? 'red' : incident_id === INCIDENT.yellowCard ? 'yellow' : null,
    participant_id: incident.participant_id,
    participant_name: textOf(record.participant_name),
    player: textOf(record.subparticipant_name),
    assistant: textOf(object(record.additional_info)?.assistant_name),
    /** Seconds of match time; null when unknown. */
    time: incident.event_time,
    /** Spec, rule 7; null when the time is unknown, and in a shoot-out. */
    minute: minuteOf(incident, state),
    in_shoot_out: isInShootOut(incident),
    confirmation: incident.confirmation,
    /** Minutes of added time; null when unknown, and for other incidents. */
    added: incident_id === INCIDENT.addedTime ? textOf(record.info) : null,
    /** The score after a goal that counts, e.g. `1–0`; null when unknown, and for other incidents. */
    running_score: runningWords(id, running),
    /** The player who left, for a substitution; `pairSubstitutions` sets it. */
    replaces: null as string | null,
    /** The reason why the incident is void; null when it stands. */
    void: voidOf(incident, state, effects.goals.get(id)),
    /** Id of the last incident that made this one void; null when no incident did. */
    void_by: cancellersOf(id, state).at(-1) ?? null,
    /** A remark, such as an anomaly or a pending confirmation; null: none. */
    note: anomaly === undefined ? noteOf(incident, state) : (ANOMALIES[anomaly] ?? anomaly),
    story: storyOf(incident, stories.get(id) ?? [], effects),
  };
}

/** Returns the ids of the incidents that cancelled a goal; empty when none did. */
export function cancellersOf(
  id: string,
  { void_goals, void_by }: Pick<ShownState, 'void_goals' | 'void_by'>,
): readonly string[] {
  return void_goals[id] === 'goal_cancelled' ? (void_by[id] ?? []) : [];
}

/** Returns the minute of an incident, e.g. `45+2`; null when it is unknown, and in a shoot-out. */
export function minuteOf(
  incident: ShownIncident,
  { clock_rule }: Pick<ShownState, 'clock_rule'>,
): string | null {
  return isInShootOut(incident) ? null : incidentMinute(incident, clock_rule.lengths);
}

/** Returns the score after each goal by its id, of match and shoot-out apart; empty when it is not derived. `incidents`: in the provider's order. */
function runningScores(
  state: Pick<ShownState, 'source' | 'counting_goals' | 'void_goals' | 'home' | 'away'>,
  incidents: readonly ShownIncident[],
): { readonly played: ReadonlyMap<string, Score>; readonly kicked: ReadonlyMap<string, Score> } {
  if (state.source !== 'incidents') return { played: new Map(), kicked: new Map() };
  const scoring = new Map(
    incidents.map(({ id, incident_id, participant_id, record }) => [
      id,
      { incident_id, participant_id, counts_for: text(record.for) },
    ]),
  );
  // Match state does not list the kicks of a shoot-out, as they do not change the score.
  const kicks = incidents.filter(
    (incident) =>
      GOAL_TYPES.has(incident.incident_id) && isInShootOut(incident) && !(incident.id in state.void_goals),
  );
  const kickIds = kicks.map(({ id }) => id);
  return {
    played: scoresAfter(state.counting_goals, scoring, state),
    kicked: scoresAfter(kickIds, scoring, state),
  };
}

function runningWords(id: string, { played, kicked }: StoryContext['running']): string | null {
  const kick = kicked.get(id);
  if (kick !== undefined) return `${scoreWords(kick)} pens`;
  const score = played.get(id);
  return score === undefined ? null : scoreWords(score);
}

function kindOf(type: number): 'goal' | 'goal_cancelled' | 'card' | 'added_time' | 'period' | 'other' {
  if (GOAL_TYPES.has(type)) return 'goal';
  if (type === INCIDENT.goalCancelled) return 'goal_cancelled';
  if (type === INCIDENT.addedTime) return 'added_time';
  if (type === INCIDENT.redCard || type === INCIDENT.yellowCard) return 'card';
  return INCIDENT_TYPES_OF_SOCCER.get(type)?.type === 'event' ? 'period' : 'other';
}

/** Returns why an incident is void: `removed`, `cancelled`, or of a goal `goal_cancelled`; null when it stands. */
export function whyVoid(
  incident: ShownIncident,
  { void_goals }: Pick<ShownState, 'void_goals'>,
): string | null {
  return void_goals[incident.id] ?? takenBack(incident);
}

/** Returns how the provider took an incident back; null when it did not. */
function takenBack({ removed, confirmation }: ShownIncident): 'removed' | 'cancelled' | null {
  if (removed) return 'removed';
  return confirmation === 'cancelled' ? 'cancelled' : null;
}

function voidOf(incident: ShownIncident, state: ShownState, goal: string | undefined): string | null {
  const ofGoal = state.void_goals[incident.id];
  if (ofGoal !== undefined) return VOID_GOALS[ofGoal] ?? ofGoal;
  const why = takenBack(incident);
  if (why === null) return null;
  if (incident.incident_id === INCIDENT.goalCancelled)
    return goal !== undefined && state.void_goals[goal] === undefined
      ? 'Cancellation withdrawn: goal stands.'
      : 'Cancellation withdrawn.';
  return `Void: the provider ${why} it.`;
}

function noteOf({ id, incident_id, confirmation }: ShownIncident, state: ShownState): string | null {
  if (state.orphans.includes(id)) return 'Matches no known goal: no goal is cancelled.';
  if (state.missing.includes(id)) return 'Not on the provider’s latest list; its removal is not proven.';
  if (confirmation !== 'tbd') return null;
  return incident_id === INCIDENT.goalCancelled
    ? 'Awaiting confirmation: the goal counts until then.'
    : 'Awaiting confirmation.';
}

/** Returns one step for each version: all changes by one message. */
function storyOf(
  { confirmation }: ShownIncident,
  steps: readonly StoryStep[],
  { scores, moves }: StoryContext['effects'],
) {
  const decided = steps.some(({ kind }) => kind === 'incident_confirmed' || kind === 'incident_cancelled');
  return Array.from(Map.groupBy(steps, ({ version }) => version).values(), (changes) => {
    const kinds = changes.map(({ kind }) => kind);
    const effect = changes.map(({ id }) => scores.get(id)).find((found) => found !== undefined);
    const isMove = changes.some(({ id }) => moves.has(id));
    const { version, ut, received_at } = changes[0] as StoryStep;
    return {
      version,
      ut,
      received_at,
      /** As of `lateBy`. */
      late: lateBy({ ut, received_at }),
      what: stepWords(kinds, decided ? 'tbd' : confirmation, isMove),
      ...(effect ?? { score: null, firm: null }),
    };
  });
}

const FIRST_REPORTS: Readonly<Record<string, string>> = {
  tbd: 'Reported, awaiting confirmation',
  confirmed: 'Reported, confirmed',
  cancelled: 'Reported as cancelled',
};
/** What a step says of its incident, by kind. */
export const STEP_WORDS: Readonly<Record<string, string>> = {
  incident_confirmed: 'Confirmed',
  incident_cancelled: 'Cancelled by the provider',
  incident_removed: 'Removed by the provider',
  incident_reinstated: 'Restored by the provider',
  incident_missing: 'Not on the provider’s latest list',
  incident_listed: 'Listed or reported again',
  incident_amended: 'Details changed',
  incident_deleted_unseen: 'Deleted before it was received',
};

function stepWords(kinds: readonly string[], first: string | null, isMove: boolean): string {
  const own = kinds
    .filter((kind) => !GOAL_KINDS.has(kind))
    .map((kind) =>
      kind === 'incident_added' ? (FIRST_REPORTS[first ?? ''] ?? 'Reported') : (STEP_WORDS[kind] ?? kind),
    );
  if (isMove) own.push('it now counts for the other team');
  else if (kinds.includes('goal_cancelled')) {
    own.push(own.length === 0 ? 'Cancelled by a “goal cancelled” incident' : 'it no longer counts');
  }
  if (kinds.includes('goal_reinstated'))
    own.push(own.length === 0 ? 'Cancellation withdrawn: goal stands' : 'it counts again');
  return own.join('; ');
}

/** Returns what the versions of a story did to the score and its goals. */
export function effectsOf(story: readonly StoryStep[]) {
  /** The effect of each version on the score, by the id of the last step of the goal that explains it. */
  const scores = new Map<string, ScoreEffect>();
  /** Ids of the steps with which a goal began to count for the other team. */
  const moves = new Set<string>();
  /** The goal that each goal-cancelled incident named last, by the incident's id: the same message changed both. */
  const goals = new Map<string, string>();
  for (const changes of Map.groupBy(story, ({ version }) => version).values()) {
    const moved = movedGoals(changes);
    const cancellations = changes.filter(({ kind }) => kind === 'goal_cancelled');
    for (const { id, incident_id } of cancellations) if (moved.has(incident_id ?? '')) moves.add(id);
    const canceller = changes.find(({ incident_type }) => incident_type === INCIDENT.goalCancelled);
    const goal = changes.find(({ kind }) => GOAL_KINDS.has(kind))?.incident_id;
    if (canceller?.incident_id != null && goal != null) goals.set(canceller.incident_id, goal);
    const change = (of: string) => changes.find(({ kind }) => kind === of)?.score ?? null;
    const [score, firm] = [change('score_changed'), change('firm_score_changed')];
    // Goals of one list may do both: a goal that it cancels raises no score.
    const cancelled = new Set(
      cancellations.flatMap(({ incident_id: id }) => (moved.has(id ?? '') ? [] : [id])),
    );
    const ofStanding = changes.findLast(
      ({ incident_id: id, incident_type }) =>
        id !== null && GOAL_TYPES.has(incident_type ?? 0) && !cancelled.has(id),
    );
    const ofCancelled = changes.findLast((step) => cancelled.has(step.incident_id));
    const known = score ?? firm;
    const isLess = sumOf(known?.after) < sumOf(known?.before);
    const cause = isLess ? (ofCancelled ?? ofStanding) : ofStanding;
    const effect = { score: changeWords(score), firm: changeWords(firm) };
    if (cause !== undefined && (effect.score !== null || effect.firm !== null)) scores.set(cause.id, effect);
  }
  return { scores, moves, goals };
}

/** Returns the goals of both sides; 0 where the score is unknown. */
export function sumOf(score: Score | null | undefined): number {
  return score == null ? 0 : score.home + score.away;
}

/** Returns e.g. `1–0 → 2–0`; null when both are the same, or nothing changed. */
function changeWords(change: StoryStep['score']): string | null {
  if (change === null || sameScore(change.before, change.after)) return null;
  return `${scoreWords(change.before)} → ${scoreWords(change.after)}`;
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}
