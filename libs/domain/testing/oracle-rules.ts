import type { Incident, MatchIncident, Score } from '#records/types.ts';

/** The laws of goals and of the trading guard as the oracle states them: over the whole timeline at once. */

/** The register of an incident, without its version and cause. */
export type OracleIncident = Omit<MatchIncident, 'version' | 'cause'>;

/** An incident with a body. */
export type OracleKnownIncident = OracleIncident & { readonly incident: Incident };

type Goals = {
  score: Score;
  firm: Score;
  shootOut: Score | null;
  underReview: boolean;
  counting: string[];
  /** The side of each goal that counts. */
  sides: ReadonlyMap<string, keyof Score | null>;
  missing: boolean;
  voided: [string, string][];
  voidBy: [string, string[]][];
  orphans: string[];
  /** Times of the standing cancellations that name no goal, and of goals that were confirmed after those that name them. */
  unexplained: number[];
  anomalies: string[];
};

/** Laws 5 to 7. */
export function deriveGoals(
  known: readonly OracleKnownIncident[],
  home: number | undefined,
  away: number | undefined,
): Goals {
  const rule = ({ incident }: OracleKnownIncident): string =>
    incident.counts_for ?? (incident.incident_id === 423 ? 'rival' : 'own');
  const sideOf = (one: OracleKnownIncident): keyof Score | null => {
    const participant = one.incident.participant_id;
    if (participant === null) return null;
    const own = participant === home ? 'home' : participant === away ? 'away' : null;
    if (own === null || rule(one) === 'own') return own;
    return rule(one) === 'rival' ? (own === 'home' ? 'away' : 'home') : null;
  };
  const inShootOut = ({ incident }: OracleKnownIncident) =>
    [13, 16, 141, 142].includes(incident.event_status_id ?? 0);
  const goals = known.filter(({ incident }) => [413, 421, 423].includes(incident.incident_id));
  const cancellations = known.filter(
    ({ removed, incident }) =>
      incident.incident_id === 424 && !removed && incident.confirmation !== 'cancelled',
  );
  const named = new Map<OracleKnownIncident, OracleKnownIncident>();
  for (const one of cancellations) {
    const goal = goals.find(({ id }) => id === one.incident.parent_id);
    if (goal !== undefined) named.set(one, goal);
  }
  for (const one of cancellations.filter(({ incident }) => incident.parent_id === null)) {
    const fitting = goals.filter((goal) => {
      const [a, b] = [goal.incident.event_time, one.incident.event_time];
      const farApart = a !== null && b !== null && Math.abs(a - b) > 600;
      const samePart = inShootOut(goal) === inShootOut(one);
      const sameSide = sideOf(goal) !== null && sideOf(goal) === sideOf(one);
      const scorer = goal.incident.participant_id;
      const ownGoal =
        goal.incident.incident_id === 423 && scorer !== null && scorer === one.incident.participant_id;
      return compare(goal.id, one.id) < 0 && (sameSide || ownGoal) && samePart && !farApart;
    });
    const repeated = cancellations.findLast((earlier) => {
      const goal = named.get(earlier);
      const [a, b] = [earlier.incident.event_time, one.incident.event_time];
      const close = a !== null && b !== null && Math.abs(a - b) <= 60;
      const between = fitting.some(({ id }) => compare(earlier.id, id) < 0);
      return (
        compare(earlier.id, one.id) < 0 && close && !between && goal !== undefined && fitting.includes(goal)
      );
    });
    const taken = new Set(named.values());
    const goal = repeated === undefined ? fitting.findLast((some) => !taken.has(some)) : named.get(repeated);
    if (goal !== undefined) named.set(one, goal);
  }
  const namersOf = (goal: OracleKnownIncident) => cancellations.filter((one) => named.get(one) === goal);
  const stands = ({ incident }: OracleKnownIncident) => ['confirmed', null].includes(incident.confirmation);
  const whyVoid = (goal: OracleKnownIncident): string | null => {
    if (goal.removed) return 'removed';
    if (goal.incident.confirmation === 'cancelled') return 'cancelled';
    return namersOf(goal).some(stands) ? 'goal_cancelled' : null;
  };
  const valid = goals.filter((goal) => whyVoid(goal) === null);
  const counting = valid.filter((goal) => sideOf(goal) !== null && !inShootOut(goal));
  const shootOut = valid.filter((goal) => sideOf(goal) !== null && inShootOut(goal));
  const sum = (some: readonly OracleKnownIncident[]): Score => ({
    home: some.filter((goal) => sideOf(goal) === 'home').length,
    away: some.filter((goal) => sideOf(goal) === 'away').length,
  });
  const toConfirm = ({ incident }: OracleKnownIncident) => incident.confirmation === 'tbd';
  return {
    score: sum(counting),
    firm: sum(counting.filter((goal) => !toConfirm(goal) && !goal.missing)),
    shootOut: shootOut.length === 0 ? null : sum(shootOut),
    underReview: counting.some((goal) => toConfirm(goal) || goal.missing || namersOf(goal).some(toConfirm)),
    missing:
      valid.some((goal) => goal.missing) || goals.some((goal) => namersOf(goal).some((one) => one.missing)),
    voidBy: goals.flatMap((goal) => {
      const by = namersOf(goal).filter(stands);
      return whyVoid(goal) === null || by.length === 0 ? [] : [[goal.id, by.map(({ id }) => id)]];
    }),
    unexplained: [
      ...cancellations.filter((one) => !named.has(one) && stands(one)),
      ...goals.filter(
        (goal) =>
          whyVoid(goal) === 'goal_cancelled' &&
          goal.incident.confirmation === 'confirmed' &&
          !namersOf(goal).some((one) => stands(one) && !isWrittenAfter(goal.incident, one.incident)),
      ),
    ].map(({ incident }) => incident.ut),
    counting: counting.map(({ id }) => id),
    sides: new Map(counting.map((goal) => [goal.id, sideOf(goal)])),
    voided: goals.flatMap((goal) => {
      const why = whyVoid(goal);
      return why === null ? [] : [[goal.id, why]];
    }),
    orphans: cancellations.filter((one) => !named.has(one)).map(({ id }) => id),
    anomalies: valid
      .filter((goal) => sideOf(goal) === null)
      .map(
        (goal) =>
          `${goal.id}:${['all', 'none'].includes(rule(goal)) ? `for_${rule(goal)}` : 'unknown_participant'}`,
      ),
  };
}

/** Whether an incident was written after another one: of one second only the ids of messages say so. */
function isWrittenAfter(a: Incident, b: Incident): boolean {
  if (a.ut !== b.ut) return a.ut > b.ut;
  return a.message_id !== null && b.message_id !== null && a.message_id > b.message_id;
}

type GuardFacts = {
  readonly underReview: boolean;
  readonly differs: boolean;
  readonly statusId: number | null;
  readonly statusType: string | null;
  readonly betStatus: string | null;
  readonly statusAt: number | null;
  readonly missing: boolean;
  readonly unread: boolean;
  readonly scoreUnknown: boolean;
  readonly wentBack: boolean;
  readonly unexplained: boolean;
  readonly absent: boolean;
};

const STARTS = [429, 430, 431, 432, 433];
const FINISHES = [434, 435, 436, 437];
const BREAKS = [445, 446, 447, 448];

/** Law 9. */
export function deriveReasons(known: readonly OracleKnownIncident[], facts: GuardFacts): string[] {
  const standing = known.filter(({ removed }) => !removed);
  const happened = standing.filter(({ incident }) => incident.confirmation !== 'cancelled');
  const over = ['finished', 'cancelled', 'deleted'].includes(facts.statusType ?? '');
  const idsOf = (some: readonly OracleKnownIncident[], types: readonly number[]) =>
    some.filter(({ incident }) => types.includes(incident.incident_id)).map(({ id }) => id);
  const open = (possible: number, deciders: readonly number[]): boolean => {
    const decided = idsOf(standing, [...deciders, ...STARTS, ...FINISHES]);
    return (
      !over && idsOf(happened, [possible]).some((id) => !decided.some((decider) => compare(decider, id) > 0))
    );
  };
  const gameBreaks = [420, 434, 435, 436, 437, 438, 439, 440, 441, 442, 445, 446, 447, 448, 451, 1834, 2753];
  const play = [...range(400, 413), 416, 421, 422, 423, 425, 1833, ...STARTS];
  const course = idsOf(happened, [...gameBreaks, ...play]).at(-1);
  const statuses = idsOf(happened, [427, ...STARTS, ...FINISHES, ...range(438, 442), ...BREAKS, 451]).at(-1);
  const isOf = (id: string | undefined, types: readonly number[]) =>
    id !== undefined && idsOf(happened, types).includes(id);
  const interruption = happened.findLast(({ incident }) => [441, 442].includes(incident.incident_id));
  const resumed =
    interruption !== undefined &&
    (idsOf(happened, play).some((id) => compare(id, interruption.id) > 0) ||
      (facts.statusType === 'live' && (facts.statusAt ?? 0) > interruption.incident.ut));
  const held: [string, boolean][] = [
    ['under_review', facts.underReview],
    ['possible_goal', open(1827, [413, 421, 423, 424, 1833, ...BREAKS])],
    ['possible_card', open(1829, [418, 419, 1830])],
    ['possible_penalty', open(1832, [420, 421, 422, 1831])],
    ['possible_var', open(1834, [2753])],
    ['game_break', facts.statusType === 'live' && isOf(course, gameBreaks)],
    ['bet_suspended', facts.betStatus === 'suspended' && !over],
    ['score_differs', facts.differs],
    [
      'interrupted',
      facts.statusType === 'interrupted' ||
        [2, 7].includes(facts.statusId ?? 0) ||
        (isOf(statuses, [441, 442]) && !resumed),
    ],
    ['missing_from_list', facts.missing],
    ['unread_message', facts.unread],
    ['score_unknown', facts.scoreUnknown],
    ['status_went_back', facts.wentBack],
    ['unexplained_cancellation', facts.unexplained],
    ['event_missing', facts.absent],
  ];
  return held.filter(([, holds]) => holds).map(([reason]) => reason);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

/** Law 4: compares ids and JSON by code units. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
