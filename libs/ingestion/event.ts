/** Reads the event of a message (spec, "Event"; what it does not show is as in the provider's own clients). */
import { ALWAYS_KNOWN, kickOffOf, NO_SOURCE } from '#domain/event.ts';
import { reportedScore } from '#domain/event-facts.ts';
import { int, long, number, oneOf, onlyText, resultValue, text, word, yesNo } from '#json/kinds.ts';
import { each, listOf, type RawRecord, record, recordReader, records, unknownList } from '#json/records.ts';
import { INT_MAX } from '#json/values.ts';
import {
  EVENT_FIELDS,
  type Event,
  type EventField,
  type EventParticipant,
  type NormalizedMessage,
  type ReportedValue,
} from '#records/types.ts';
import { UT_MAX } from './head.ts';

const values = records(
  { id: int, value: resultValue, ...each(text, 'name', 'short_name') },
  'id',
  ({ values: { id, ...named }, other }): ReportedValue | null =>
    id === null ? null : { id, ...named, other },
);

/** The sides. One without an id has nothing but results. */
const participants = records(
  {
    ...each(text, 'type', 'name', 'short_name', 'acronym', 'area_name', 'area_code', 'gender'),
    ...each(long, 'id', 'area_id'),
    counter: int,
    ut: number(UT_MAX),
    ...each(values, 'results', 'stats'),
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

const series = record({ order: int, event_ids: listOf(long) }, ({ values: { order, event_ids } }) => ({
  order,
  event_ids: event_ids ?? [],
}));

const eventReader = recordReader({
  ...each(long, 'id', 'area_id', 'competition_id', 'season_id', 'stage_id', 'group_id', 'round_id'),
  ...each(long, 'winner_id', 'progress_id', 'venue_id'),
  ...each(int, 'sport_id', 'status_id', 'clock_time', 'played_time'),
  ...each(text, 'name', 'round_name', 'status_name', 'sport_name', 'day', 'latency', 'coverage_type'),
  ...each(text, 'event_stats_lvl', 'event_stats_lvl_live'),
  ...each(yesNo, 'neutral_venue', 'verified_result', 'ft_only', 'scoutsfeed'),
  action: oneOf('insert', 'update', 'delete'),
  start_date: onlyText,
  status_type: word('live', 'scheduled', 'finished', 'cancelled', 'interrupted', 'deleted', 'other'),
  relation_status: word('not_started', 'in_progress', 'finished', '30_min_left', '5_min_left'),
  bet_status: word('active', 'suspended', 'inactive'),
  item_status: word('active', 'deleted'),
  clock_status: word('running', 'stopped'),
  source: number(INT_MAX, NO_SOURCE),
  ut: number(UT_MAX),
  series,
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

function isSilent(event: Event): boolean {
  return (
    event.participants.length === 0 &&
    event.nulls.length === 0 &&
    Object.keys(event.other).length === 0 &&
    EVENT_FIELDS.every((name) => event[name] === null)
  );
}
