import { isDeepStrictEqual } from 'node:util';
import { each } from '#json/records.ts';
import type {
  Cause,
  Incident,
  MatchResult,
  MatchState,
  ResultCard,
  ResultGoal,
  Score,
} from '#records/types.ts';
import { INCIDENT, PHASE_BOUNDARIES, STATUS } from '#soccer/soccer.ts';
import { kickOffOf } from './event.ts';
import { isRedCard, type KnownSides, type Scoring, type Side, sameScore, sideOf } from './goals.ts';
import type { IncidentIndex } from './incident-index.ts';
import { assistantOf, attributesOf, playerOf, withId } from './key-incidents.ts';
import { hasRulesOfGoals } from './sports/goal-rules.ts';
import { positiveId } from './values.ts';
import type { DerivedMatch } from './view.ts';

/** The result of a match for tables, without version and cause. */
export type TableResult = Omit<MatchResult, 'version' | 'removed' | 'cause'>;

/** Returns the result of a match for tables, from its state alone; null for one that is deleted, of another sport, or without a season. */
export function tableResult(eventId: number, view: DerivedMatch, index: IncidentIndex): TableResult | null {
  const { facts } = view;
  const competition = positiveId(facts.competition_id);
  const season = positiveId(facts.season_id);
  if (facts.status_type === 'deleted') return null;
  if (competition === null || season === null || !hasRulesOfGoals(facts.sport_id)) return null;
  const { home, away } = facts.sides.table;
  return {
    event_id: eventId,
    competition_id: competition,
    season_id: season,
    stage_id: positiveId(facts.stage_id),
    group_id: positiveId(facts.group_id),
    round_id: facts.round_id,
    start_date: facts.start_date,
    kick_off: kickOffOf(facts.start_date),
    status_id: facts.status_id,
    status_type: facts.status_type,
    home,
    away,
    ...scoresOf(view, index),
    cards: view.coverage === 'complete' ? standingCards(index) : null,
    shoot_out: view.shootOut,
  };
}

/** Returns the cards that are neither removed nor cancelled and have a team, in the order of ids. */
function standingCards(index: IncidentIndex): ResultCard[] {
  return index.cards.flatMap(({ incident, removed }): ResultCard | [] => {
    if (removed || incident.confirmation === 'cancelled') return [];
    if (incident.participant_id === null) return [];
    return {
      kind: isRedCard(incident) ? 'red' : 'yellow',
      team_id: incident.participant_id,
      player: withId(playerOf(incident)),
      attribute_ids: attributesOf(incident),
    };
  });
}

/** The fields of a removal. */
const NO_RESULT = {
  ...each(null, 'round_id', 'start_date', 'kick_off', 'status_id', 'status_type', 'home', 'away'),
  ...each(null, 'score', 'first_half', 'second_half', 'goals', 'cards', 'shoot_out'),
} satisfies Partial<TableResult>;

/** Returns the records of a changed result, also under its old key when it left a table. `again`: publish an equal one too. */
export function resultChanges(
  before: TableResult | null,
  after: TableResult | null,
  stamp: { readonly version: number; readonly cause: Cause },
  again = false,
): MatchResult[] {
  const changes: MatchResult[] = [];
  const stays = before !== null && after !== null && resultKey(before) === resultKey(after);
  if (before !== null && !stays) changes.push({ ...before, ...NO_RESULT, removed: true, ...stamp });
  if (after !== null && (again || !(stays && isDeepStrictEqual(before, after)))) {
    changes.push({ ...after, removed: false, ...stamp });
  }
  return changes;
}

/** The ids that decide which tables a match belongs to. */
type ResultGroup = Pick<TableResult, 'event_id' | 'competition_id' | 'season_id' | 'stage_id' | 'group_id'>;

/** Returns the key of a result on match-results: one for an event and a group. */
export function resultKey(result: ResultGroup): string {
  return `${seasonKey(result)}/${result.stage_id ?? '-'}/${result.group_id ?? '-'}/${result.event_id}`;
}

/** Returns the partition key of results and tables: one writer owns everything that is ranked together. */
export function seasonKey(result: Pick<ResultGroup, 'competition_id' | 'season_id'>): string {
  return `${result.competition_id}/${result.season_id}`;
}

function scoresOf(view: DerivedMatch, index: IncidentIndex) {
  const { facts, final, tally, coverage } = view;
  const { table } = facts.sides;
  const counted = new Set(tally.counting);
  const counting = index.goals.filter(({ id }) => counted.has(id)).map(({ incident }) => incident);
  const areGoalsKnown =
    coverage === 'complete' || (final.score !== null && sameScore(tally.score, final.score));
  const { score } = final;
  const halves = halfScores({ ...final, coverage, derived: tally.score }, counting, facts.sides);
  return {
    score,
    first_half: score === null ? null : (halves?.first ?? table.first_half),
    second_half: score === null ? null : (halves?.second ?? table.second_half),
    goals: areGoalsKnown ? counting.map(goalOf) : null,
  };
}

/** Returns the scores of the halves; null when the goals are not the score, or the phase or the side of one is unknown. */
export function halfScores(
  { coverage, source, score, derived }: Pick<MatchState, 'coverage' | 'source' | 'score' | 'derived'>,
  counting: readonly (Scoring & Pick<Incident, 'event_status_id'>)[],
  sides: KnownSides,
): { readonly first: Score; readonly second: Score } | null {
  const isDerived = (coverage === 'complete' || source === 'incidents') && sameScore(derived, score);
  if (!isDerived || score === null) return null;
  const first = { home: 0, away: 0 };
  const second = { home: 0, away: 0 };
  for (const incident of counting) {
    const phase = incident.event_status_id;
    const side: Side | null = sideOf(incident, sides);
    if (side === null || !PHASE_BOUNDARIES.has(phase)) return null;
    if (phase === STATUS.firstHalf) first[side] += 1;
    else if (phase === STATUS.secondHalf) second[side] += 1;
  }
  return { first, second };
}

const GOAL_KINDS: Readonly<Record<number, ResultGoal['kind']>> = {
  [INCIDENT.penaltyGoal]: 'penalty',
  [INCIDENT.ownGoal]: 'own_goal',
};

/** Returns the kind of a goal by the type of its incident. */
export function goalKindOf(type: number): ResultGoal['kind'] {
  return GOAL_KINDS[type] ?? 'goal';
}

function goalOf(incident: Incident): ResultGoal {
  return {
    kind: goalKindOf(incident.incident_id),
    // A goal without its participant counts for neither team.
    team_id: incident.participant_id ?? 0,
    player: withId(playerOf(incident)),
    assistant: withId(assistantOf(incident)),
  };
}
