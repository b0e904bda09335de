import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '#contract/canonical-json.ts';
import type { JsonObject } from '#contract/values.ts';
import { applyMessage, type Match, matchIncident, matchState, newMatch } from '#domain/match.ts';
import { hasContent, histories, redelivered } from '#domain/testing/arbitraries.ts';
import {
  causeOf,
  EVENT_ID,
  incident,
  incidentMessage,
  START,
  snapshotMessage,
} from '#domain/testing/messages.ts';
import { normalizeMessage } from '#ingestion/normalize.ts';
import type { MatchIncident, NormalizedMessage, WebhookMessage } from '#topics/generated/types.ts';
import { compose } from './compose.ts';

type Sent = { readonly match: Match; readonly messages: readonly WebhookMessage[] };

/** Applies messages to a match and composes its webhook messages, like the composer. */
function send(history: readonly NormalizedMessage[]): Sent {
  const match = newMatch(EVENT_ID);
  const raised = new Map<string, number>();
  const messages = history.flatMap((message, offset) =>
    applyMessage(match, message, causeOf(message, offset)).transitions.flatMap((transition) => {
      const id = transition.incident_id ?? '';
      const composed = compose(transition, message, raised.get(id) ?? null);
      if (composed.raised === null) raised.delete(id);
      else if (composed.raised !== undefined) raised.set(id, composed.raised);
      return composed.messages;
    }),
  );
  return { match, messages };
}

const jsonOf = ({ message }: WebhookMessage): { id: unknown; type: string; ut: number; data: JsonObject } =>
  JSON.parse(message.toString());

/** Reads a message like a receiver, including the artificial ones of the domain's tests. */
function arrived(sent: WebhookMessage): NormalizedMessage {
  const { type, ut, data } = jsonOf(sent);
  const { id: _, action, ...fields } = data.event as JsonObject;
  const history = action === 'delete' ? { ...fields, action } : fields;
  const base = { ...incidentMessage(incident('5-1', 413, { ut })), message_id: String(sent.id) };
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
  const ids = history.flatMap(({ incident: one, snapshot, deleted }) => [
    ...(one === null ? [] : [one.incident.id]),
    ...[...(snapshot ?? []), ...deleted].map(({ id }) => id),
  ]);
  return [...new Set(ids)].sort();
}

/**
 * Returns what a receiver derives alike: not our order of messages, nor our doubts. `isDoubtful`: we doubt a list or a message, so
 * that firm score and guard differ.
 */
function comparable(match: Match, isDoubtful: boolean) {
  const { version: _, cause: __, snapshot_at: ___, fields: ____, ...state } = matchState(match);
  const { missing: _m, unread: _u, unread_at: _a, first_finished: _f, anomalies, guard, ...rest } = state;
  const { firm, under_review, ...sure } = rest;
  const goals = anomalies.filter((anomaly) => anomaly !== 'status_went_back');
  const reasons = guard.reasons.filter((reason) => !OURS.has(reason));
  if (!isDoubtful) return { ...sure, goals, reasons, firm, under_review };
  return { ...sure, goals, reasons: reasons.filter((reason) => reason !== 'under_review') };
}

/** Reasons that only a reader of the lists, of every message and of its time can give. */
const OURS: ReadonlySet<string> = new Set(['missing_from_list', 'unread_message', 'status_went_back']);

function expectSame(a: Match, b: Match, history: readonly NormalizedMessage[]): void {
  expect(registers(b, idsOf(history))).toEqual(registers(a, idsOf(history)));
  const [ours, theirs] = [matchState(a), matchState(b)];
  if (ours.coverage !== theirs.coverage) {
    // A list makes a timeline complete; no message does for one without the start of play.
    expect(ours.coverage).toBe('complete');
    return;
  }
  const isDoubtful = ours.missing.length > 0;
  expect(comparable(b, isDoubtful)).toEqual(comparable(a, isDoubtful));
}

const played = histories.chain((history) => fc.tuple(fc.constant(history), redelivered(history)));

describe('a receiver of composed messages', () => {
  test('derives the same match state, in any order of messages and snapshots', () => {
    fc.assert(
      fc.property(played, ([, order]) => {
        const { match, messages } = send(order);
        if (messages.length === 0) return;
        expectSame(match, receive(messages), order);
      }),
      { numRuns: 1_000 },
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

  const other = incident('5-0', 429, { ut: START });

  test('of an incident that a list omits for long are a delete at the time of the list', () => {
    const { messages } = send([
      incidentMessage(goal),
      snapshotMessage(START + 60, [other]),
      snapshotMessage(START + 75, [other]),
    ]);
    expect(times(messages)).toEqual([
      ['insert', START],
      ['insert', START],
      ['delete', START + 75],
    ]);
  });

  test('of an incident that a list reinstates are its record with the time of that list', () => {
    const { messages } = send([
      incidentMessage(goal),
      snapshotMessage(START + 80, [other]),
      snapshotMessage(START + 90, [goal, other]),
      incidentMessage({ ...incident('5-1', 413, { ut: START + 70 }) }),
    ]);
    expect(times(messages).filter(([action]) => action !== 'insert')).toEqual([
      ['delete', START + 80],
      ['update', START + 90],
      // Newer than the current record, and so above the one sent.
      ['update', START + 91],
    ]);
  });

  test('of a late record of a removed incident begin and end with a delete, so that it is never shown', () => {
    const { messages } = send([
      snapshotMessage(START + 90, [other]),
      incidentMessage(incident('5-1', 413, { ut: START + 10 })),
    ]);
    expect(times(messages).slice(1)).toEqual([
      ['delete', START + 90],
      ['update', START + 10],
      ['delete', START + 90],
    ]);
  });

  test('of an incident that is missing from a list, and no longer, are none', () => {
    const { messages } = send([
      incidentMessage(goal),
      snapshotMessage(START + 20, [other]),
      snapshotMessage(START + 30, [other, goal]),
    ]);
    expect(times(messages).map(([action]) => action)).not.toContain('delete');
  });

  test('of a delete that a later list has overruled are none', () => {
    const { messages } = send([
      incidentMessage(goal),
      snapshotMessage(START + 60, [goal]),
      incidentMessage(incident('5-1', 413, { ut: START + 20 }), { deleted: true }),
    ]);
    expect(times(messages)).toEqual([['insert', START]]);
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
    const normalize = (message: unknown) => {
      const result = normalizeMessage(message, { origin: 'webhook', deliveryId: 'd', receivedAt: 1 });
      if (result.kind !== 'normalized') throw new Error(JSON.stringify(result));
      return result.message;
    };
    const cause = normalize(provider);
    const [sent] = send([cause]).messages;
    if (sent === undefined) throw new Error('nothing was sent');
    expect(normalize(jsonOf(sent))).toEqual({
      ...cause,
      message_id: String(sent.id),
      uuid: sent.uuid,
    });
    expect(jsonOf(sent)).toEqual({ ...provider, id: sent.id, uuid: sent.uuid });
    expect(sent.competition_id).toBe(6628);
  });
});
