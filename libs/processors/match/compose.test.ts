import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyMessage, type Match, matchIncident, matchState, newMatch } from '#domain/match.ts';
import { reportedFields } from '#domain/reported-fields.ts';
import { hasContent, histories, redelivered } from '#domain/testing/arbitraries.ts';
import {
  AWAY,
  causeOf,
  EVENT_ID,
  eventFields,
  eventMessage,
  HOME,
  incident,
  incidentMessage,
  participants,
  START,
  snapshotMessage,
} from '#domain/testing/messages.ts';
import { normalizeMessage } from '#ingestion/normalize.ts';
import { canonicalJson } from '#json/canonical-json.ts';
import type { JsonObject } from '#json/values.ts';
import type { MatchIncident, NormalizedMessage, WebhookMessage } from '#records/types.ts';
import { compose } from './compose.ts';

type Sent = { readonly match: Match; readonly messages: readonly WebhookMessage[] };

/**
 * Applies messages to a match and composes its webhook messages, like the match processor. `isLarge`: only the first message of a
 * version has the fields of the event, as in a list whose messages would be too large.
 */
function send(history: readonly NormalizedMessage[], isLarge = false): Sent {
  const match = newMatch(EVENT_ID);
  const sentUts = new Map<string, number>();
  const messages = history.flatMap((message, offset) => {
    let cause = message;
    return applyMessage(match, message, causeOf(message, offset)).transitions.flatMap((transition) => {
      const id = transition.incident_id ?? '';
      const composed = compose(transition, cause, sentUts.get(id) ?? null);
      if (composed.sentUt === null) sentUts.delete(id);
      else if (composed.sentUt !== undefined) sentUts.set(id, composed.sentUt);
      if (isLarge && composed.messages.length > 0) cause = { ...message, event_fields: [] };
      return composed.messages;
    });
  });
  return { match, messages };
}

const jsonOf = ({ message }: WebhookMessage): { id: unknown; type: string; ut: number; data: JsonObject } =>
  JSON.parse(message.toString());

/** Reads a message like a receiver, including the artificial ones of the domain's tests. */
function arrived(sent: WebhookMessage): NormalizedMessage {
  const { type, ut, data } = jsonOf(sent);
  const message_id = sent.id === null ? sent.uuid : String(sent.id);
  const { id: _, action, ...fields } = data.event as JsonObject;
  const history = action === 'delete' ? { ...fields, action } : fields;
  const base = { ...incidentMessage(incident('5-1', 413, { ut })), message_id };
  if (data.incident === undefined)
    return { ...base, type: 'event', incident: null, event_fields: [canonicalJson(history)] };
  const { action: does, ...record } = data.incident as JsonObject;
  const { note: __, ...known } = record as ReturnType<typeof incident> & { note: unknown };
  return {
    ...base,
    type: type as 'incident',
    ut,
    event_fields: Object.keys(history).length === 0 ? [] : [canonicalJson(history)],
    incident: {
      deleted: does === 'delete',
      incident: {
        ...known,
        ut: (record.ut as number | undefined) ?? ut,
        body: canonicalJson(record),
        message_id: sent.id,
      },
    },
  };
}

/** Normalizes a message of the provider, or one in its shape. */
function normalize(message: unknown): NormalizedMessage {
  const result = normalizeMessage(message, {
    origin: 'webhook',
    deliveryId: 'd',
    receivedAt: START * 1_000,
  });
  if (result.kind !== 'normalized') throw new Error(JSON.stringify(result));
  return result.message;
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
    const { ut: _, ...body } = JSON.parse(entry.incident.body);
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
  const { fields, missing, guard, ...state } = matchState(match);
  const {
    version: _v,
    cause: _c,
    snapshot_at: _s,
    first_finished: _f,
    unread: _u,
    unread_at: _a,
    ...rest
  } = state;
  const reasons = guard.reasons.filter((reason) => !LOCAL_REASONS.has(reason));
  const reported = reportedFields(fields).fields;
  const sides = (reported.participants ?? []) as { counter: number }[];
  // A counter may be text: it is the same side.
  const participants = sides.map((side) => ({ ...side, counter: Number(side.counter) }));
  const values = { ...reported, participants };
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
]);

function expectSame(a: Match, b: Match, history: readonly NormalizedMessage[]): void {
  expect(registers(b, idsOf(history))).toEqual(registers(a, idsOf(history)));
  const [mine, theirs] = [shared(a), shared(b)];
  // A list makes a timeline complete; no message does for one without the start of play.
  if (mine.coverage !== theirs.coverage) expect(mine.coverage).toBe('complete');
  else if ('reasons' in mine) expect(theirs).toEqual(mine);
  else expect(theirs).toMatchObject(mine);
}

const played = histories.chain((history) => fc.tuple(fc.constant(history), redelivered(history)));

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
      { numRuns: 500 },
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
      { numRuns: 100 },
    );
  });

  test('receives each message once, under its own id', () => {
    fc.assert(
      fc.property(played, ([, order]) => {
        const { messages } = send(order);
        expect(new Set(messages.map(({ uuid }) => uuid)).size).toBe(messages.length);
        expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
        for (const message of messages) expect(jsonOf(message).id).toBe(message.id);
      }),
      { numRuns: 300 },
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

  test('of an accepted message are one, whatever it changed; of a duplicate none', () => {
    const { messages } = send([incidentMessage(goal), incidentMessage(goal)]);
    expect(times(messages)).toEqual([['insert', START]]);
    expect(messages[0]).toMatchObject({ uuid: `${EVENT_ID}:1:0`, type: 'incident', version: 1, ut: START });
  });

  const other = incident('5-2', 400, { ut: START });

  test('of an incident that a list omits for long are a delete as late as its absence is proven', () => {
    const { messages } = send([incidentMessage(goal), snapshotMessage(START + 80, [other])]);
    expect(times(messages)).toEqual([
      ['insert', START],
      ['delete', START + 5],
      ['insert', START],
    ]);
  });

  test('of an incident that is missing in a list are none, and of one that is found again its record', () => {
    const lags = [incidentMessage(goal), incidentMessage(other), snapshotMessage(START + 60, [other])];
    expect(times(send(lags).messages)).toEqual([
      ['insert', START],
      ['insert', START],
    ]);
    expect(
      times(send([...lags, incidentMessage(incident('5-1', 413, { ut: START + 59 }))]).messages.slice(2)),
    ).toEqual([['update', START + 59]]);
  });

  test('of an incident that a list reinstates are its record with the time of that list', () => {
    const { messages } = send([
      incidentMessage(goal),
      snapshotMessage(START + 80, [other]),
      snapshotMessage(START + 90, [goal, other]),
      incidentMessage({ ...incident('5-1', 413, { ut: START + 70 }) }),
    ]);
    expect(times(messages.filter(({ message }) => message.includes('"5-1"')))).toEqual([
      ['insert', START],
      ['delete', START + 5],
      ['update', START + 90],
      // Newer than the current record, and so above the one sent.
      ['update', START + 91],
    ]);
  });

  test('of an incident that a result gives back are its record with a time above the delete', () => {
    const result = (at: number, home: number) =>
      eventMessage(START + at, eventFields({ participants: participants(home, 0) }));
    const history = [
      eventMessage(START, eventFields()),
      incidentMessage(goal),
      snapshotMessage(START + 80, [other]),
      result(90, 1),
      incidentMessage(incident('5-3', 400, { ut: START + 95 }), {
        fields: eventFields({ participants: participants(0, 0) }),
      }),
    ];
    expect(times(send(history).messages.filter(({ message }) => message.includes('"5-1"')))).toEqual([
      ['insert', START],
      ['delete', START + 5],
      ['update', START + 6],
      ['delete', START + 6],
    ]);
  });

  test('of a delete beside a list are that delete', () => {
    const beside = (id: string) => ({
      ...snapshotMessage(START + 60, [other]),
      deleted: [incident(id, 413, { ut: START + 50 })],
    });
    expect(times(send([incidentMessage(goal), beside('5-1')]).messages)[1]).toEqual(['delete', START + 50]);
    expect(times(send([beside('5-3')]).messages)).toContainEqual(['delete', START + 50]);
  });

  test('of deletes beside a list are one for each incident, with the time of its latest', () => {
    const deleted = [
      incident('5-3', 413, { ut: START + 30 }),
      incident('5-4', 413, { ut: START + 40 }),
      incident('5-4', 413, { ut: START + 50 }),
    ];
    const { messages } = send([{ ...snapshotMessage(START + 60, [other]), deleted }]);
    expect(messages.map(jsonOf).map(({ data }) => data.incident as JsonObject)).toMatchObject([
      { id: '5-2', action: 'insert', ut: START },
      { id: '5-3', action: 'delete', ut: START + 30 },
      { id: '5-4', action: 'delete', ut: START + 50 },
    ]);
  });

  test('of an incident that a list has and names as deleted are its new record between two deletes', () => {
    const list = {
      ...snapshotMessage(START + 60, [incident('5-1', 413, { ut: START + 55 }), other]),
      deleted: [incident('5-1', 413, { ut: START + 70 })],
    };
    const { messages } = send([incidentMessage(goal), incidentMessage(other), list]);
    expect(times(messages.slice(2))).toEqual([
      ['delete', START + 70],
      ['update', START + 55],
      ['delete', START + 70],
    ]);
  });

  test('of a message that could not be read are none', () => {
    const unreadable = { ...eventMessage(START, {}), event_fields: [], unreadable: 'incident.id is missing' };
    expect(send([unreadable]).messages).toEqual([]);
  });

  test('of a late record of a removed incident begin and end with a delete, so that it is never shown', () => {
    const { messages } = send([
      snapshotMessage(START + 100, [other]),
      incidentMessage(incident('5-1', 413, { ut: START + 10 })),
      incidentMessage(incident('5-1', 413, { ut: START + 20 })),
    ]);
    expect(times(messages.slice(1))).toEqual([
      ['delete', START + 25],
      ['update', START + 10],
      ['delete', START + 25],
      ['delete', START + 25],
      ['update', START + 20],
      ['delete', START + 25],
    ]);
  });

  test('of late records of a removed incident are above the time that it was sent with', () => {
    const { messages } = send([
      incidentMessage(goal),
      snapshotMessage(START + 80, [other]),
      // Sent with the time of this list.
      snapshotMessage(START + 90, [goal, other]),
      snapshotMessage(START + 200, [other]),
      incidentMessage(incident('5-1', 413, { ut: START + 80 })),
      incidentMessage(incident('5-1', 413, { ut: START + 125 })),
    ]);
    expect(times(messages.filter(({ message }) => message.includes('"5-1"')).slice(2))).toEqual([
      ['update', START + 90],
      ['delete', START + 125],
      ['delete', START + 125],
      ['update', START + 91],
      ['delete', START + 125],
      ['delete', START + 126],
      ['update', START + 126],
      ['delete', START + 126],
    ]);
  });

  const listed = [incidentMessage(goal), snapshotMessage(START + 60, [goal])];
  const earlier = incident('5-1', 413, { ut: START + 20 });
  const overruled = [...listed, incidentMessage(earlier, { deleted: true })];

  test('of a delete that a later list has overruled are none', () => {
    expect(times(send(overruled).messages)).toEqual([['insert', START]]);
  });

  test('of a delete that a later list has overruled are its event, if it has one', () => {
    const { messages } = send([
      ...listed,
      incidentMessage(earlier, { deleted: true, fields: { status_id: 34 } }),
    ]);
    expect(messages.slice(1).map(jsonOf)).toMatchObject([
      { type: 'event', ut: START + 20, data: { event: { action: 'update', status_id: 34 } } },
    ]);
    expect(messages[1]?.message.includes('"incident"')).toBe(false);
  });

  test.each([10, 20])(
    'of a record that a list alone shows to be present have the time of that list (%d)',
    (seconds) => {
      const record = incidentMessage(incident('5-1', 413, { ut: START + seconds }));
      expect(times(send([...overruled, record]).messages.slice(1))).toEqual([['update', START + 60]]);
    },
  );

  test('of two such records are one above the other', () => {
    const records = [10, 20].map((seconds) => incidentMessage(incident('5-1', 413, { ut: START + seconds })));
    expect(times(send([...overruled, ...records]).messages.slice(1))).toEqual([
      ['update', START + 60],
      ['update', START + 61],
    ]);
  });

  test('of a record that restores an incident are that record as received', () => {
    const { messages } = send([
      incidentMessage(goal),
      snapshotMessage(START + 60, [goal, other]),
      snapshotMessage(START + 100, [other]),
      incidentMessage(incident('5-1', 413, { ut: START + 50 }), { deleted: true }),
      incidentMessage(incident('5-1', 413, { ut: START + 55 })),
    ]);
    expect(times(messages.slice(2))).toEqual([
      ['delete', START + 50],
      ['update', START + 55],
    ]);
  });

  test('of two records of one second are both as received', () => {
    const { messages } = send([
      incidentMessage(incident('5-1', 413, { confirmation: 'tbd' })),
      incidentMessage(incident('5-1', 413, { confirmation: 'confirmed' })),
    ]);
    expect(times(messages)).toEqual([
      ['insert', START],
      ['update', START],
    ]);
  });

  test('of an event message are one, whatever it changed', () => {
    const changed = eventFields({ status_id: 34, bet_status: 'suspended', clock_status: 'stopped' });
    const { messages } = send([eventMessage(START, eventFields()), eventMessage(START + 9, changed)]);
    expect(messages.map(jsonOf)).toEqual([
      {
        id: messages[0]?.id,
        uuid: `${EVENT_ID}:1:0`,
        type: 'event',
        source: -1,
        ut: START,
        data: { event: { id: EVENT_ID, action: 'insert', ...eventFields() } },
      },
      {
        id: messages[1]?.id,
        uuid: `${EVENT_ID}:2:0`,
        type: 'event',
        source: -1,
        ut: START + 9,
        data: { event: { id: EVENT_ID, action: 'update', ...changed } },
      },
    ]);
    expect(messages.map(({ type, ut }) => [type, ut])).toEqual([
      ['event', START],
      ['event', START + 9],
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

  test('have the competition of the match where their own event does not name it', () => {
    const { messages } = send([
      eventMessage(START, eventFields()),
      eventMessage(START + 9, { status_id: 34 }),
    ]);
    expect(messages.map(({ competition_id }) => competition_id)).toEqual([6628, 6628]);
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
    const cause = normalize(provider);
    const [sent] = send([cause]).messages;
    if (sent === undefined) throw new Error('nothing was sent');
    const { incident, ...message } = normalize(jsonOf(sent));
    expect({ ...message, incident: { ...incident?.incident, message_id: null } }).toEqual({
      ...cause,
      message_id: String(sent.id),
      uuid: sent.uuid,
      incident: { ...cause.incident?.incident, message_id: null },
    });
    expect(incident).toMatchObject({ deleted: false, incident: { message_id: sent.id } });
    expect(jsonOf(sent)).toEqual({ ...provider, id: sent.id, uuid: sent.uuid });
    expect(sent.competition_id).toBe(6628);
  });
});

describe('the event of a message that another one of its second outranks', () => {
  const HOME_SIDE = { counter: 1, id: HOME, name: 'Home' };
  const AWAY_SIDE = { counter: 2, id: AWAY, name: 'Away' };
  const results = [{ id: 2, value: 1 }];

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
    expect(
      sentEvent(
        { status_id: 34, name: 'A - B' },
        { status_id: 33, name: 'B - A', clock_time: 60, odd: null },
      ),
    ).toEqual({ id: EVENT_ID, action: 'update', clock_time: 60, odd: null });
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
      [
        { ...HOME_SIDE, results },
        { ...AWAY_SIDE, results },
      ],
      [
        { ...HOME_SIDE, name: 'H', results },
        { ...AWAY_SIDE, name: 'A' },
      ],
      undefined,
    ],
    [
      'the side that is reported',
      [{ ...HOME_SIDE, results }],
      [null, { ...HOME_SIDE, results }, { ...AWAY_SIDE, results }],
      [{ ...AWAY_SIDE, results }],
    ],
    [
      'the results that are reported',
      [{ counter: 1, results }],
      [
        { ...HOME_SIDE, results },
        { ...AWAY_SIDE, results },
      ],
      [HOME_SIDE, { ...AWAY_SIDE, results }],
    ],
    [
      'all but the results that are not reported, under a counter that is text too',
      [HOME_SIDE],
      [{ ...HOME_SIDE, counter: '1', results }, AWAY_SIDE],
      [{ counter: '1', results }, AWAY_SIDE],
    ],
  ])('leaves out %s', (_, former, later, sent) => {
    expect(sentEvent({ participants: former }, { participants: later, clock_time: 60 })).toEqual({
      id: EVENT_ID,
      action: 'update',
      clock_time: 60,
      ...(sent === undefined ? {} : { participants: sent }),
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
    ['is a kick by the status of its event', 10, 141, undefined],
    ['is a kick by the status of its event, which is left out', 8, 141, 141],
    ['has no phase', 10, 33, undefined],
  ])('is sent with an incident that %s, so that a receiver reads the same phase', (_, id, status, phase) => {
    const cause = normalize(kick(id, status));
    const sent = send([waiting, cause]).messages.map(jsonOf)[1];
    expect(sent?.data.incident).toEqual({
      id: '5-1',
      action: 'insert',
      incident_id: 413,
      participant_id: HOME,
      ...(phase === undefined ? {} : { event_status_id: phase }),
    });
    expect(normalize(sent).incident?.incident.event_status_id).toBe(cause.incident?.incident.event_status_id);
  });
});
