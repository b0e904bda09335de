import type { Clock, Guard, MatchState, Score, StandingAbsence } from '#records/types.ts';
import { sameValue } from './event.ts';
import {
  type EventFacts,
  hasGoneBack,
  newBeginning,
  readClock,
  resultsReportedAt,
  statusReport,
} from './event-facts.ts';
import type { EventRegister } from './event-register.ts';
import { contradictsList, type GoalTally, sameScore, tallyGoals } from './goals.ts';
import { guardOf } from './guard.ts';
import type { IncidentIndex } from './incident-index.ts';
import { type IncidentChanges, type IncidentRegister, inSequence } from './incident-register.ts';
import { comparePositions, isAwarded, isFinished } from './message-key.ts';
import { hasRulesOfGoals } from './sports/goal-rules.ts';
import type { UnreadRegister } from './unread.ts';

/** The score of a match by law 8. */
type FinalScore = Readonly<Pick<MatchState, 'score' | 'firm' | 'source' | 'agreement'>>;

/** A match as the laws derive it from its registers at one version; immutable. */
export type DerivedMatch = {
  readonly facts: EventFacts;
  readonly clock: Clock | null;
  readonly tally: GoalTally;
  readonly coverage: MatchState['coverage'];
  readonly final: FinalScore;
  readonly shootOut: Score | null;
  /** Whether the match is reported as not started after its end (law 2), or has begun anew with goals from before (law 9). */
  readonly wentBack: boolean;
  /** The absence that stands; null without one (law 2). */
  readonly absence: StandingAbsence | null;
  readonly guard: Guard;
};

/** What is known of a match. */
export type Registers = {
  readonly event: EventRegister;
  readonly incidents: IncidentRegister;
  readonly index: IncidentIndex;
  readonly unread: UnreadRegister;
  /** The absence that stands; null without one (law 2). */
  absence: StandingAbsence | null;
};

/** Indexes what changed, and returns `changes` with the incidents that are gone because the result contradicts the list (law 3). */
export function settleList(
  { incidents, index }: Registers,
  facts: EventFacts,
  changes: IncidentChanges,
): IncidentChanges {
  index.apply(changes.incidents);
  const { goals, cancellations } = index;
  const isContradicted =
    hasRulesOfGoals(facts.sport_id) &&
    contradictsList(goals, cancellations, facts.sides, (id) => incidents.isOmitted(id));
  const settled = incidents.contradict(isContradicted);
  index.apply(settled.incidents);
  return inSequence(changes, settled);
}

/** Derives a view with these facts; reuses the unchanged parts of `previous`. `goals`: whether goals or cancellations changed. */
export function deriveView(
  { event, incidents, index, unread, absence }: Registers,
  facts: EventFacts,
  previous?: DerivedMatch,
  goals = true,
): DerivedMatch {
  const hasRules = hasRulesOfGoals(facts.sport_id);
  const hasSameSides =
    previous?.facts.sides === facts.sides && hasRulesOfGoals(previous.facts.sport_id) === hasRules;
  const { snapshotAt } = incidents;
  const tally =
    hasSameSides && !goals
      ? previous.tally
      : tallyGoals(hasRules ? index.goals : [], hasRules ? index.cancellations : [], facts.sides);
  const coverage = coverageOf(snapshotAt, index.starts.length, index.known);
  const finished = isFinished(facts.status_id, facts.status_type);
  const decided = decideScore({
    coverage,
    derived: hasRules ? tally.score : null,
    derivedFirm: tally.firm,
    reported: facts.sides.reported,
    finished,
    awarded: isAwarded(facts.status_id),
  });
  const final = sameValue(previous?.final, decided) ? (previous as DerivedMatch).final : decided;
  // The result of a finished match is the score, whatever was played before.
  const isPlayed = !(finished && final.source === 'reported');
  const wentBack = hasGoneBack(event, facts) || (isPlayed && hasEarlierGoal(event, index, tally));
  const guard = guardOf({
    facts,
    tally,
    final,
    last: hasRules ? index.last : {},
    interruptedAt: index.interruptedAt,
    statusAt: statusReport(event)?.ut ?? null,
    resultsAt: resultsReportedAt(event),
    snapshotAt,
    unreadAt: unread.messageAt,
    wentBack,
    absent: absence !== null,
  });
  return {
    facts,
    clock: readClock(event),
    tally,
    coverage,
    final,
    shootOut: shootOutOf(facts, tally, finished),
    wentBack,
    absence,
    guard: previous !== undefined && sameValue(previous.guard, guard) ? previous.guard : guard,
  };
}

/** The input of law 8. */
type ScoreSources = {
  readonly coverage: MatchState['coverage'];
  /** The score of the goals; null when the sport has no goal rules or a side is unknown. */
  readonly derived: Score | null;
  readonly derivedFirm: Score | null;
  /** The provider's own result. */
  readonly reported: Score | null;
  readonly finished: boolean;
  /** Whether the match is awarded: what was played is not its score. */
  readonly awarded: boolean;
};

/** Law 8, coverage: complete with a snapshot or the timeline's start (`starts`), partial with any other body (`known`). */
export function coverageOf(snapshotAt: number | null, starts: number, known: number): MatchState['coverage'] {
  if (snapshotAt !== null || starts > 0) return 'complete';
  return known > 0 ? 'partial' : 'none';
}

/** Law 8: of a finished match the provider's result is the score; before, a complete timeline wins over it, and it over a partial one. */
export function decideScore(sources: ScoreSources): FinalScore {
  const { coverage, derived, derivedFirm, reported, finished, awarded } = sources;
  const usable = coverage === 'none' || awarded ? null : derived;
  const complete = coverage === 'complete' ? derived : null;
  if (reported === null) {
    if (usable === null) return { score: null, firm: null, source: 'none', agreement: 'unknown' };
    return { score: usable, firm: derivedFirm, source: 'incidents', agreement: 'unknown' };
  }
  const agreement = complete === null || sameScore(complete, reported) ? 'agrees' : 'differs';
  if (complete === null || finished)
    return { score: reported, firm: reported, source: 'reported', agreement };
  return { score: complete, firm: derivedFirm, source: 'incidents', agreement };
}

/** Law 9: whether a goal counts from before the match began anew. */
function hasEarlierGoal(event: EventRegister, { goals }: IncidentIndex, { counting }: GoalTally): boolean {
  const beginning = newBeginning(event);
  if (beginning === null) return false;
  return goals.some(({ id, incident }) => counting.includes(id) && comparePositions(incident, beginning) < 0);
}

/** Law 5: the provider's result of the shoot-out, where no kick is known or the match is finished; otherwise the kicks. */
function shootOutOf(facts: EventFacts, { shootOut }: GoalTally, finished: boolean): Score | null {
  const reported = hasRulesOfGoals(facts.sport_id) ? facts.sides.reportedShootOut : null;
  return finished || shootOut === null ? (reported ?? shootOut) : shootOut;
}

/** Returns the score of the goals; null where the sport has no rules of goals, or no incident is known. */
export function derivedScore({ facts, tally, coverage }: DerivedMatch): Score | null {
  return coverage === 'none' || !hasRulesOfGoals(facts.sport_id) ? null : tally.score;
}
