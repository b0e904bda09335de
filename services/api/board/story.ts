import { INCIDENT_TYPES_OF_SOCCER } from '#contract/incident-types.ts';
import { INCIDENT, POSSIBLE_INCIDENTS } from '#contract/soccer.ts';
import { renderMinute } from '#domain/clock.ts';
import { GOAL_TYPES } from '#domain/goal-facts.ts';
import type { Score } from '#topics/generated/types.ts';
import type { ShownIncident, ShownState, StoryStep } from '#views/store/board-view.ts';
import { runningScores } from './running-score.ts';
import { isSameScore } from './shown/match.ts';
import { isShootOut, scoreWords } from './shown/words.ts';

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
  const versions = [...Map.groupBy(story, ({ version }) => version).values()];
  const context = {
    state,
    stories: Map.groupBy(story, ({ incident_id }) => incident_id),
    scores: scoresByStep(versions),
    running: runningScores(state, incidents),
    anomalies: new Map(state.anomalies.map((text) => splitLast(text, ':'))),
    ...cancellationsOf(versions),
  };
  return incidents
    .filter(({ important, incident_id }) => important || POSSIBLE_INCIDENTS.has(incident_id))
    .map((incident) => entryOf(incident, context));
}

type StoryContext = ReturnType<typeof cancellationsOf> & {
  readonly state: ShownState;
  readonly stories: ReadonlyMap<string | null, readonly StoryStep[]>;
  readonly scores: ReadonlyMap<string, ScoreEffect>;
  readonly running: ReadonlyMap<string, string>;
  readonly anomalies: ReadonlyMap<string, string>;
};
/** The changes of the score and of the firm score, e.g. `1–0 → 2–0`; null: no change. */
type ScoreEffect = { readonly score: string | null; readonly firm: string | null };

function entryOf(incident: ShownIncident, context: StoryContext) {
  const { state, stories, scores, anomalies, running, cancellers, goals } = context;
  const { id, incident_id, event_status_id, record } = incident;
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
    assistant: textOf(fieldsOf(record.additional_info).assistant_name),
    /** Seconds of match time; null when unknown. */
    time: incident.event_time,
    /** Spec, rule 7; null when the time is unknown, and in a shoot-out. */
    minute: minuteOf(incident, state.clock_rule),
    in_shoot_out: isShootOut(event_status_id),
    confirmation: incident.confirmation,
    /** Minutes of added time; null when unknown, and for other incidents. */
    added: incident_id === INCIDENT.addedTime ? textOf(record.info) : null,
    /** The score after a goal that counts, e.g. `1–0`; null when unknown, and for other incidents. */
    running_score: running.get(id) ?? null,
    /** The player who left, for a substitution; `pairSubstitutions` sets it. */
    replaces: null as string | null,
    /** The reason why the incident is void; null when it stands. */
    void: voidOf(incident, state, goals.get(id)),
    /** Id of the incident that made this one void; null when no incident did. */
    void_by: state.void_goals[id] === 'goal_cancelled' ? (cancellers.get(id) ?? null) : null,
    /** A remark, such as an anomaly or a pending confirmation; null: none. */
    note: anomaly === undefined ? noteOf(incident, state) : (ANOMALIES[anomaly] ?? anomaly),
    story: storyOf(incident, stories.get(id) ?? [], scores),
  };
}

function minuteOf(
  { event_time, event_status_id }: ShownIncident,
  { lengths }: ShownState['clock_rule'],
): string | null {
  if (isShootOut(event_status_id) || event_time === null) return null;
  return renderMinute(event_time, event_status_id, lengths);
}

function kindOf(type: number): 'goal' | 'goal_cancelled' | 'card' | 'added_time' | 'period' | 'other' {
  if (GOAL_TYPES.has(type)) return 'goal';
  if (type === INCIDENT.goalCancelled) return 'goal_cancelled';
  if (type === INCIDENT.addedTime) return 'added_time';
  if (type === INCIDENT.redCard || type === INCIDENT.yellowCard) return 'card';
  return INCIDENT_TYPES_OF_SOCCER.get(type)?.type === 'event' ? 'period' : 'other';
}

function voidOf(
  { id, incident_id, removed, confirmation }: ShownIncident,
  state: ShownState,
  goal: string | undefined,
): string | null {
  const why = state.void_goals[id];
  if (why !== undefined) return VOID_GOALS[why] ?? why;
  if (incident_id === INCIDENT.goalCancelled && (removed || confirmation === 'cancelled'))
    return goal !== undefined && state.void_goals[goal] === undefined
      ? 'Cancellation withdrawn: goal stands.'
      : 'Cancellation withdrawn.';
  if (removed) return 'Void: the provider removed it.';
  return confirmation === 'cancelled' ? 'Void: the provider cancelled it.' : null;
}

function noteOf({ id, incident_id, confirmation }: ShownIncident, state: ShownState): string | null {
  if (state.orphans.includes(id)) return 'Matches no known goal: no goal is cancelled.';
  if (confirmation !== 'tbd') return null;
  return incident_id === INCIDENT.goalCancelled
    ? 'Awaiting confirmation: the goal counts until then.'
    : 'Awaiting confirmation.';
}

/** Returns one step for each version: all changes by one message. */
function storyOf(
  { confirmation }: ShownIncident,
  steps: readonly StoryStep[],
  scores: ReadonlyMap<string, ScoreEffect>,
) {
  const decided = steps.some(({ kind }) => kind === 'incident_confirmed' || kind === 'incident_cancelled');
  return Array.from(Map.groupBy(steps, ({ version }) => version).values(), (changes) => {
    const kinds = changes.map(({ kind }) => kind);
    const effect = changes.map(({ id }) => scores.get(id)).find((found) => found !== undefined);
    const { version, ut, received_at } = changes[0] as StoryStep;
    return {
      version,
      ut,
      received_at,
      what: stepWords(kinds, decided ? 'tbd' : confirmation),
      ...(effect ?? { score: null, firm: null }),
    };
  });
}

const FIRST_REPORTS: Readonly<Record<string, string>> = {
  tbd: 'Reported, awaiting confirmation',
  confirmed: 'Reported, confirmed',
  cancelled: 'Reported as cancelled',
};
const STEP_WORDS: Readonly<Record<string, string>> = {
  incident_confirmed: 'Confirmed',
  incident_cancelled: 'Cancelled by the provider',
  incident_removed: 'Removed by the provider',
  incident_reinstated: 'Restored by the provider',
  incident_amended: 'Details changed',
  incident_deleted_unseen: 'Deleted before it was received',
};

function stepWords(kinds: readonly string[], first: string | null): string {
  const own = kinds
    .filter((kind) => !GOAL_KINDS.has(kind))
    .map((kind) =>
      kind === 'incident_added' ? (FIRST_REPORTS[first ?? ''] ?? 'Reported') : (STEP_WORDS[kind] ?? kind),
    );
  if (kinds.includes('goal_cancelled')) {
    own.push(own.length === 0 ? 'Cancelled by a “goal cancelled” incident' : 'it no longer counts');
  }
  if (kinds.includes('goal_reinstated'))
    own.push(own.length === 0 ? 'Cancellation withdrawn: goal stands' : 'it counts again');
  return own.join('; ');
}

/** Returns the last goal-cancelled incident of each goal, and the goal of each such incident. The same message changed both. */
function cancellationsOf(
  versions: readonly (readonly StoryStep[])[],
): Readonly<Record<'cancellers' | 'goals', Map<string, string>>> {
  const [cancellers, goals] = [new Map<string, string>(), new Map<string, string>()];
  for (const changes of versions) {
    const cause = changes.find(({ incident_type }) => incident_type === INCIDENT.goalCancelled)?.incident_id;
    const goal = changes.find(({ kind }) => GOAL_KINDS.has(kind))?.incident_id;
    if (cause == null || goal == null) continue;
    cancellers.set(goal, cause);
    goals.set(cause, goal);
  }
  return { cancellers, goals };
}

/** Returns the effect of each version on the score, by the id of the version's last step about a goal. */
function scoresByStep(versions: readonly (readonly StoryStep[])[]): Map<string, ScoreEffect> {
  const effects = new Map<string, ScoreEffect>();
  for (const changes of versions) {
    const change = (kind: string): string | null => {
      const found = changes.find((step) => step.kind === kind)?.score ?? null;
      return found === null ? null : changeWords(found.before, found.after);
    };
    const [score, firm] = [change('score_changed'), change('firm_score_changed')];
    const cause = changes.findLast(isAboutGoal);
    if (cause !== undefined && (score !== null || firm !== null)) effects.set(cause.id, { score, firm });
  }
  return effects;
}

/** Whether a step is about a goal. A change of the score in the same version is then its effect. */
export function isAboutGoal({ incident_id, incident_type }: StoryStep): boolean {
  return incident_id !== null && incident_type !== null && GOAL_TYPES.has(incident_type);
}

/** Returns e.g. `1–0 → 2–0`; null when both are the same. */
function changeWords(before: Score | null, after: Score | null): string | null {
  return isSameScore(before, after) ? null : `${scoreWords(before)} → ${scoreWords(after)}`;
}

function splitLast(text: string, separator: string): readonly [string, string] {
  const at = text.lastIndexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}
