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

/** A match as the laws derive it from its registers at one version; immutable. */
export type DerivedMatch = {
  readonly facts: EventFacts;
  readonly clock: Clock | null;
  readonly tally: GoalTally;
  readonly coverage: Coverage;
  readonly final: FinalScore;
  readonly guard: Guard;
};

/** The inputs of a view that changed since the previous one. */
type ChangedInputs = {
  /** Fields of the event with a new value. */
  readonly fields: readonly string[];
  /** Whether goals or goal cancellations changed. */
  readonly goals: boolean;
};

/** Derives a view; reuses the unchanged parts of `previous`. */
export function deriveView(
  event: EventRegister,
  incidents: IncidentRegister,
  previous?: DerivedMatch,
  changed?: ChangedInputs,
): DerivedMatch {
  const haveFactsChanged = changed === undefined || changed.fields.some(isFact) || mayBeDeleted(event);
  const facts =
    previous === undefined || haveFactsChanged ? readEventFacts(event, previous?.facts) : previous.facts;
  const hasRules = hasGoalRules(facts);
  const hasSameSides = previous?.facts.sides === facts.sides && hasGoalRules(previous.facts) === hasRules;
  const reusable = hasSameSides ? previous : undefined;
  const { index } = incidents;
  const tally =
    reusable !== undefined && changed?.goals === false
      ? reusable.tally
      : tallyGoals(hasRules ? index.goals : [], hasRules ? index.cancellations : [], facts.sides);
  const coverage = coverageOf(incidents.snapshotAt, index.starts.length, index.known);
  const final =
    reusable !== undefined && reusable.tally === tally && reusable.coverage === coverage
      ? reusable.final
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
