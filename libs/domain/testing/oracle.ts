import { isDeepStrictEqual } from 'node:util';
import type { Incident, MatchState, NormalizedMessage, Score } from '#records/types.ts';
import { incidentText } from '../event.ts';
import {
  instantOf,
  isOver,
  latestFields,
  numberOf,
  orderMessages,
  reportsOf,
  resultsOfSide,
  TYPE_OF,
  textOf,
} from './oracle-event.ts';
import {
  compare,
  deriveGoals,
  deriveReasons,
  type OracleIncident,
  type OracleKnownIncident,
} from './oracle-rules.ts';

/**
 * The laws of match state written down a second time: straight from their text, over the whole set of messages at once,
 * simple and slow, without code of the domain. `applyMessage` must give the same.
 */

/** A match state without version and cause. */
type OracleState = Omit<MatchState, 'version' | 'cause'>;
export type Derived = { readonly state: OracleState; readonly incidents: readonly OracleIncident[] };

/** Returns the state of an event from the set of its messages. */
export function derive(eventId: number, messages: readonly NormalizedMessage[]): Derived {
  const relevant = messages.filter(({ type }) => type !== 'event_keep_alive' && type !== 'events_lineups');
  const ordered = orderMessages(relevant);
  const fields = latestFields(ordered);
  const json = (slot: string): string | null => fields.get(slot)?.json ?? null;
  const value = (name: string): unknown => JSON.parse(json(`field ${name}`) ?? 'null');
  const utOf = (slot: string): number | undefined => fields.get(slot)?.from.ut;
  const side = (counter: number) =>
    sideOf(
      JSON.parse(json(`side ${counter}`) ?? 'null'),
      JSON.parse(resultsOfSide(fields, ordered, counter)?.json ?? '[]'),
    );
  const [home, away] = [side(1), side(2)];
  const resultOf = (id: number): Score | null => {
    const [a, b] = [home.resultOf(id), away.resultOf(id)];
    return a === null || b === null ? null : { home: a, away: b };
  };
  const [reported, shootOut] = [resultOf(2), resultOf(7)];
  const sport = numberOf(value('sport_id'));
  const soccer = sport === null || sport === 5;
  const goalsOf = (some: readonly OracleIncident[]) =>
    deriveGoals(soccer ? some.filter(hasBody) : [], home.participant?.id, away.participant?.id);
  const sidesKnown = home.participant !== null && away.participant !== null;
  const scoreOf = (some: readonly OracleIncident[]) => (soccer && sidesKnown ? goalsOf(some).score : null);
  const { incidents, snapshotAt } = deriveIncidents(eventId, relevant, (withAll, without) => {
    return (
      reported !== null &&
      isDeepStrictEqual(reported, scoreOf(withAll)) &&
      !isDeepStrictEqual(reported, scoreOf(without))
    );
  });
  const known = incidents.filter(hasBody);
  const goals = goalsOf(incidents);

  const statusId = numberOf(value('status_id'));
  const reportedType = textOf(value('status_type'));
  const isDeleted =
    [reportedType, value('item_status')].includes('deleted') ||
    (value('action') === 'delete' && (utOf('field action') ?? 0) >= (utOf('field status_id') ?? 0));
  const statusType = isDeleted ? 'deleted' : (reportedType ?? TYPE_OF[statusId ?? 0] ?? null);

  // Law 8.
  const started = known.some(
    ({ removed, incident }) => !removed && [427, 429].includes(incident.incident_id),
  );
  const coverage = snapshotAt !== null || started ? 'complete' : known.length > 0 ? 'partial' : 'none';
  const derived = soccer && sidesKnown && coverage !== 'none' ? goals.score : null;
  const finished = isOver(statusId, statusType);
  const awarded = statusId === 12;
  const fromIncidents =
    derived !== null && !awarded && (reported === null || (coverage === 'complete' && !finished));
  const score = fromIncidents ? derived : reported;
  const firm = fromIncidents ? goals.firm : reported;
  const compared = derived !== null && coverage === 'complete' ? derived : reported;
  const agreement =
    reported === null ? 'unknown' : isDeepStrictEqual(compared, reported) ? 'agrees' : 'differs';

  const betStatus = textOf(value('bet_status'));
  const clockTime = numberOf(value('clock_time'));
  const clockStatus = textOf(value('clock_status'));
  const statusFrom = [fields.get('field status_id'), fields.get('field status_type')].flatMap((one) =>
    one === undefined ? [] : [ordered.indexOf(one.from)],
  );
  const positionOf = ({ ut, id }: (typeof ordered)[number]) => ({ ut, message_id: id });
  const firstFinished = ordered.find(({ event }) => {
    return isOver(numberOf(event.status_id), textOf(event.status_type));
  });
  const latestStatus = ordered[Math.max(...statusFrom)];
  const isAfterFirst = (later: (typeof ordered)[number], first: (typeof ordered)[number]): boolean =>
    ordered.indexOf(first) < ordered.indexOf(later) &&
    !isDeepStrictEqual(positionOf(first), positionOf(later));
  const isScheduledAfterEnd =
    statusType === 'scheduled' &&
    firstFinished !== undefined &&
    latestStatus !== undefined &&
    isAfterFirst(latestStatus, firstFinished);
  // Law 9: a match that begins anew, and goals from before.
  const typeOfMessage = ({ event }: (typeof ordered)[number]): string | null =>
    isOver(numberOf(event.status_id), textOf(event.status_type))
      ? 'finished'
      : (textOf(event.status_type) ?? TYPE_OF[numberOf(event.status_id) ?? 0] ?? null);
  const firstStarted = ordered.find((one) =>
    ['live', 'interrupted', 'finished'].includes(typeOfMessage(one) ?? ''),
  );
  const lastScheduled = ordered.findLast((one) => typeOfMessage(one) === 'scheduled');
  const isBefore = ({ ut, message_id }: Incident, { ut: at, id }: (typeof ordered)[number]): boolean =>
    ut < at || (ut === at && message_id !== null && (id === null || message_id < id));
  const hasOldGoals =
    firstStarted !== undefined &&
    lastScheduled !== undefined &&
    isAfterFirst(lastScheduled, firstStarted) &&
    (fromIncidents || reported === null || !finished) &&
    known.some(({ id, incident }) => goals.counting.includes(id) && isBefore(incident, lastScheduled));
  const wentBack = isScheduledAfterEnd || hasOldGoals;
  const resultTimes = [1, 2].map((counter) => resultsOfSide(fields, ordered, counter)?.from.ut);
  const resultsAt = Math.min(...resultTimes.map((ut) => ut ?? Number.NEGATIVE_INFINITY));
  const settledSince = (ut: number): boolean =>
    resultsAt > ut && reported !== null && (agreement === 'agrees' || !fromIncidents);
  const unreadAt = highest(relevant.flatMap(({ ut, unreadable }) => (unreadable === null ? [] : [ut])));
  const statusAt = highest([utOf('field status_id'), utOf('field status_type')].flatMap((ut) => ut ?? []));
  const absence = latestAbsence(relevant.filter(({ ut }) => ut >= (statusAt ?? 0)));
  const reasons = deriveReasons(soccer ? known : [], {
    underReview: goals.underReview,
    differs: agreement === 'differs' && !(finished && isVerified(value('verified_result'))),
    statusId,
    statusType,
    betStatus,
    statusAt,
    missing: goals.missing,
    unread: unreadAt !== null && (snapshotAt ?? -1) < unreadAt && !settledSince(unreadAt),
    scoreUnknown: (statusType === 'live' || awarded) && score === null,
    wentBack,
    unexplained: goals.unexplained.some((ut) => !settledSince(ut)),
    absent: absence !== null,
  });
  return {
    incidents,
    state: {
      event_id: eventId,
      name: textOf(value('name')),
      sport_id: sport,
      competition_id: numberOf(value('competition_id')),
      season_id: numberOf(value('season_id')),
      stage_id: numberOf(value('stage_id')),
      group_id: numberOf(value('group_id')),
      start_date: textOf(value('start_date')),
      kick_off: instantOf(textOf(value('start_date'))),
      status_id: statusId,
      status_type: statusType,
      relation_status: textOf(value('relation_status')),
      bet_status: betStatus,
      clock:
        clockTime === null && clockStatus === null
          ? null
          : {
              time: clockTime,
              status: clockStatus,
              ut: utOf(clockTime === null ? 'field clock_status' : 'field clock_time') ?? 0,
            },
      home: home.participant,
      away: away.participant,
      score,
      firm,
      shoot_out:
        (finished || goals.shootOut === null) && soccer ? (shootOut ?? goals.shootOut) : goals.shootOut,
      source: fromIncidents ? 'incidents' : reported !== null ? 'reported' : 'none',
      coverage,
      reported,
      agreement,
      under_review: goals.underReview,
      counting_goals: goals.counting,
      void_goals: Object.fromEntries(goals.voided),
      orphans: goals.orphans,
      removed: known.filter(({ removed }) => removed).map(({ id }) => id),
      anomalies: [...goals.anomalies, ...(wentBack ? ['status_went_back'] : [])],
      guard: { safe: reasons.length === 0, reasons },
      verified_result: value('verified_result') === null ? null : isVerified(value('verified_result')),
      snapshot_at: snapshotAt,
      reports: reportsOf(ordered, fields),
      key_incidents: known
        .filter(({ incident }) => soccer && KEY_TYPES.includes(incident.incident_id))
        .map((one) => ({
          ...keyIncidentOf(one, value('details'), goals.voided),
          counts_for_id: countsFor(goals, one.id, home.participant, away.participant),
        })),
      derived,
      missing: known.filter(({ missing }) => missing).map(({ id }) => id),
      void_by: Object.fromEntries(goals.voidBy),
      unread: unreadFields(relevant),
      unread_at: unreadAt,
      first_finished: firstFinished === undefined ? null : positionOf(firstFinished),
      first_started: firstStarted === undefined ? null : positionOf(firstStarted),
      last_scheduled: lastScheduled === undefined ? null : positionOf(lastScheduled),
      absence,
    },
  };
}

/** Goals and red cards. */
const KEY_TYPES = [413, 421, 423, 418];

/** Returns the nominal last minute of each period by its status: details 16 and 50 are the lengths of halves, 17 their number. */
function periodEnds(details: unknown): Readonly<Record<number, number>> {
  const length = (id: number, usual: number): number => {
    const detail = (Array.isArray(details) ? details : []).find((one) => one?.id === id);
    const value = numberOf(detail?.value) ?? usual;
    return value >= 1 && value <= 60 ? value : usual;
  };
  const half = length(17, 2) === 2 ? length(16, 45) : 45;
  const extra = length(50, 15);
  return { 33: half, 34: 2 * half, 35: 2 * half + extra, 36: 2 * half + 2 * extra };
}

function keyIncidentOf(
  { id, incident, removed }: OracleKnownIncident,
  details: unknown,
  voided: readonly (readonly [string, string])[],
): Omit<MatchState['key_incidents'][number], 'counts_for_id'> {
  const { subparticipant_id: player, subparticipant_name } = incident;
  const isPlayer = player !== null && player > 0;
  const { event_time: time, event_status_id: phase } = incident;
  const minute = time === null ? null : Math.ceil(time / 60);
  const end = periodEnds(details)[phase ?? 0];
  return {
    id,
    incident_type: incident.incident_id,
    team_id: incident.participant_id,
    player_id: isPlayer ? player : null,
    player_name: subparticipant_name,
    minute:
      minute === null ? null : end !== undefined && minute > end ? `${end}+${minute - end}` : String(minute),
    in_shoot_out: [13, 16, 141, 142].includes(phase ?? 0),
    stands: !removed && incident.confirmation !== 'cancelled' && !voided.some(([goal]) => goal === id),
  };
}

function countsFor(
  { sides }: ReturnType<typeof deriveGoals>,
  id: string,
  home: MatchState['home'],
  away: MatchState['away'],
): number | null {
  const side = sides.get(id);
  return (side === 'home' ? home?.id : side === 'away' ? away?.id : null) ?? null;
}

/** The words and numbers that say that a result is verified. */
function isVerified(value: unknown): boolean {
  return [true, 1, '1', 'yes', 'true'].includes(
    typeof value === 'string' ? value.toLowerCase() : (value as number),
  );
}

function unreadFields(messages: readonly NormalizedMessage[]): MatchState['unread'] {
  const paths = [...new Set(messages.flatMap(({ unread }) => unread))].sort(compare);
  return paths.map((path) => ({
    path,
    ut: Math.max(...messages.filter(({ unread }) => unread.includes(path)).map(({ ut }) => ut)),
  }));
}

/** Law 2: the latest absence; of one second one that is confirmed, then one with an order. */
function latestAbsence(messages: readonly NormalizedMessage[]): MatchState['absence'] {
  const absences = messages.flatMap(({ ut, absence }) => (absence === null ? [] : [{ ut, ...absence }]));
  absences.sort(
    (a, b) =>
      a.ut - b.ut ||
      Number(a.confirmed) - Number(b.confirmed) ||
      Number(a.order !== null) - Number(b.order !== null) ||
      compare(a.order?.reason ?? '', b.order?.reason ?? ''),
  );
  return absences.at(-1) ?? null;
}

function hasBody(one: OracleIncident): one is OracleKnownIncident {
  return one.incident !== null;
}

/** Laws 1, 3 and 4. `contradicts`: whether the result speaks for the incidents with all that the list omits. */
function deriveIncidents(
  eventId: number,
  messages: readonly NormalizedMessage[],
  contradicts: (withAll: readonly OracleIncident[], without: readonly OracleIncident[]) => boolean,
): { incidents: OracleIncident[]; snapshotAt: number | null } {
  const lists = messages.flatMap(({ ut, snapshot, deleted }) =>
    snapshot === null ? [] : [{ ut, snapshot, deleted }],
  );
  const snapshots = lists.filter(({ snapshot }) => snapshot.length > 0);
  const records = messages.flatMap(({ incident }) => (incident === null ? [] : [incident]));
  const bodies = [
    ...snapshots.flatMap(({ snapshot }) => snapshot),
    ...records.filter(({ deleted }) => !deleted).map(({ incident }) => incident),
  ];
  const deletes = [
    ...lists.flatMap(({ deleted }) => deleted),
    ...records.filter(({ deleted }) => deleted).map(({ incident }) => incident),
  ];
  const strength = ['tbd', 'confirmed', 'cancelled'];
  const rank = ({ message_id }: Incident): number => message_id ?? Number.MAX_VALUE;
  bodies.sort(
    (a, b) =>
      a.ut - b.ut ||
      strength.indexOf(a.confirmation ?? '') - strength.indexOf(b.confirmation ?? '') ||
      rank(a) - rank(b) ||
      compare(incidentText(a), incidentText(b)),
  );
  const snapshotAt = highest(snapshots.map(({ ut }) => ut));
  const latest = snapshots.filter(({ ut }) => ut === snapshotAt);
  const ids = [...new Set([...bodies, ...deletes].map(({ id }) => id))].sort(compare);
  const all = ids.map((id) => {
    const incident = bodies.findLast((body) => body.id === id) ?? null;
    const ofId = deletes.filter((one) => one.id === id);
    const deleted_at = highest(ofId.map(({ ut }) => ut));
    const lastDelete = Math.max(...ofId.filter(({ ut }) => ut === deleted_at).map(rank));
    const deleted_by = deleted_at === null || lastDelete === Number.MAX_VALUE ? null : lastDelete;
    const hasIt = ({ snapshot }: (typeof snapshots)[number]) => snapshot.some((one) => one.id === id);
    const listed_at = highest(snapshots.filter(hasIt).map(({ ut }) => ut));
    const listed = latest.some(hasIt);
    const present = Math.max(incident?.ut ?? 0, listed ? (snapshotAt ?? 0) : 0);
    const isOlder = incident !== null && deleted_at === incident.ut && lastDelete < rank(incident);
    const deleted = incident !== null && deleted_at !== null && deleted_at >= present && !isOlder;
    const silent = (snapshotAt ?? 0) - Math.max(incident?.ut ?? 0, listed_at ?? 0);
    const omitted = incident !== null && snapshotAt !== null && !listed && silent >= 5;
    return {
      record: { event_id: eventId, id, deleted_at, deleted_by, listed_at, incident },
      deleted,
      omitted,
      silent,
    };
  });
  const assume = (isRemoved: (one: (typeof all)[number]) => boolean): OracleIncident[] =>
    all.map((one) => ({ ...one.record, removed: one.deleted || isRemoved(one), missing: false }));
  const kept = contradicts(
    assume(() => false),
    assume(({ omitted }) => omitted),
  );
  const incidents = all.map(({ record, deleted, omitted, silent }): OracleIncident => {
    const removed = deleted || (omitted && silent >= 75 && !kept);
    return { ...record, removed, missing: omitted && !removed };
  });
  return { incidents, snapshotAt };
}

type OracleSide = {
  readonly participant: MatchState['home'];
  readonly resultOf: (id: number) => number | null;
};

function sideOf(fields: Readonly<Record<string, unknown>> | null, results: readonly unknown[]): OracleSide {
  return {
    participant:
      fields === null
        ? null
        : {
            id: Number(fields.id),
            name: textOf(fields.name),
            short_name: textOf(fields.short_name),
            acronym: textOf(fields.acronym),
          },
    resultOf: (id) => {
      const found = results.find((result) => numberOf((result as { id?: unknown } | null)?.id) === id);
      return numberOf((found as { value?: unknown } | undefined)?.value);
    },
  };
}

function highest(times: readonly number[]): number | null {
  return times.length === 0 ? null : Math.max(...times);
}
