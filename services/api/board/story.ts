import { INCIDENT_TYPES_OF_SOCCER } from '#contract/incident-types.ts';
import { INCIDENT, POSSIBLE_INCIDENTS } from '#contract/soccer.ts';
import { renderMinute } from '#domain/clock.ts';
import { GOAL_TYPES } from '#domain/goals.ts';
import type { Score } from '#topics/generated/types.ts';
import type { ShownIncident, ShownState, StoryStep } from '#views/store/board-view.ts';
import { runningScores } from './running-score.ts';
import { isSameScore } from './shown/match.ts';
import { isShootOut, scoreWords } from './shown/words.ts';

/** One thing that happened to an incident. */
export type IncidentStep = {
  readonly version: number;
  /** The provider's time, Unix seconds. */
  readonly ut: number;
  /** Unix milliseconds. */
  readonly received_at: number;
  readonly what: string;
  /** What it did to the score, e.g. `1–0 → 2–0`; null where it did nothing. */
  readonly score: string | null;
  /** As `score`, of the firm one. */
  readonly firm: string | null;
};

/** An important incident as the match page shows it. */
export type TimelineEntry = {
  readonly id: string;
  readonly incident_id: number;
  readonly name: string;
  readonly kind: 'goal' | 'goal_cancelled' | 'card' | 'added_time' | 'period' | 'other';
  readonly card: 'yellow' | 'red' | null;
  readonly participant_id: number | null;
  readonly participant_name: string | null;
  readonly player: string | null;
  readonly assistant: string | null;
  /** Spec, rule 7; null where the time is unknown, and in the shoot-out. */
  readonly minute: string | null;
  readonly in_shoot_out: boolean;
  readonly confirmation: string | null;
  /** Minutes of added time; null where unknown. */
  readonly added: string | null;
  /** Of a goal that counts: the score after it, e.g. `1–0`; null where it is unknown. */
  readonly running_score: string | null;
  /** Of a substitution: who left; null else. */
  readonly replaces: string | null;
  /** Why it does not count or stand; null where it does. */
  readonly void: string | null;
  /** The incident that made it void; null where it was none. */
  readonly void_by: string | null;
  /** What is odd about it, or what it did; null where there is nothing to say. */
  readonly note: string | null;
  readonly story: readonly IncidentStep[];
};

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

/** The important incidents in order of id (the provider's order, never that of time), each with its story. */
export function timelineOf(
  state: ShownState,
  incidents: readonly ShownIncident[],
  story: readonly StoryStep[],
): TimelineEntry[] {
  const stories = Map.groupBy(
    story.filter(({ incident_id }) => incident_id !== null),
    ({ incident_id }) => incident_id,
  );
  const scores = scoresByStep(story);
  const running = runningScores(state, incidents);
  const links = cancellationsOf(story);
  const anomalies = new Map(state.anomalies.map((text) => splitLast(text, ':')));
  return incidents
    .filter(({ important, incident_id }) => important || POSSIBLE_INCIDENTS.has(incident_id))
    .map((incident) => {
      const steps = stories.get(incident.id) ?? [];
      return entryOf(incident, {
        state,
        steps,
        scores,
        anomaly: anomalies.get(incident.id),
        running: running.get(incident.id) ?? null,
        canceller: links.cancellers.get(incident.id) ?? null,
        goal: links.goals.get(incident.id) ?? null,
      });
    });
}

type Around = {
  readonly state: ShownState;
  readonly steps: readonly StoryStep[];
  readonly scores: ReadonlyMap<string, ScoreEffect>;
  readonly anomaly: string | undefined;
  readonly running: string | null;
  /** What last made a goal void, and the goal that a cancellation last decided on. */
  readonly canceller: string | null;
  readonly goal: string | null;
};
type ScoreEffect = { readonly score: string | null; readonly firm: string | null };

function entryOf(incident: ShownIncident, around: Around): TimelineEntry {
  const { state, steps, scores, anomaly, running, canceller } = around;
  const { id, incident_id, event_time, event_status_id, record } = incident;
  const info = fieldsOf(record.additional_info);
  return {
    id,
    incident_id,
    name: INCIDENT_TYPES_OF_SOCCER.get(incident_id)?.name ?? textOf(record.incident_name) ?? 'Incident',
    kind: kindOf(incident_id),
    card: incident_id === INCIDENT.redCard ? 'red' : incident_id === INCIDENT.yellowCard ? 'yellow' : null,
    participant_id: incident.participant_id,
    participant_name: textOf(record.participant_name),
    player: textOf(record.subparticipant_name),
    assistant: textOf(info.assistant_name),
    minute: minuteOf(event_time, event_status_id),
    in_shoot_out: isShootOut(event_status_id),
    confirmation: incident.confirmation,
    added: incident_id === INCIDENT.addedTime ? textOf(record.info) : null,
    running_score: running,
    replaces: null,
    void: voidOf(incident, state, around.goal),
    void_by: state.void_goals[id] === 'goal_cancelled' ? canceller : null,
    note: anomaly === undefined ? noteOf(incident, state) : (ANOMALIES[anomaly] ?? anomaly),
    story: storyOf(incident, steps, scores),
  };
}

function minuteOf(time: number | null, phase: number | null): string | null {
  if (isShootOut(phase)) return null;
  return time === null ? null : renderMinute(time, phase);
}

function kindOf(type: number): TimelineEntry['kind'] {
  if (GOAL_TYPES.has(type)) return 'goal';
  if (type === INCIDENT.goalCancelled) return 'goal_cancelled';
  if (type === INCIDENT.addedTime) return 'added_time';
  if (type === INCIDENT.redCard || type === INCIDENT.yellowCard) return 'card';
  return INCIDENT_TYPES_OF_SOCCER.get(type)?.type === 'event' ? 'period' : 'other';
}

function voidOf(
  { id, incident_id, removed, confirmation }: ShownIncident,
  state: ShownState,
  goal: string | null,
): string | null {
  const why = state.void_goals[id];
  if (why !== undefined) return VOID_GOALS[why] ?? why;
  if (incident_id === INCIDENT.goalCancelled && (removed || confirmation === 'cancelled'))
    return goal !== null && state.void_goals[goal] === undefined
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

/** One line for each version: what one message changed is one step. */
function storyOf(
  { confirmation }: ShownIncident,
  steps: readonly StoryStep[],
  scores: ReadonlyMap<string, ScoreEffect>,
): IncidentStep[] {
  const decided = steps.some(({ kind }) => kind === 'incident_confirmed' || kind === 'incident_cancelled');
  return Array.from(Map.groupBy(steps, ({ version }) => version).values(), (changes) => {
    const kinds = changes.map(({ kind }) => kind);
    const effect = changes.map(({ id }) => scores.get(id)).find((found) => found !== undefined);
    const { version, ut, received_at } = changes[0] as StoryStep;
    return {
      version,
      ut,
      received_at,
      what: wordsOf(kinds, decided ? 'tbd' : confirmation),
      score: effect?.score ?? null,
      firm: effect?.firm ?? null,
    };
  });
}

const FIRST: Readonly<Record<string, string>> = {
  tbd: 'Reported, awaiting confirmation',
  confirmed: 'Reported, confirmed',
  cancelled: 'Reported as cancelled',
};
const KINDS: Readonly<Record<string, string>> = {
  incident_confirmed: 'Confirmed',
  incident_cancelled: 'Cancelled by the provider',
  incident_removed: 'Removed by the provider',
  incident_reinstated: 'Restored by the provider',
  incident_amended: 'Details changed',
  incident_deleted_unseen: 'Deleted before it was received',
};

function wordsOf(kinds: readonly string[], first: string | null): string {
  const own = kinds
    .filter((kind) => !GOAL_KINDS.has(kind))
    .map((kind) => (kind === 'incident_added' ? (FIRST[first ?? ''] ?? 'Reported') : (KINDS[kind] ?? kind)));
  if (kinds.includes('goal_cancelled')) {
    own.push(own.length === 0 ? 'Cancelled by a “goal cancelled” incident' : 'it no longer counts');
  }
  if (kinds.includes('goal_reinstated'))
    own.push(own.length === 0 ? 'Cancellation withdrawn: goal stands' : 'it counts again');
  return own.join('; ');
}

/** Which goal-cancelled incident last decided on which goal, either way round: one message changed both. */
function cancellationsOf(
  story: readonly StoryStep[],
): Readonly<Record<'cancellers' | 'goals', Map<string, string>>> {
  const [cancellers, goals] = [new Map<string, string>(), new Map<string, string>()];
  for (const changes of Map.groupBy(story, ({ version }) => version).values()) {
    const cause = changes.find(({ incident_type }) => incident_type === INCIDENT.goalCancelled)?.incident_id;
    const goal = changes.find(({ kind }) => GOAL_KINDS.has(kind))?.incident_id;
    if (cause == null || goal == null) continue;
    cancellers.set(goal, cause);
    goals.set(cause, goal);
  }
  return { cancellers, goals };
}

/** What each version did to the score, by the step that did it: the last of the version that is about a goal. */
function scoresByStep(story: readonly StoryStep[]): Map<string, ScoreEffect> {
  const effects = new Map<string, ScoreEffect>();
  for (const changes of Map.groupBy(story, ({ version }) => version).values()) {
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

/** Whether a step is about a goal, so that a change of score in the same version is its effect. */
export function isAboutGoal({ incident_id, incident_type }: StoryStep): boolean {
  return incident_id !== null && incident_type !== null && GOAL_TYPES.has(incident_type);
}

/** E.g. `1–0 → 2–0`; null where both are the same. */
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
