/** A change of a match for an assistant: the steps of one version, joined with their incident. */
import { z } from 'zod';
import { isInShootOut } from '#domain/goals.ts';
import { each } from '#json/records.ts';
import type { Score } from '#records/types.ts';
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import { stepEntry } from '#story/history.ts';
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
  ...each(z.string().optional(), 'minute', 'team', 'player'),
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

function wordsOf(kind: string): string {
  const words = OWN_WORDS[kind] ?? STEP_WORDS[kind.replace('goal_', 'incident_')] ?? kind;
  return `${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}

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
    what: isGoal ? incidentText(takenBack ?? first, wordsOf(kind), incident) : changeText(first, incident),
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

function hasOtherGoal(steps: readonly StoryStep[]): boolean {
  const takenBack = steps.filter(({ kind }) => kind === 'goal_cancelled').map((step) => step.incident_id);
  return steps.some((step) => classOf(step) === 'goal' && !takenBack.includes(step.incident_id));
}

/** Says what took a goal back: the provider itself, or an incident. */
function takenBackBy({ own, steps, match }: MatchChange, goal: ShownIncident | undefined): string {
  const kinds = new Set(own.map(({ kind }) => kind));
  if (kinds.has('incident_removed')) return 'the provider removed it';
  if (kinds.has('incident_cancelled')) return 'the provider cancelled it';
  const cancellations = steps.filter((step) => classOf(step) === 'cancellation');
  const inVersion = new Set(cancellations.map(({ incident_id }) => incident_id));
  // The 424 that names the goal (law 6), else its version's cancellation with the goal as parent.
  const naming = goal === undefined ? [] : cancellersOf(goal.id, match.state);
  const named = naming.find((id) => inVersion.has(id)) ?? naming[0];
  const by = match.incidents.find(({ id, parent_id }) =>
    named === undefined ? inVersion.has(id) && goal?.id === parent_id : id === named,
  );
  if (by !== undefined) {
    const minute = minuteOf(by, match.state);
    return `incident ${by.id}, goal cancelled${minute === null ? '' : ` (minute ${minute})`}`;
  }
  if (goal?.confirmation === 'cancelled') return 'the provider cancelled it';
  return inVersion.size === 0 ? 'the provider corrected it' : 'another incident';
}

function changeText(step: StoryStep, incident: ShownIncident | undefined): string {
  const words = stepEntry(step, false, false)?.[1];
  if (words !== undefined) return words;
  return step.kind === 'firm_score_changed'
    ? 'Firm score changed'
    : incidentText(step, wordsOf(step.kind), incident);
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

function scoreText(score: Score | null | undefined): string | undefined {
  return score == null ? undefined : `${score.home}-${score.away}`;
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
    return { since: isoOf(from), checked_at: isoOf(now), changes: items.map(changeOf), total };
  },
});
