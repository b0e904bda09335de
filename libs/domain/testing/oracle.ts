import { canonicalJson } from '#contract/canonical-json.ts';
import type { MatchState, NormalizedMessage } from '#topics/generated/types.ts';
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

type Field = { readonly ut: number; readonly json: string };

/** Returns the state of an event from the set of its messages. */
export function derive(eventId: number, messages: readonly NormalizedMessage[]): Derived {
  const relevant = messages.filter(({ type }) => type !== 'event_keep_alive' && type !== 'events_lineups');
  const fields = deriveFields(relevant);
  const value = (name: string): unknown => JSON.parse(fields.get(name)?.json ?? 'null');
  const { incidents, snapshotAt } = deriveIncidents(eventId, relevant);
  const known = incidents.filter((one): one is OracleKnownIncident => one.incident !== null);
  const home = participantOf(value('participants'), 1);
  const away = participantOf(value('participants'), 2);
  const sport = numberOf(value('sport_id'));
  const soccer = sport === null || sport === 5;
  const goals = deriveGoals(soccer ? known : [], home?.participant.id, away?.participant.id);

  // Law 8.
  const started = known.some(
    ({ removed, incident }) => !removed && [427, 429].includes(incident.incident_id),
  );
  const coverage = snapshotAt !== null || started ? 'complete' : known.length > 0 ? 'partial' : 'none';
  const reported =
    home === null || away === null || home.result === null || away.result === null
      ? null
      : { home: home.result, away: away.result };
  const derivable = soccer && home !== null && away !== null && coverage !== 'none';
  const fromIncidents = derivable && (coverage === 'complete' || reported === null);
  const score = fromIncidents ? goals.score : reported;
  const firm = fromIncidents ? goals.firm : reported;
  const agreement =
    score === null || reported === null
      ? 'unknown'
      : score.home === reported.home && score.away === reported.away
        ? 'agrees'
        : 'differs';

  const statusId = numberOf(value('status_id'));
  const reportedType = textOf(value('status_type'));
  const isDeleted =
    [reportedType, value('item_status')].includes('deleted') ||
    (value('action') === 'delete' && (fields.get('action')?.ut ?? 0) >= (fields.get('status_id')?.ut ?? 0));
  const statusType = isDeleted ? 'deleted' : (reportedType ?? TYPE_OF[statusId ?? 0] ?? null);
  const betStatus = textOf(value('bet_status'));
  const clockTime = numberOf(value('clock_time'));
  const clockStatus = textOf(value('clock_status'));
  const clockField = fields.get(clockTime === null ? 'clock_status' : 'clock_time');
  const reasons = deriveReasons(known, {
    underReview: goals.underReview,
    differs: agreement === 'differs',
    statusId,
    statusType,
    betStatus,
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
      status_id: statusId,
      status_type: statusType,
      relation_status: textOf(value('relation_status')),
      bet_status: betStatus,
      clock:
        clockTime === null && clockStatus === null
          ? null
          : { time: clockTime, status: clockStatus, ut: clockField?.ut ?? 0 },
      home: home?.participant ?? null,
      away: away?.participant ?? null,
      score,
      firm,
      shoot_out: goals.shootOut,
      source: fromIncidents ? 'incidents' : reported !== null ? 'reported' : 'none',
      coverage,
      reported,
      agreement,
      under_review: goals.underReview,
      counting_goals: goals.counting,
      void_goals: Object.fromEntries(goals.voided),
      orphans: goals.orphans,
      removed: known.filter(({ removed }) => removed).map(({ id }) => id),
      anomalies: goals.anomalies,
      guard: { safe: reasons.length === 0, reasons },
      verified_result:
        value('verified_result') === null ? null : (fields.get('verified_result')?.json ?? null),
      snapshot_at: snapshotAt,
      fields: groupFields(fields),
      key_incidents: known
        .filter(({ incident }) => KEY_TYPES.includes(incident.incident_id))
        .map(keyIncidentOf),
      derived: null,
      missing: [],
      void_by: {},
      unread: [],
      unread_at: null,
      first_finished: null,
    },
  };
}

/** Types of the statuses that the messages have. */
const TYPE_OF: Readonly<Record<number, string>> = {
  2: 'interrupted',
  7: 'finished',
  11: 'finished',
  33: 'live',
  34: 'live',
};

/** Goals and red cards. */
const KEY_TYPES = [413, 421, 423, 418];
/** The nominal last minute of each period. */
const PERIOD_ENDS: Readonly<Record<number, number>> = { 33: 45, 34: 90, 35: 105, 36: 120 };

function keyIncidentOf({ id, incident }: OracleKnownIncident): MatchState['key_incidents'][number] {
  const { subparticipant_id, subparticipant_name } = JSON.parse(incident.body);
  const player = numberOf(subparticipant_id);
  const isPlayer = player !== null && player > 0;
  const { event_time: time, event_status_id: phase } = incident;
  const minute = time === null ? null : Math.ceil(time / 60);
  const end = PERIOD_ENDS[phase ?? 0];
  return {
    id,
    incident_type: incident.incident_id,
    team_id: incident.participant_id,
    player_id: isPlayer ? player : null,
    player_name: isPlayer ? textOf(subparticipant_name) : null,
    minute:
      minute === null ? null : end !== undefined && minute > end ? `${end}+${minute - end}` : String(minute),
    in_shoot_out: phase === 16 || phase === 141,
  };
}

/** Law 2. */
function deriveFields(messages: readonly NormalizedMessage[]): ReadonlyMap<string, Field> {
  const candidates = messages.flatMap(({ ut, event_fields }) =>
    event_fields.flatMap((part) =>
      Object.entries(JSON.parse(part) as object).map(([name, value]) => ({
        name,
        ut,
        json: canonicalJson(value),
      })),
    ),
  );
  candidates.sort((a, b) => a.ut - b.ut || compare(a.json, b.json));
  return new Map(candidates.map(({ name, ut, json }) => [name, { ut, json }]));
}

function groupFields(fields: ReadonlyMap<string, Field>): MatchState['fields'] {
  const times = [...new Set([...fields.values()].map(({ ut }) => ut))].sort((a, b) => a - b);
  return times.map((ut) => {
    const group = [...fields].filter(([, field]) => field.ut === ut);
    return {
      ut,
      json: canonicalJson(Object.fromEntries(group.map(([name, { json }]) => [name, JSON.parse(json)]))),
      message_id: null,
      progress: 0,
      text: null,
    };
  });
}

/** Laws 1, 3 and 4. */
function deriveIncidents(
  eventId: number,
  messages: readonly NormalizedMessage[],
): { incidents: OracleIncident[]; snapshotAt: number | null } {
  const snapshots = messages.flatMap(({ ut, snapshot }) => (snapshot === null ? [] : [{ ut, snapshot }]));
  const records = messages.flatMap(({ incident }) => (incident === null ? [] : [incident]));
  const bodies = [
    ...snapshots.flatMap(({ snapshot }) => snapshot),
    ...records.filter(({ deleted }) => !deleted).map(({ incident }) => incident),
  ];
  const deletes = records.filter(({ deleted }) => deleted).map(({ incident }) => incident);
  const strength = ['tbd', 'confirmed', 'cancelled'];
  bodies.sort(
    (a, b) =>
      a.ut - b.ut ||
      strength.indexOf(a.confirmation ?? '') - strength.indexOf(b.confirmation ?? '') ||
      compare(a.body, b.body),
  );
  const snapshotAt = highest(snapshots.map(({ ut }) => ut));
  const latest = snapshots.filter(({ ut }) => ut === snapshotAt);
  const ids = [...new Set([...bodies, ...deletes].map(({ id }) => id))].sort(compare);
  const incidents = ids.map((id): OracleIncident => {
    const incident = bodies.findLast((body) => body.id === id) ?? null;
    const deleted_at = highest(deletes.filter((one) => one.id === id).map(({ ut }) => ut));
    const lists = ({ snapshot }: (typeof snapshots)[number]) => snapshot.some((one) => one.id === id);
    const listed_at = highest(snapshots.filter(lists).map(({ ut }) => ut));
    const listed = latest.some(lists);
    const presentAt = highest([
      ...(incident === null ? [] : [incident.ut]),
      ...(snapshotAt !== null && listed ? [snapshotAt] : []),
    ]);
    const absentAt = highest([
      ...(deleted_at === null ? [] : [deleted_at]),
      ...(snapshotAt !== null && !listed ? [snapshotAt - 5] : []),
    ]);
    const removed = incident !== null && presentAt !== null && absentAt !== null && absentAt >= presentAt;
    return { event_id: eventId, id, removed, missing: false, deleted_at, listed_at, incident };
  });
  return { incidents, snapshotAt };
}

type OracleSide = { participant: NonNullable<MatchState['home']>; result: number | null };

function participantOf(value: unknown, counter: number): OracleSide | null {
  for (const item of Array.isArray(value) ? value : []) {
    if (numberOf(item?.id) === null || numberOf(item.counter) !== counter) continue;
    const results: unknown[] = Array.isArray(item.results) ? item.results : [];
    const score = results.find((result) => numberOf((result as { id?: unknown } | null)?.id) === 2);
    return {
      participant: {
        id: Number(item.id),
        name: textOf(item.name),
        short_name: textOf(item.short_name),
        acronym: textOf(item.acronym),
      },
      result: numberOf((score as { value?: unknown } | undefined)?.value),
    };
  }
  return null;
}

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^[0-9]+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function highest(times: readonly number[]): number | null {
  return times.length === 0 ? null : Math.max(...times);
}
