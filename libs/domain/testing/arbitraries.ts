import fc from 'fast-check';
import { ofEvent } from '#ingestion/event.ts';
import type { Incident, NormalizedMessage } from '#records/types.ts';
import { EventRegister } from '../event-register.ts';
import {
  AWAY,
  absenceMessage,
  eventMessage,
  eventOf,
  HOME,
  incident,
  incidentMessage,
  participants,
  START,
  snapshotMessage,
} from './messages.ts';

/**
 * Messages that collide: few ids, few times (so that many are equal, and some lie on the settle margin of a
 * snapshot), every type that a rule is about, sides that change or are unknown.
 */

/** Ids that sort as strings and not as numbers; one of them is a property name that every object inherits. */
const ids = fc.constantFrom('5-1', '5-10', '5-100', '5-2', '5-20', '5-3', '7', '__proto__');
const times = fc.constantFrom(0, 1, 2, 3, 5, 6, 7, 8, 10, 76, 80, 85).map((seconds) => START + seconds);
/** Ids of messages: few whole numbers, and another kind of id. */
const messageIds = fc.constantFrom('8', '9', '10', '11', 'list-1', 'b2f1');

const types = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(413, 421, 423, 424) },
  { weight: 2, arbitrary: fc.constantFrom(427, 429) },
  { weight: 3, arbitrary: fc.constantFrom(1827, 1829, 1830, 1831, 1832, 1833, 1834, 2753) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(400, 415, 418, 419, 420, 422, 430, 437, 441, 445, 449, 450, 451, 99_999),
  },
);

const anything = fc
  .record({
    id: ids,
    type: types,
    options: fc.record({
      ut: times,
      participant_id: fc.constantFrom(HOME, HOME, AWAY, AWAY, 999, null),
      counts_for: fc.constantFrom(null, null, null, null, 'own', 'rival', 'all', 'none'),
      confirmation: fc.constantFrom('confirmed', 'confirmed', 'tbd', 'cancelled', null),
      event_status_id: fc.constantFrom(33, 33, 34, 16, 141, 142, 13, null),
      message_id: fc.constantFrom(8, 9, 10, null),
      event_time: fc.constantFrom(0, 600, 601, 660, 661, 1200, 1201, null),
      parent_id: fc.option(ids, { freq: 3 }),
      note: fc.constantFrom('a', 'b'),
    }),
  })
  .map(({ id, type, options }) => incident(id, type, options));

/** Goals and cancellations that are likely to match, near the limits of ten minutes and of the phases. */
const goals = fc
  .record({
    id: ids,
    type: fc.constantFrom(413, 413, 413, 423, 424, 424),
    options: fc.record({
      ut: times,
      participant_id: fc.constantFrom(HOME, HOME, HOME, AWAY),
      confirmation: fc.constantFrom('confirmed', 'confirmed', 'confirmed', 'tbd', 'cancelled'),
      event_status_id: fc.constantFrom(33, 33, 33, 141, 142, null),
      event_time: fc.constantFrom(600, 600, 660, 661, 1200, 1201, null),
      message_id: fc.constantFrom(8, 9, null),
      parent_id: fc.option(ids, { freq: 1 }),
    }),
  })
  .map(({ id, type, options }) => incident(id, type, options));

const incidents: fc.Arbitrary<Incident> = fc.oneof(anything, goals);

const results = fc.constantFrom(undefined, null, 0, 1, 1, '1', '2', '', 'w/o');
/** Sides with a result of the shoot-out too. */
const kicks = fc.constantFrom(0, 3, '4', '').map((value) =>
  participants(1, 1).map((side) => ({
    ...(side as object),
    results: [
      { id: 2, value: 1 },
      { id: 7, value },
    ],
  })),
);
/** Lists that leave something out: a side, its results, or all but these. */
const incomplete = fc.oneof(
  results.map((home) => participants(home, 1).slice(0, 1)),
  results.map((away) => participants(0, away).slice(1)),
  fc.constantFrom(1, 2).map((counter) => [{ counter, results: [{ id: 2, value: 1 }] }]),
  fc.constantFrom([], [{ id: HOME, counter: 1, name: 'Home' }], participants()),
);
/** Both teams in each other's place, with the results of both, of one or of none. */
const exchanged = fc.tuple(results, results, fc.subarray([1, 2])).map(([home, away, silent]) =>
  participants(home, away)
    .toReversed()
    .map((side, at) => ({
      ...(side as object),
      counter: at + 1,
      ...(silent.includes(at + 1) ? { results: [] } : {}),
    })),
);
const sides = fc.oneof(
  { weight: 2, arbitrary: exchanged },
  { weight: 4, arbitrary: fc.tuple(results, results).map(([home, away]) => participants(home, away)) },
  { weight: 3, arbitrary: incomplete },
  kicks,
  fc.tuple(results, results).map(([home, away]) => participants(home, away).toReversed()),
  fc.constantFrom(null, [], 'none', participants(1, 1).slice(0, 1), [null, 5, { counter: 1 }]),
  fc.constant([
    { id: AWAY, counter: 1, name: 'Away', results: [{ id: 2, value: 1 }] },
    { id: String(HOME), counter: '2', acronym: 7, results: {} },
  ]),
);

const fieldValues = fc.record(
  {
    clock: fc.record(
      {
        clock_time: fc.constantFrom(0, 3, 60, '61', null),
        clock_status: fc.constantFrom('running', 'stopped', null),
      },
      { requiredKeys: [] },
    ),
    play: fc.record(
      {
        status_id: fc.constantFrom(33, 33, 1, 2, 5, 5, 7, 9, 11, 12, 12, 13, 141, '34', null),
        status_type: fc.constantFrom('live', 'live', 'scheduled', 'finished', 'interrupted', 'deleted', null),
        bet_status: fc.constantFrom('active', 'suspended', null),
        relation_status: fc.constantFrom('in_progress', 4),
      },
      { requiredKeys: [] },
    ),
    participants: fc.record({ participants: sides }),
    rest: fc.record(
      {
        item_status: fc.constantFrom('active', 'active', 'active', 'deleted', null),
        action: fc.constant('delete'),
        name: fc.constantFrom('A - B', 'A – "B"', null),
        sport_id: fc.constantFrom(5, 5, 5, 1, null),
        verified_result: fc.constantFrom(true, 'yes', 'YES', 0, null, { by: 'x' }),
        details: fc.constantFrom<readonly object[]>(
          [],
          [{ id: 16, value: '45' }],
          [
            { id: 16, value: 40 },
            { id: 17, value: '2' },
            { id: 50, value: '10' },
          ],
          [
            { id: 16, value: '15' },
            { id: 17, value: '4' },
          ],
        ),
        'odd "name"\\': fc.constantFrom('}', '{"', '\\', ['a,b', { '': [] }], 1.5),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

/** The event of a message, as an edge reads it. */
const events = fieldValues.map(({ clock, play, participants, rest }) =>
  eventOf({ ...clock, ...play, ...participants, ...rest }),
);

const event = fc.tuple(times, events).map(([ut, one]) => ({ ...eventMessage(ut, {}), ...ofEvent(one, ut) }));

/** A message of which something, or nothing, could be read. */
const unreadable = fc
  .tuple(
    times,
    events,
    fc.constantFrom(null, null, 'ut: expected a whole number'),
    fc.subarray(['event.name', 'incident.for']),
  )
  .map(([ut, one, reason, unread]) => ({
    ...eventMessage(ut, {}),
    ...(reason === null ? ofEvent(one, ut) : {}),
    unread,
    unreadable: reason,
  }));

const incidentMessages = fc
  .tuple(incidents, fc.boolean(), times, fc.option(events, { freq: 2 }))
  .map(([one, same, time, reported]) => {
    const ut = same ? one.ut : time;
    return { ...incidentMessage(one), ut, ...(reported === null ? {} : ofEvent(reported, ut)) };
  });

const deleted = incidents.map((one) => incidentMessage(one, { deleted: true }));

/** A list, which may be empty or lag behind the messages, and what the provider names as deleted beside it. */
const snapshot = fc
  .tuple(times, fc.array(incidents, { maxLength: 5 }), fc.array(incidents, { maxLength: 2 }), fc.boolean())
  .map(([time, list, deleted, names]) => ({
    ...snapshotMessage(
      time,
      list.map((one) => ({ ...one, message_id: null })),
    ),
    deleted: names ? deleted : [],
  }));

/** What the poller, or an operator with one of two reasons, says of an event that is gone. */
const absence = fc
  .tuple(
    times,
    fc.constantFrom<[boolean, string | null]>([false, null], [true, null], [true, 'a'], [true, 'b']),
  )
  .map(([ut, [confirmed, reason]]) => {
    const order = reason === null ? null : { at: START, user: 'u', host: 'h', reason };
    return absenceMessage(ut, { confirmed, order });
  });

/** A message of the event under test. */
const messages: fc.Arbitrary<NormalizedMessage> = fc
  .tuple(
    fc.oneof(
      { weight: 8, arbitrary: incidentMessages },
      { weight: 2, arbitrary: deleted },
      { weight: 4, arbitrary: event },
      { weight: 3, arbitrary: snapshot },
      { weight: 1, arbitrary: unreadable },
      { weight: 1, arbitrary: absence },
    ),
    messageIds,
  )
  .map(([message, message_id]) => ({ ...message, message_id }));

/** Whether a message changes a match that nothing is known of. */
export function hasContent(message: NormalizedMessage): boolean {
  const { event, incident, snapshot, deleted, unread, unreadable, absence } = message;
  const isReported = new EventRegister().apply(event, { ut: 0, message_id: null }).changed;
  const isUnread = unread.length > 0 || unreadable !== null;
  return (
    absence !== null ||
    incident !== null ||
    [snapshot ?? [], deleted].some((list) => list.length > 0) ||
    isReported ||
    isUnread
  );
}

/** A history of one event with at least one message that has content. */
export const histories = fc
  .array(messages, { minLength: 1, maxLength: 25, size: 'max' })
  .filter((history) => history.some(hasContent));

/** The same messages in another order, some of them duplicated. */
export function redelivered(history: readonly NormalizedMessage[]): fc.Arbitrary<NormalizedMessage[]> {
  return fc.subarray([...history]).chain((again) => {
    const all = [...history, ...again];
    return fc.shuffledSubarray(all, { minLength: all.length });
  });
}
