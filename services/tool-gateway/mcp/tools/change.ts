/** One change as an assistant reads it: the steps of a version joined with the incident that they are about. */
import { INCIDENT_TYPES_OF_SOCCER } from '#contract/incident-types.ts';
import { SHOOT_OUT_PHASES } from '#contract/soccer.ts';
import { STATUSES } from '#contract/statuses.ts';
import { renderMinute } from '#domain/clock.ts';
import type { Score } from '#topics/generated/types.ts';
import type { MatchChange } from '#views/queries/tool-queries.ts';
import type { ShownIncident, StoryStep } from '#views/store/board-view.ts';
import { classOf } from '#views/store/changes.ts';
import { isoOf, textOf } from './common.ts';
import { cancellingIncident } from './taken-back.ts';

/** Fields that say nothing of a change are left out: an answer has many. */
export type ShownChange = {
  match_id: number;
  match: string;
  at: string;
  kind: string;
  what: string;
  minute?: string | undefined;
  team?: string | undefined;
  player?: string | undefined;
  before?: string | undefined;
  score?: string | undefined;
  firm_score?: string | undefined;
  taken_back_by?: string | undefined;
  stands?: boolean | undefined;
  incident_id?: string | undefined;
};

const GOAL_WORDS: Readonly<Record<string, string>> = {
  goal: '',
  goal_to_be_confirmed: 'to be confirmed',
  goal_confirmed: 'confirmed',
  goal_taken_back: 'taken back',
  goal_reinstated: 'counts again',
  goal_amended: 'details changed',
  goal_cancelled: 'cancelled by the provider',
  goal_removed: 'removed by the provider',
};

const INCIDENT_WORDS: Readonly<Record<string, string>> = {
  incident_added: '',
  incident_confirmed: 'confirmed',
  incident_cancelled: 'cancelled by the provider',
  incident_removed: 'removed by the provider',
  incident_reinstated: 'restored by the provider',
  incident_amended: 'details changed',
};

export function changeOf(change: MatchChange): ShownChange {
  const { match, own, steps } = change;
  const first = own[0] as StoryStep;
  const { home, away } = match.state;
  const about = classOf(first);
  const isGoal = about === 'goal' || about === 'taken_back';
  const incident = match.incidents.find(({ id }) => id === first.incident_id);
  const effect = isGoal || about === 'score' ? steps : own;
  const score = effect.find(({ kind }) => kind === 'score_changed')?.score;
  const firm = effect.find(({ kind }) => kind === 'firm_score_changed')?.score;
  const kind = isGoal ? goalKind(change, incident) : kindOf(first);
  return {
    match_id: change.event_id,
    match: `${home?.name ?? '?'} - ${away?.name ?? '?'}`,
    at: isoOf(first.received_at),
    kind,
    what: isGoal ? wordsOf(first, GOAL_WORDS[kind] ?? '', incident) : whatOf(own, incident),
    minute: minuteOf(incident),
    team: textOf(incident?.record.participant_name),
    player: textOf(incident?.record.subparticipant_name),
    before: goalsOf(score?.before),
    score: goalsOf(score?.after),
    firm_score: goalsOf(firm?.after),
    taken_back_by: kind === 'goal_taken_back' ? takenBackBy(change, incident) : undefined,
    stands: isGoal && incident !== undefined ? stands(incident, match.state.void_goals) : undefined,
    incident_id: first.incident_id ?? undefined,
  };
}

function kindOf(first: StoryStep): string {
  const about = classOf(first);
  if (about === 'score') return 'score_changed';
  if (about === 'cancellation') return 'goal_cancellation';
  return about === 'incident' ? 'incident' : first.kind.replace(/_changed$/, '');
}

function goalKind({ own, steps }: MatchChange, incident: ShownIncident | undefined): string {
  const kinds = new Set(own.map(({ kind }) => kind));
  if (kinds.has('goal_cancelled')) return 'goal_taken_back';
  if (kinds.has('goal_reinstated')) return 'goal_reinstated';
  if (!kinds.has('incident_added')) return (own[0]?.kind ?? '').replace('incident_', 'goal_');
  return awaitedConfirmation(steps, incident) ? 'goal_to_be_confirmed' : 'goal';
}

/** Whether a goal awaited confirmation when it was reported: then it changed the score, and the firm one less. */
function awaitedConfirmation(steps: readonly StoryStep[], goal: ShownIncident | undefined): boolean {
  const gained = (kind: string): number | null => {
    const score = steps.find((step) => step.kind === kind)?.score ?? null;
    return score === null ? null : sumOf(score.after) - sumOf(score.before);
  };
  const gain = gained('score_changed');
  return gain === null ? goal?.confirmation === 'tbd' : (gained('firm_score_changed') ?? 0) < gain;
}

function sumOf(score: Score | null): number {
  return score === null ? 0 : score.home + score.away;
}

/** What took a goal back: the provider itself, or an incident. */
function takenBackBy(change: MatchChange, goal: ShownIncident | undefined): string {
  const kinds = new Set(change.own.map(({ kind }) => kind));
  if (kinds.has('incident_removed')) return 'the provider removed it';
  if (kinds.has('incident_cancelled')) return 'the provider cancelled it';
  const by = goal === undefined ? undefined : cancellingIncident(change, goal);
  if (by === undefined)
    return goal?.confirmation === 'cancelled' ? 'the provider cancelled it' : 'another incident';
  const minute = minuteOf(by);
  return `incident ${by.id}, goal cancelled${minute === undefined ? '' : ` (minute ${minute})`}`;
}

function whatOf(own: readonly StoryStep[], incident: ShownIncident | undefined): string {
  const [first] = own as readonly [StoryStep];
  const { kind, value, guard } = first;
  switch (kind) {
    case 'score_changed':
    case 'firm_score_changed':
      return 'Score changed without a goal';
    case 'status_changed':
      return `Status: ${statusOf(value?.before)} to ${statusOf(value?.after)}`;
    case 'bet_status_changed':
      return `Betting at the provider: ${value?.before ?? 'unknown'} to ${value?.after ?? 'unknown'}`;
    case 'result_verified':
      return 'The result is verified';
    case 'guard_changed':
      return guard?.safe === true ? 'Guard lifted' : `Guard: halted (${(guard?.reasons ?? []).join(', ')})`;
    default:
      return wordsOf(first, INCIDENT_WORDS[kind] ?? kind, incident);
  }
}

function wordsOf({ incident_type }: StoryStep, words: string, incident: ShownIncident | undefined): string {
  const type = incident_type === null ? undefined : INCIDENT_TYPES_OF_SOCCER.get(incident_type)?.name;
  const name = type ?? textOf(incident?.record.incident_name) ?? 'Incident';
  const shootOut = isInShootOut(incident) ? ' in the shoot-out' : '';
  return `${name}${shootOut}${words === '' ? '' : `, ${words}`}`;
}

/** A status of a transition, `33 live`, by its name. */
function statusOf(text: string | null | undefined): string {
  if (text === null || text === undefined) return 'unknown';
  const [id] = text.split(' ');
  return STATUSES.get(Number(id))?.name ?? text;
}

function isInShootOut(incident: ShownIncident | undefined): boolean {
  const phase = incident?.event_status_id ?? null;
  return phase !== null && SHOOT_OUT_PHASES.has(phase);
}

function minuteOf(incident: ShownIncident | undefined): string | undefined {
  if (incident === undefined || incident.event_time === null || isInShootOut(incident)) return undefined;
  return renderMinute(incident.event_time, incident.event_status_id);
}

function stands({ id, removed, confirmation }: ShownIncident, voided: Readonly<Record<string, string>>) {
  return voided[id] === undefined && !removed && confirmation !== 'cancelled';
}

function goalsOf(score: Score | null | undefined): string | undefined {
  return score == null ? undefined : `${score.home}-${score.away}`;
}
