import type { Clock, Coverage, Guard } from '#topics/generated/types.ts';
import {
  type EventFacts,
  hasGoalRules,
  isFact,
  mayBeDeleted,
  readClock,
  readEventFacts,
} from './event-facts.ts';
import type { EventRegister } from './event-register.ts';
import { coverageOf, decideScore, type FinalScore, type GoalTally, tallyGoals } from './goals.ts';
import { guardOf, sameGuard } from './guard.ts';
import type { IncidentRegister } from './incident-register.ts';

/** What the laws derive from the registers at one version; immutable. */
export type DerivedMatch = {
  readonly facts: EventFacts;
  readonly clock: Clock | null;
  readonly tally: GoalTally;
  readonly coverage: Coverage;
  readonly final: FinalScore;
  readonly guard: Guard;
};

/** Which inputs of a view changed since the previous one. */
export type Stale = {
  /** Fields of the event with a new value. */
  readonly fields: readonly string[];
  /** Incidents of goals or goal cancellations. */
  readonly goals: boolean;
};

/** Derives a view; reuses the unchanged parts of `previous`. */
export function deriveView(
  event: EventRegister,
  incidents: IncidentRegister,
  previous?: DerivedMatch,
  stale?: Stale,
): DerivedMatch {
  const factsStand = stale !== undefined && !stale.fields.some(isFact) && !mayBeDeleted(event);
  const facts =
    previous !== undefined && factsStand ? previous.facts : readEventFacts(event, previous?.facts);
  const hasRules = hasGoalRules(facts);
  const isAlike = previous?.facts.sides === facts.sides && hasGoalRules(previous.facts) === hasRules;
  const alike = isAlike ? previous : undefined;
  const { index } = incidents;
  const tally =
    alike !== undefined && stale?.goals === false
      ? alike.tally
      : tallyGoals(hasRules ? index.goals : [], hasRules ? index.cancellations : [], facts.sides);
  const coverage = coverageOf(incidents.snapshotAt, index.starts.length, index.known);
  const final =
    alike !== undefined && alike.tally === tally && alike.coverage === coverage
      ? alike.final
      : decideScore({
          coverage,
          derived: hasRules ? tally.score : null,
          derivedFirm: tally.firm,
          reported: facts.sides.reported,
        });
  const guard = guardOf({
    underReview: tally.underReview,
    agreement: final.agreement,
    statusId: facts.status_id,
    statusType: facts.status_type,
    betStatus: facts.bet_status,
    last: index.last,
  });
  return {
    facts,
    clock: readClock(event),
    tally,
    coverage,
    final,
    guard: previous !== undefined && sameGuard(previous.guard, guard) ? previous.guard : guard,
  };
}
