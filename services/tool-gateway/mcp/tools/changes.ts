/** A change of a match for an assistant: the steps of one version, joined with their incident. */

import { z } from 'zod';
import { isInShootOut } from '#domain/goal-facts.ts';
import type { Score } from '#records/types.ts';
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import { STATUSES } from '#soccer/statuses.ts';
import { absenceWords } from '#story/history.ts';
import { cancellersOf, minuteOf, STEP_WORDS, sumOf, whyVoid } from '#story/incidents.ts';
import type { MatchChange } from '#views/queries/tool-queries.ts';
import type { ShownIncident, StoryStep } from '#views/store/board-view.ts';
import { classOf, movedGoals, type StepClass } from '#views/store/story-steps.ts';
import { id, isoOf, NO_SUCH_MATCH, textOf, titleOf } from './common.ts';
import { ToolError, tool } from './tool.ts';

/** A change. Fields that do not apply to it are left out, as an answer has many changes. */
const shownChange = z.object({
  match_id: z.int(),
  match: z.string(),
  at: z.string().describe('Time of receipt, ISO 8601.'),
  kind: z
    .string()
    .describe(
      'goal, goal_to_be_confirmed, goal_confirmed, goal_taken_back, goal_reinstated, goal_amended, score_changed, incident, status, guard etc.',
    ),
  what: z.string().describe('In words.'),
  minute: z.string().optional(),
  team: z.string().optional(),
  player: z.string().optional(),
  before: z.string().optional().describe('Score before the change, such as 1-0.'),
  score: z.string().optional().describe('Score after it.'),
  firm_score: z.string().optional().describe('After it, if it changed.'),
  taken_back_by: z.string().optional(),
  stands: z.boolean().optional().describe('Of a goal: whether it counts now.'),
  incident_id: z.string().optional(),
});

/** What is said of an incident where the story of its match says it otherwise, or not. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  goal: '',
  goal_to_be_confirmed: 'to be confirmed',
  goal_taken_back: 'taken back',
  goal_reinstated: 'counts again',
  goal_deleted_unseen: '',
  incident_added: '',
};

/** Returns what a change of this kind says of its incident. */
function wordsOf(kind: string): string {
  const words = OWN_WORDS[kind] ?? STEP_WORDS[kind.replace('goal_', 'incident_')] ?? kind;
  return `${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}

/** Returns a change with the fields that apply to it. */
function changeOf(change: MatchChange): z.input<typeof shownChange> {
  const { match, own, moved } = change;
  const first = own[0] as StoryStep;
  const about = classOf(first);
  const isGoal = moved !== null || about === 'goal' || about === 'taken_back';
  const id = moved ?? first.incident_id ?? undefined;
  const incident = match.incidents.find((one) => one.id === id);
  const kind = isGoal ? goalKind(change, incident) : kindOf(first);
  const takenBack = own.find((step) => step.kind === 'goal_cancelled');
  const { score, firm } = effectOf(change, kind, isGoal || about === 'score');
  const { home, away } = match.state;
  const former = [home, away].find((side) => side !== null && side.id === takenBack?.team_id);
  // A goal that was corrected is of another team, and perhaps of another player, since.
  const isOfFormer = former != null && former.id !== incident?.participant_id;
  return {
    match_id: change.event_id,
    match: titleOf(match.state),
    at: isoOf(first.received_at),
    kind,
    what: isGoal ? incidentText(takenBack ?? first, wordsOf(kind), incident) : changeText(own, incident),
    minute: (incident && minuteOf(incident, match.state)) ?? undefined,
    team: textOf(isOfFormer ? former.name : incident?.record.participant_name),
    player: isOfFormer ? undefined : textOf(incident?.record.subparticipant_name),
    before: scoreText(score?.before),
    score: scoreText(score?.after),
    firm_score: scoreText(firm?.after),
    taken_back_by: kind === 'goal_taken_back' ? takenBackBy(change, incident) : undefined,
    stands: isGoal && incident !== undefined ? whyVoid(incident, match.state) === null : undefined,
    incident_id: id,
  };
}

type ScoreStep = StoryStep['score'];

/** Returns how a change moved the score and the firm score; null where it did not. `isWhole`: it may show those of its version. */
function effectOf(
  { own, steps, moved }: MatchChange,
  kind: string,
  isWhole: boolean,
): { readonly score: ScoreStep; readonly firm: ScoreStep } {
  const stepOf = (of: readonly StoryStep[], wanted: string): ScoreStep =>
    of.find((step) => step.kind === wanted)?.score ?? null;
  const shown = isWhole ? steps : own;
  const [score, firm] = [stepOf(shown, 'score_changed'), stepOf(shown, 'firm_score_changed')];
  if (moved !== null) {
    const before = steps.findLast(({ kind }) => kind === 'goal_cancelled')?.score?.after ?? null;
    return { score: score && { before, after: score.after }, firm };
  }
  if (kind !== 'goal_taken_back') return { score, firm };
  const moves = movedGoals(steps);
  const isMoved = own.some(({ incident_id }) => incident_id !== null && moves.has(incident_id));
  // What is taken back has a score of its own: in its version other goals may count, or itself for the other team.
  const lowered = stepOf(own, 'goal_cancelled');
  if (sumOf(lowered?.after) < sumOf(lowered?.before)) return { score: lowered, firm: isMoved ? null : firm };
  // Another goal of the same version raised it, whose change has it.
  const isOfOther = sumOf(score?.after) > sumOf(score?.before) && hasOtherGoal(steps);
  return isOfOther ? { score: null, firm: null } : { score, firm };
}

function kindOf(first: StoryStep): string {
  const about = classOf(first);
  if (about === 'score') return 'score_changed';
  if (about === 'cancellation') return 'goal_cancellation';
  return about === 'incident' ? 'incident' : first.kind.replace(/_changed$/, '');
}

function goalKind({ own, steps, moved }: MatchChange, incident: ShownIncident | undefined): string {
  if (moved !== null) return incident?.confirmation === 'tbd' ? 'goal_to_be_confirmed' : 'goal';
  const kinds = new Set(own.map(({ kind }) => kind));
  if (kinds.has('goal_cancelled')) return 'goal_taken_back';
  if (kinds.has('goal_reinstated')) return 'goal_reinstated';
  if (!kinds.has('incident_added')) return (own[0]?.kind ?? '').replace('incident_', 'goal_');
  return awaitedConfirmation(steps, incident) ? 'goal_to_be_confirmed' : 'goal';
}

/** Whether a goal awaited confirmation when it was reported: then the score gained more than the firm score. */
function awaitedConfirmation(steps: readonly StoryStep[], goal: ShownIncident | undefined): boolean {
  const gained = (kind: string): number | null => {
    const score = steps.find((step) => step.kind === kind)?.score ?? null;
    return score === null ? null : sumOf(score.after) - sumOf(score.before);
  };
  const gain = gained('score_changed');
  return gain === null ? goal?.confirmation === 'tbd' : (gained('firm_score_changed') ?? 0) < gain;
}

/** Whether the version has a goal that it does not take back. */
function hasOtherGoal(steps: readonly StoryStep[]): boolean {
  const takenBack = new Set(
    steps.flatMap(({ kind, incident_id }) => (kind === 'goal_cancelled' ? [incident_id] : [])),
  );
  return steps.some((step) => classOf(step) === 'goal' && !takenBack.has(step.incident_id));
}

/** Says what took a goal back: the provider itself, or an incident. */
function takenBackBy(change: MatchChange, goal: ShownIncident | undefined): string {
  const kinds = new Set(change.own.map(({ kind }) => kind));
  if (kinds.has('incident_removed')) return 'the provider removed it';
  if (kinds.has('incident_cancelled')) return 'the provider cancelled it';
  const by = goal === undefined ? undefined : cancellingIncident(change, goal);
  if (by === undefined) {
    if (goal?.confirmation === 'cancelled') return 'the provider cancelled it';
    const isCorrected = !change.steps.some((step) => classOf(step) === 'cancellation');
    return isCorrected ? 'the provider corrected it' : 'another incident';
  }
  const minute = minuteOf(by, change.match.state);
  return `incident ${by.id}, goal cancelled${minute === null ? '' : ` (minute ${minute})`}`;
}

function changeText(own: readonly StoryStep[], incident: ShownIncident | undefined): string {
  const [first] = own as readonly [StoryStep];
  const { kind, value, guard } = first;
  switch (kind) {
    case 'score_changed':
    case 'firm_score_changed':
      return 'Score changed without a goal';
    case 'status_changed':
      return `Status: ${statusName(value?.before)} to ${statusName(value?.after)}`;
    case 'absence_changed':
      return absenceWords(value?.after ?? null);
    case 'bet_status_changed':
      return `Betting at the provider: ${value?.before ?? 'unknown'} to ${value?.after ?? 'unknown'}`;
    case 'result_verified':
      return 'The result is verified';
    case 'guard_changed':
      return guard?.safe === true ? 'Guard lifted' : `Guard: halted (${(guard?.reasons ?? []).join(', ')})`;
    case 'message_unread':
      return value === null
        ? 'Fields of a message could not be read'
        : `A message could not be read: ${value.after}`;
    default:
      return incidentText(first, wordsOf(kind), incident);
  }
}

function incidentText(
  { incident_type }: StoryStep,
  words: string,
  incident: ShownIncident | undefined,
): string {
  const type = INCIDENT_TYPES_OF_SOCCER.get(incident_type ?? incident?.incident_id ?? 0)?.name;
  const name = type ?? textOf(incident?.record.incident_name) ?? 'Incident';
  const shootOut = incident !== undefined && isInShootOut(incident) ? ' in the shoot-out' : '';
  return `${name}${shootOut}${words === '' ? '' : `, ${words}`}`;
}

/** Returns the name of a status that a transition has as `33 live`. */
function statusName(text: string | null | undefined): string {
  if (text === null || text === undefined) return 'unknown';
  const [id] = text.split(' ');
  return STATUSES.get(Number(id))?.name ?? text;
}

function scoreText(score: Score | null | undefined): string | undefined {
  return score == null ? undefined : `${score.home}-${score.away}`;
}

/**
 * Returns the incident that took a change's goal back: the 424 that names it (law 6), else its version's cancellation with it as
 * parent, else the only one of an only goal; undefined where uncertain.
 */
function cancellingIncident(
  { own, steps, match }: MatchChange,
  goal: ShownIncident,
): ShownIncident | undefined {
  const inVersion = new Set(idsOf(steps.filter((step) => classOf(step) === 'cancellation')));
  const naming = cancellersOf(goal.id, match.state);
  const incidentWith = (id: string | undefined) => match.incidents.find((one) => one.id === id);
  const named = naming.find((id) => inVersion.has(id)) ?? naming[0];
  if (named !== undefined) return incidentWith(named);
  const withParent = match.incidents.find((one) => inVersion.has(one.id) && one.parent_id === goal.id);
  if (withParent !== undefined) return withParent;
  const takenBack = new Set(idsOf(steps.filter(({ kind }) => kind === 'goal_cancelled')));
  const isOnly = inVersion.size === 1 && takenBack.size === 1 && takenBack.has(own[0]?.incident_id ?? '');
  return isOnly ? incidentWith([...inVersion][0]) : undefined;
}

function idsOf(steps: MatchChange['steps']): string[] {
  return steps.flatMap(({ incident_id }) => incident_id ?? []);
}

const MINUTE_MS = 60_000;
const DEFAULT_MINUTES = 10;
const MAX_MINUTES = 7 * 24 * 60;

const ONLY = {
  goals: ['goal', 'taken_back', 'cancellation', 'score'],
  taken_back: ['taken_back'],
  incidents: ['goal', 'taken_back', 'cancellation', 'incident'],
  status: ['status'],
  guard: ['guard'],
} as const satisfies Record<string, readonly StepClass[]>;

export const listChanges = tool({
  name: 'list_changes',
  title: 'What changed',
  description:
    'Lists changes of the last minutes, or since a time, latest first: first all goals, also disputed and taken back ones, with team, player, minute, score and what took them back; then cards, status and trading guard. To follow, send checked_at of the answer as since of the next call; changes around that time may come twice.',
  operations: ['events.index', 'events.incidents'],
  input: z.object({
    minutes: z.int().min(1).max(MAX_MINUTES).optional().describe(`Default ${DEFAULT_MINUTES}.`),
    since: z.iso
      .datetime({
        offset: true,
        error: 'send ISO 8601 with a time zone, such as 2026-08-15T14:30:00Z (Z is UTC)',
      })
      .optional()
      .describe('Instead of minutes: ISO 8601 with a time zone, such as 2026-08-15T14:30:00Z.'),
    only: z
      .enum(Object.keys(ONLY) as (keyof typeof ONLY)[])
      .optional()
      .describe('Only these. taken_back: goals taken back.'),
    match_id: id.optional(),
    competition_id: id.optional(),
    team_id: id.optional(),
  }),
  pageSize: 15,
  output: z.object({
    since: z.string().describe('Send as since with next_page.'),
    checked_at: z.string().describe('Send as since next time.'),
    changes: z.array(shownChange),
  }),
  missing: NO_SUCH_MATCH,
  answer({ minutes, since, only, match_id, competition_id, team_id, limit, page }, scope) {
    if (minutes !== undefined && since !== undefined)
      throw new ToolError('INVALID_ARGUMENTS', 'Send minutes or since, not both.');
    const now = scope.now * 1000;
    const from = since === undefined ? now - (minutes ?? DEFAULT_MINUTES) * MINUTE_MS : Date.parse(since);
    const query = {
      timestamp: Math.floor(from / 1000),
      competition_id,
      team_id,
      match_id,
      only: only === undefined ? null : new Set<StepClass>(ONLY[only]),
      limit,
      page,
    };
    const { items, total } = scope.queries.changes(query, scope.access);
    return {
      since: isoOf(from),
      checked_at: isoOf(now),
      changes: items.map(changeOf),
      total,
    };
  },
});
