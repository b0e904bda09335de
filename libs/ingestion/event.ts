/** Reads the event of a message (spec, "Event"; what it does not show is as in the provider's own clients). */
import { ALWAYS_KNOWN, kickOffOf, NO_SOURCE } from '#domain/event.ts';
import { reportedScore } from '#domain/event-facts.ts';
import { number, oneOf, onlyText, resultValue, text, word, yesNo } from '#json/kinds.ts';
import { listOf, type RawRecord, record, recordReader, records, unknownList } from '#json/records.ts';
import { INT_MAX, LONG_MAX } from '#json/values.ts';
import {
  EVENT_FIELDS,
  type Event,
  type EventField,
  type EventParticipant,
  type NormalizedMessage,
  type ReportedValue,
} from '#records/types.ts';
import { UT_MAX } from './head.ts';

const int = number(INT_MAX);
const long = number(LONG_MAX);

/** A list of results, statistics or details. */
const values = records(
  { id: int, value: resultValue, name: text, short_name: text },
  'id',
  ({ values: { id, ...named }, other }): ReportedValue | null =>
    id === null ? null : { id, ...named, other },
);

/** The sides. One without an id has nothing but results. */
const participants = records(
  {
    id: long,
    counter: int,
    type: text,
    name: text,
    short_name: text,
    acronym: text,
    area_id: long,
    area_name: text,
    area_code: text,
    gender: text,
    ut: number(UT_MAX),
    results: values,
    stats: values,
  },
  'id',
  ({ values: { results, stats, ...own }, other }): EventParticipant | null => {
    const { id, counter, ...names } = own;
    const isNamed = [...Object.values(names), ...Object.values(other)].some((one) => one !== null);
    const hasResultsAlone = !isNamed && !stats?.length && counter !== null && !!results?.length;
    if (id === null && !hasResultsAlone) return null;
    return { ...own, results: results ?? [], stats: stats ?? [], other };
  },
  { subparticipants: unknownList, lineups: unknownList },
);

const eventReader = recordReader({
  id: long,
  action: oneOf('insert', 'update', 'delete'),
  name: text,
  start_date: onlyText,
  sport_id: int,
  area_id: long,
  competition_id: long,
  season_id: long,
  stage_id: long,
  group_id: long,
  round_id: long,
  round_name: text,
  status_id: int,
  status_name: text,
  status_type: word('live', 'scheduled', 'finished', 'cancelled', 'interrupted', 'deleted', 'other'),
  relation_status: word('not_started', 'in_progress', 'finished', '30_min_left', '5_min_left'),
  bet_status: word('active', 'suspended', 'inactive'),
  item_status: word('active', 'deleted'),
  clock_time: int,
  clock_status: word('running', 'stopped'),
  played_time: int,
  winner_id: long,
  progress_id: long,
  neutral_venue: yesNo,
  verified_result: yesNo,
  coverage_type: text,
  event_stats_lvl_live: text,
  latency: text,
  event_stats_lvl: text,
  source: number(INT_MAX, NO_SOURCE),
  ft_only: yesNo,
  scoutsfeed: yesNo,
  sport_name: text,
  day: text,
  venue_id: long,
  ut: number(UT_MAX),
  series: record({ order: int, event_ids: listOf(long) }, ({ values: { order, event_ids } }) => ({
    order,
    event_ids: event_ids ?? [],
  })),
  details: values,
  participants,
});

/** The fields that only describe the event's message, or its place in it. */
const NOT_OF_EVENT: ReadonlySet<string> = new Set(['id', 'action', 'participants']);

/** Reads an event. Adds the paths of what cannot be read to `unread`. */
export function readEvent(raw: RawRecord, unread: Set<string>): Event {
  const { values, nulls, other } = eventReader(raw, 'event', unread);
  const { id: _, participants, action, ...fields } = values;
  return {
    action: action === 'delete' ? action : null,
    ...fields,
    kick_off: kickOffOf(fields.start_date),
    participants: participants ?? [],
    nulls: nulls.filter((name): name is EventField => !NOT_OF_EVENT.has(name) && !ALWAYS_KNOWN.has(name)),
    other,
  };
}

/** Returns the fields of a normalized message that come from its event. */
export function ofEvent(event: Event, ut: number): Pick<NormalizedMessage, 'event' | 'reported' | 'clock'> {
  const { clock_time, clock_status } = event;
  return {
    event: isSilent(event) ? null : event,
    reported: reportedScore(event.participants),
    clock:
      clock_time === null && clock_status === null ? null : { time: clock_time, status: clock_status, ut },
  };
}

/** Whether an event says nothing. */
function isSilent(event: Event): boolean {
  return (
    event.participants.length === 0 &&
    event.nulls.length === 0 &&
    Object.keys(event.other).length === 0 &&
    EVENT_FIELDS.every((name) => event[name] === null)
  );
}
