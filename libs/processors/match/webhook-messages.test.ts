import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { providerIncident } from '#contract/provider-message.ts';
import { EventRegister } from '#domain/event-register.ts';
import { applyMessage, type Match, matchIncident, matchState, newMatch } from '#domain/match.ts';
import { hasContent, histories, redelivered } from '#domain/testing/arbitraries.ts';
import {
  AWAY,
  causeOf,
  EVENT_ID,
  eventFields,
  eventMessage,
  eventOf,
  HOME,
  incident,
  incidentMessage,
  START,
  snapshotMessage,
} from '#domain/testing/messages.ts';
import { normalized } from '#ingestion/testing/normalized.ts';
import type { JsonObject } from '#json/values.ts';
import {
  EVENT_FIELDS,
  type Incident,
  type MatchIncident,
  type NormalizedMessage,
  type WebhookMessage,
} from '#records/types.ts';
import type { OutputRecord } from '#streams/client/port.ts';
import { RecordCollector } from '#streams/runtime/processor.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { jsonOf, send } from './testing/composed.ts';
import { compose, type MessageIdParts, messageId, messageUuid, WebhookComposer } from './webhook-messages.ts';

/** Reads a message as a receiver does, at once; its phase as sent, as messages of the domain's tests are without the one of their event. */
function arrived(sent: WebhookMessage): NormalizedMessage {
  const message = jsonOf(sent);
  const { incident, ...read } = normalized(message, message.ut * 1_000);
  if (incident === null) return { ...read, incident };
  const { event_status_id } = message.data.incident as Incident;
  return { ...read, incident: { ...incident, incident: { ...incident.incident, event_status_id } } };
}

function receive(messages: readonly WebhookMessage[]): Match {
  const match = newMatch(EVENT_ID);
  messages.map(arrived).forEach((message, offset) => {
    applyMessage(match, message, causeOf(message, offset));
  });
  return match;
}

/** Returns the essential fields of the incidents sent, by id. */
function registers(match: Match, ids: readonly string[]) {
  return ids.flatMap((id) => {
    let entry: MatchIncident;
    try {
      entry = matchIncident(match, id);
    } catch {
      return [];
    }
    if (entry.incident === null) return [];
    const { ut: _, ...body } = providerIncident(entry.incident, 'update');
    return [{ id, removed: entry.removed, body }];
  });
}

function idsOf(history: readonly NormalizedMessage[]): string[] {
  const ids = history.flatMap(({ incident: one, snapshot }) => [
    ...(one === null ? [] : [one.incident.id]),
    ...(snapshot ?? []).map(({ id }) => id),
  ]);
  return [...new Set(ids)].sort();
}

/** Returns what both sides know: not what only lists, the ids of messages and unread messages show. */
function shared(match: Match) {
  const { reports, missing, guard, ...state } = matchState(match);
  const {
    version: _v,
    cause: _c,
    snapshot_at: _s,
    first_finished: _f,
    first_started: _i,
    last_scheduled: _l,
    unread: _u,
    unread_at: _a,
    absence: _b,
    ...rest
  } = state;
  const reasons = guard.reasons.filter((reason) => !LOCAL_REASONS.has(reason));
  const event = EventRegister.restore(reports);
  const fields = EVENT_FIELDS.map((name) => [name, event.value(name)]);
  const values = { fields, others: event.others(), sides: event.sides() };
  const { firm, under_review, anomalies: found, ...others } = rest;
  const whole = { ...others, anomalies: found.filter((anomaly) => !LOCAL_REASONS.has(anomaly)) };
  return missing.length > 0 ? { ...whole, values } : { ...whole, values, reasons, firm, under_review };
}

/**
 * Reasons that depend on messages that a receiver lacks, on times that are sent higher for it, or, as `first_finished` does, on the order
 * in which the provider wrote messages of one second: a receiver has them in the order in which we read them.
 */
const LOCAL_REASONS: ReadonlySet<string> = new Set([
  'unread_message',
  'unexplained_cancellation',
  'status_went_back',
  'event_missing',
]);

function expectSame(a: Match, b: Match, history: readonly NormalizedMessage[]): void {
  expect(registers(b, idsOf(history))).toEqual(registers(a, idsOf(history)));
  const [mine, theirs] = [shared(a), shared(b)];
  // A list makes a timeline complete; no message does for one without the start of play.
  if (mine.coverage !== theirs.coverage) expect(mine.coverage).toBe('complete');
  else if ('reasons' in mine) expect(theirs).toEqual(mine);
  else expect(theirs).toMatchObject(mine);
}

/** Whether messages name two teams for a side: results that are sent without their side name no team (decision 0051). */
function exchangesSides(history: readonly NormalizedMessage[]): boolean {
  const teams = new Map<number | null, Set<number>>();
  for (const { event } of history)
    for (const { id, counter } of event?.participants ?? [])
      if (id !== null) teams.set(counter, (teams.get(counter) ?? new Set()).add(id));
  return [...teams.values()].some(({ size }) => size > 1);
}

const played = histories
  .filter((history) => !exchangesSides(history))
  .chain((history) => fc.tuple(fc.constant(history), redelivered(history)));

describe('a receiver of composed messages', () => {
  test.each([
    ['each with its event', false],
    ['with the event in the first one of a version alone', true],
  ])('derives the same match state, in any order of messages and snapshots, %s', (_, isLarge) => {
    fc.assert(
      fc.property(played, ([, order]) => {
        const { match, messages } = send(order, isLarge);
        if (messages.length === 0) return;
        expectSame(match, receive(messages), order);
      }),
      { numRuns: rounds(500) },
    );
  });

  test('derives the same state after every message, not only at the end', () => {
    fc.assert(
      fc.property(played, ([, order]) => {
        for (let count = 1; count <= order.length; count++) {
          const history = order.slice(0, count);
          if (!history.some(hasContent)) continue;
          const { match, messages } = send(history);
          if (messages.length > 0) expectSame(match, receive(messages), history);
        }
      }),
      { numRuns: rounds(100) },
    );
  });

  test('gets a goal that is corrected to the other team as the provider’s own update', () => {
    const { messages } = send([
      incidentMessage(incident('5-1', 413)),
      incidentMessage(incident('5-1', 413, { ut: START + 60, participant_id: AWAY })),
    ]);
    const shown = messages.map((message) => {
      const { type, data } = jsonOf(message);
      const { id, action, participant_id } = data.incident as JsonObject;
      return { type, id, action, participant_id };
    });
    const goal = { type: 'incident', id: '5-1' };
    expect(shown).toEqual([
      { ...goal, action: 'insert', participant_id: HOME },
      { ...goal, action: 'update', participant_id: AWAY },
    ]);
  });

  test('receives each message once, under its own id', () => {
    fc.assert(
      fc.property(played, ([, order]) => {
        const { messages } = send(order);
        expect(new Set(messages.map(({ uuid }) => uuid)).size).toBe(messages.length);
        expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
        for (const message of messages) expect(jsonOf(message).id).toBe(message.id);
      }),
      { numRuns: rounds(300) },
    );
  });
});

describe('the messages', () => {
  const goal = incident('5-1', 413, { ut: START });
  const times = (messages: readonly WebhookMessage[]) =>
    messages.map((message) => {
      const { ut, data } = jsonOf(message);
      const history = data.incident as JsonObject | undefined;
      return [history?.action ?? message.type, history?.ut ?? ut];
    });

  const at = (seconds: number) => incident('5-1', 413, { ut: START + seconds });
  const other = incident('5-2', 400, { ut: START });
  const lags = [incidentMessage(goal), incidentMessage(other), snapshotMessage(START + 60, [other])];
  const listedWithDelete = {
    ...snapshotMessage(START + 60, [at(55), other]),
    deleted: [at(70)],
  };
  const listed = [incidentMessage(goal), snapshotMessage(START + 60, [goal])];
  const overruled = [...listed, incidentMessage(at(20), { deleted: true })];

  /** What is sent of the last message or messages, from the number `from` on: action and seconds after the start. */
  test.each<[string, NormalizedMessage[], from: number, ...sent: [string, number][]]>([
    ['an accepted message are one, of a duplicate none', [incidentMessage(goal), incidentMessage(goal)], 1],
    [
      'an incident that a list omits for long are a delete as late as its absence is proven',
      [incidentMessage(goal), snapshotMessage(START + 80, [other])],
      1,
      ['delete', 5],
      ['insert', 0],
    ],
    ['an incident that is missing in a list are none', lags, 2],
    ['one that is found again are its record', [...lags, incidentMessage(at(59))], 2, ['update', 59]],
    [
      'an incident that a list has and names as deleted are its new record between two deletes',
      [incidentMessage(goal), incidentMessage(other), listedWithDelete],
      2,
      ['delete', 70],
      ['update', 55],
      ['delete', 70],
    ],
    [
      'a message that could not be read are none',
      [{ ...eventMessage(START, {}), unreadable: 'incident.id is missing' }],
      0,
    ],
    [
      'a late record of a removed incident begin and end with a delete, so that it is never shown',
      [snapshotMessage(START + 100, [other]), incidentMessage(at(10)), incidentMessage(at(20))],
      1,
      ...[10, 20].flatMap((ut): [string, number][] => [
        ['delete', 25],
        ['update', ut],
        ['delete', 25],
      ]),
    ],
    ...[10, 20].map((ut): [string, NormalizedMessage[], number, [string, number]] => [
      `a record of ${ut} that only a list shows to be present have the time of that list`,
      [...overruled, incidentMessage(at(ut))],
      1,
      ['update', 60],
    ]),
  ])('of %s', (_, history, from, ...sent) => {
    const expected = sent.map(([action, seconds]) => [action, START + seconds]);
    expect(times(send(history).messages.slice(from))).toEqual(expected);
  });

  test('of deletes beside a list are one for each incident, with the time of its latest', () => {
    const gone = (id: string, seconds: number) => incident(id, 413, { ut: START + seconds });
    const deleted = [gone('5-3', 30), gone('5-4', 40), gone('5-4', 50)];
    const list = { ...snapshotMessage(START + 60, [other]), deleted };
    expect(send([list]).messages.map((sent) => jsonOf(sent).data.incident)).toMatchObject([
      { id: '5-2', action: 'insert', ut: START },
      { id: '5-3', action: 'delete', ut: START + 30 },
      { id: '5-4', action: 'delete', ut: START + 50 },
    ]);
  });

  test('of a delete that a later list has overruled are its event, if it has one', () => {
    const { messages } = send([
      ...listed,
      incidentMessage(at(20), { deleted: true, fields: { status_id: 34 } }),
    ]);
    expect(messages.slice(1).map(jsonOf)).toMatchObject([
      { type: 'event', ut: START + 20, data: { event: { action: 'update', status_id: 34 } } },
    ]);
    expect(messages[1]?.message.includes('"incident"')).toBe(false);
  });

  test('of an event message are one, whatever it changed, with the competition of the match', () => {
    const changed = { status_id: 34, bet_status: 'suspended', clock_status: 'stopped' };
    const { messages } = send([eventMessage(START, eventFields()), eventMessage(START + 9, changed)]);
    const [first, second] = messages.map((sent) => jsonOf(sent) as object);
    const head = { type: 'event', source: -1 };
    expect(first).toMatchObject({ ...head, uuid: `${EVENT_ID}:1:0`, ut: START });
    const data = { event: { id: EVENT_ID, action: 'update', ...changed } };
    expect(second).toEqual({ ...head, id: messages[1]?.id, uuid: `${EVENT_ID}:2:0`, ut: START + 9, data });
    const fields = messages.map(({ type, ut, competition_id }) => [type, ut, competition_id]);
    expect(fields).toEqual([
      ['event', START, 6628],
      ['event', START + 9, 6628],
    ]);
  });

  test('have the time of their event, and without one that of their record', () => {
    const late = (fields?: JsonObject) => ({
      ...incidentMessage(goal, fields === undefined ? {} : { fields }),
      ut: START + 3,
    });
    const timesOf = (message: NormalizedMessage) =>
      send([message]).messages.map((sent) => [sent.ut, jsonOf(sent).ut, ...times([sent])]);
    expect(timesOf(late(eventFields()))).toEqual([[START + 3, START + 3, ['insert', START]]]);
    expect(timesOf(late())).toEqual([[START + 3, START, ['insert', START]]]);
  });

  test('have no id where it would be no number below 2^53', () => {
    const message = eventMessage(START, eventFields());
    const [transition] = applyMessage(newMatch(EVENT_ID), message, causeOf(message, 0)).transitions;
    if (transition === undefined) throw new Error('nothing changed');
    const [sent] = compose({ ...transition, event_id: 2 ** 26 }, message, null).messages;
    expect(sent).toMatchObject({ id: null, uuid: `${2 ** 26}:1:0` });
    expect(sent?.message.toString()).toMatch(/^\{"uuid":"67108864:1:0",/);
  });

  test('have the provider’s shape, and normalize to the received message', () => {
    const provider = {
      id: 35375779,
      type: 'incident',
      source: 7,
      ut: START,
      data: {
        incident: {
          id: '5-1',
          action: 'insert',
          incident_id: 413,
          event_time: '10:00',
          event_status_id: 33,
          confirmation: 'tbd',
          participant_id: 51447,
          participant_name: 'A “name”',
          attribute_ids: [],
        },
        event: {
          id: EVENT_ID,
          action: 'insert',
          status_id: 33,
          status_type: 'live',
          competition_id: 6628,
          clock_time: 600,
          clock_status: 'running',
          details: [{ id: 16, value: 45 }],
          odd: null,
          participants: [{ id: 51447, counter: 1, results: [{ id: 2, value: null }], stats: [] }],
        },
      },
    };
    const cause = normalized(provider);
    const [sent] = send([cause]).messages;
    if (sent === undefined) throw new Error('nothing was sent');
    const { incident, ...message } = normalized(jsonOf(sent));
    const flags = { game_break: false, important: true, important_for_trader: true };
    expect({ ...message, incident: { ...incident?.incident, message_id: null } }).toEqual({
      ...cause,
      message_id: String(sent.id),
      uuid: sent.uuid,
      incident: { ...cause.incident?.incident, message_id: null, ...flags },
    });
    expect(incident).toMatchObject({ deleted: false, incident: { message_id: sent.id } });
    const { incident: history, event } = provider.data;
    const [side] = event.participants;
    expect(jsonOf(sent)).toEqual({
      ...provider,
      id: sent.id,
      uuid: sent.uuid,
      data: {
        incident: {
          ...history,
          ut: START,
          subparticipant_id: null,
          subparticipant_name: null,
          incident_name: null,
          event_status_name: null,
          for: null,
          parent_id: null,
          additional_info: null,
          game_break: 'no',
          important: 'yes',
          important_for_trader: 'yes',
        },
        event: { ...event, details: [{ id: 16, value: '45' }], participants: [side] },
      },
    });
    expect(sent.competition_id).toBe(6628);
  });
});

describe('the event of a message that another one of its second outranks', () => {
  const HOME_SIDE = { counter: 1, id: HOME, name: 'Home' };
  const AWAY_SIDE = { counter: 2, id: AWAY, name: 'Away' };
  const results = [{ id: 2, value: '1' }];
  const [homeWon, awayWon] = [
    { ...HOME_SIDE, results },
    { ...AWAY_SIDE, results },
  ];

  /** Returns the event sent for the second of two messages of one second, of which the first has the higher id. */
  function sentEvent(former: JsonObject, later: JsonObject): unknown {
    const { messages } = send([
      { ...eventMessage(START, former), message_id: '9' },
      { ...eventMessage(START, later), message_id: '8' },
    ]);
    expect(messages).toHaveLength(2);
    return messages.map(jsonOf)[1]?.data.event;
  }

  test('has only the fields that the other one does not report', () => {
    const later = { status_id: 33, name: 'B - A', clock_time: 60, odd: null };
    const sent = { id: EVENT_ID, action: 'update', clock_time: 60, odd: null };
    expect(sentEvent({ status_id: 34, name: 'A - B' }, later)).toEqual(sent);
  });

  test('keeps its action', () => {
    expect(sentEvent({ action: 'delete' }, { action: 'delete', clock_time: 60 })).toEqual({
      id: EVENT_ID,
      action: 'delete',
      clock_time: 60,
    });
  });

  test.each<[why: string, former: unknown[], later: unknown[], sent: unknown[] | undefined]>([
    [
      'both sides, as both are reported',
      [homeWon, awayWon],
      [
        { ...homeWon, name: 'H' },
        { ...AWAY_SIDE, name: 'A' },
      ],
      undefined,
    ],
    ['the side that is reported', [homeWon], [null, homeWon, awayWon], [awayWon]],
    ['the results that are reported', [{ counter: 1, results }], [homeWon, awayWon], [HOME_SIDE, awayWon]],
    [
      'all but the results that are not reported, under a counter that is text too',
      [HOME_SIDE],
      [{ ...homeWon, counter: '1' }, AWAY_SIDE],
      [{ counter: 1, results }, AWAY_SIDE],
    ],
  ])('leaves out %s', (_, former, later, sent) => {
    expect(sentEvent({ participants: former }, { participants: later, clock_time: 60 })).toEqual({
      id: EVENT_ID,
      action: 'update',
      clock_time: 60,
      ...(sent === undefined
        ? {}
        : { participants: sent.map((side) => ({ results: [], stats: [], ...(side as object) })) }),
    });
  });

  /** An incident without a phase; another message of its second has the status 142. */
  const kick = (id: number, status: number) => ({
    id,
    type: 'incident',
    ut: START,
    data: {
      incident: { id: '5-1', action: 'insert', incident_id: 413, participant_id: HOME },
      event: { id: EVENT_ID, action: 'update', status_id: status },
    },
  });
  const waiting = { ...eventMessage(START, { status_id: 142 }), message_id: '9' };

  test.each([
    ['is a kick by the status of its event', 10, 141, 141],
    ['is a kick by the status of its event, which is left out', 8, 141, 141],
    ['has no phase', 10, 33, null],
  ])('is sent with an incident that %s, so that a receiver reads the same phase', (_, id, status, phase) => {
    const cause = normalized(kick(id, status));
    const sent = send([waiting, cause]).messages.map(jsonOf)[1];
    expect(sent?.data.incident).toMatchObject({ id: '5-1', action: 'insert', event_status_id: phase });
    expect(normalized(sent).incident?.incident.event_status_id).toBe(
      cause.incident?.incident.event_status_id,
    );
  });
});

const codecs = {
  'webhook-messages': codecOf('webhook-messages'),
  'webhook-times': codecOf('webhook-times'),
};

/** A goal, delivered twice, that a list omits and a later one has again, so that its records are sent with later times than the provider's. */
const HISTORY = [
  incidentMessage(incident('5-1', 413)),
  incidentMessage(incident('5-1', 413)),
  incidentMessage(incident('5-2', 413, { ut: START + 1 })),
  snapshotMessage(START + 80, [incident('5-2', 413, { ut: START + 1 })]),
  snapshotMessage(START + 90, [incident('5-1', 413), incident('5-2', 413, { ut: START + 1 })]),
  incidentMessage(incident('5-1', 413, { ut: START + 20, confirmation: 'cancelled' })),
  incidentMessage(incident('5-1', 413, { ut: START + 99 })),
];

/** Time of receipt of all messages, Unix milliseconds. */
const RECEIVED = incidentMessage(incident('5-1', 413)).received_at;

function openComposer(now = RECEIVED): WebhookComposer {
  return new WebhookComposer({ codecs, topicName: (topic) => topic, now: () => now });
}

/** Returns what each message of a history caused, in its order. */
function changesOf(history: readonly NormalizedMessage[]) {
  const match = newMatch(EVENT_ID);
  return history.map((message, offset) => ({
    message,
    applied: applyMessage(match, message, causeOf(message, offset)),
  }));
}

function composed(composer: WebhookComposer, changes: ReturnType<typeof changesOf>): readonly OutputRecord[] {
  const collector = new RecordCollector(0);
  for (const { applied, message } of changes) composer.add(applied, message, collector);
  return collector.records;
}

function messagesOf(records: readonly OutputRecord[]): readonly WebhookMessage[] {
  return records
    .filter(({ topic }) => topic === 'webhook-messages')
    .map(({ value }) => codecs['webhook-messages'].decode(value as Buffer));
}

const shown = ({ topic, key, value }: OutputRecord) => [topic, String(key), value?.toString('hex') ?? null];

describe('the webhook messages of a partition', () => {
  test('are one for every accepted change, keyed by its event', () => {
    const written = composed(openComposer(), changesOf(HISTORY));
    const keys = written.filter(({ topic }) => topic === 'webhook-messages').map(({ key }) => key);
    expect(new Set(keys)).toEqual(new Set([String(EVENT_ID)]));
    const uuids = messagesOf(written).map(({ uuid }) => uuid);
    expect(uuids).toEqual([1, 2, 3, 4, 5, 6].map((version) => `${EVENT_ID}:${version}:0`));
  });

  test('say whether the match is in play', () => {
    const [before, live, over] = ['scheduled', 'live', 'finished'].map((status_type, at) => ({
      ...incidentMessage(incident(`5-${at}`, 400, { ut: START + at })),
      event: eventOf({ ...eventFields(), status_type, ut: START + at }),
    }));
    const written = messagesOf(
      composed(openComposer(), changesOf([before, live, over] as NormalizedMessage[])),
    );
    expect(written.map(({ in_play }) => in_play)).toEqual([false, true, false]);
  });

  test('are the same after a restart at any message', async () => {
    const changes = changesOf(HISTORY);
    const whole = composed(openComposer(), changes);
    expect(whole.some(({ topic }) => topic === 'webhook-times')).toBe(true);
    for (let at = 0; at <= changes.length; at++) {
      const before = composed(openComposer(), changes.slice(0, at));
      const next = openComposer();
      const times = before.filter(({ topic }) => topic === 'webhook-times');
      await next.restore(times.map(({ key, value }, offset) => ({ offset, key: Buffer.from(key), value })));
      expect([...before, ...composed(next, changes.slice(at))].map(shown)).toEqual(whole.map(shown));
    }
  });

  test('are none of input older than their retention', () => {
    expect(composed(openComposer(RECEIVED + 8 * 86_400_000), changesOf(HISTORY))).toEqual([]);
  });

  test.each([
    ['of a usual list have the event each', 2, 400, 2],
    [
      'of a long list with a large event have it once, so that their size is that of the list',
      300,
      400_000,
      1,
    ],
  ])('%s', (_, count, bytes, withEvent) => {
    const note = 'x'.repeat(bytes);
    const incidents = Array.from({ length: count }, (_, n) => incident(`5-${n}`, 400, { ut: START + n }));
    const event = eventOf({ ...eventFields(), note });
    const list = { ...snapshotMessage(START + 400, incidents), event };
    const written = messagesOf(composed(openComposer(), changesOf([list])));
    expect(written).toHaveLength(count);
    const first = written.slice(0, withEvent);
    expect(written.filter(({ message }) => message.includes(note))).toEqual(first);
    expect(written.reduce((sum, { message }) => sum + message.length, 0)).toBeLessThan(1_000_000);
  });
});

/** Decodes the parts of a number. */
function partsOf(id: number): MessageIdParts {
  const eventId = Math.floor(id / 2 ** 27);
  const rest = id % 2 ** 27;
  const transitions = rest % 2 === 0 ? 2 ** 4 : 2 ** 11;
  const inSplit = Math.floor(rest / 2);
  const transition = Math.floor(inSplit / 4);
  return {
    eventId,
    version: Math.floor(transition / transitions),
    n: transition % transitions,
    part: inSplit % 4,
  };
}

const eventIds = fc.oneof(fc.integer({ min: 1, max: 2 ** 26 - 1 }), fc.constantFrom(1, 2 ** 26 - 1));
/** Parts below these bounds, often the last ones. */
const partsIn = (versions: number, fromN: number, transitions: number) =>
  fc.record({
    eventId: eventIds,
    version: fc.oneof(fc.integer({ min: 1, max: versions - 1 }), fc.constant(versions - 1)),
    n: fc.oneof(fc.integer({ min: fromN, max: transitions - 1 }), fc.constantFrom(fromN, transitions - 1)),
    part: fc.integer({ min: 0, max: 2 }),
  });

describe('the number of a message', () => {
  test('is a positive safe integer that encodes its parts, and so is unique', () => {
    fc.assert(
      fc.property(fc.oneof(partsIn(2 ** 20, 0, 16), partsIn(2 ** 13, 16, 2 ** 11)), (parts) => {
        const id = messageId(parts);
        expect(Number.isSafeInteger(id) && (id ?? 0) > 0).toBe(true);
        expect(partsOf(id ?? 0)).toEqual(parts);
      }),
      { numRuns: rounds(2_000) },
    );
  });

  test.each([
    { eventId: 0, version: 1, n: 0, part: 0 },
    { eventId: 2 ** 26, version: 1, n: 0, part: 0 },
    { eventId: 1, version: 2 ** 20, n: 0, part: 0 },
    { eventId: 1, version: 2 ** 13, n: 16, part: 0 },
    { eventId: 1, version: 1, n: 2 ** 11, part: 0 },
  ])('is null for parts beyond the bounds: %o', (parts) => {
    expect(messageId(parts)).toBeNull();
  });
});

test('the text id of a message is the id of its transition, with a suffix after the first message', () => {
  expect(messageUuid({ eventId: 7, version: 12, n: 3, part: 0 })).toBe('7:12:3');
  expect(messageUuid({ eventId: 7, version: 12, n: 3, part: 2 })).toBe('7:12:3:2');
});
