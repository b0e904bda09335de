import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '#contract/canonical-json.ts';
import { applyMessage, type Match, matchIncident, matchState, newMatch } from '#domain/match.ts';
import { histories, retold, tellsSomething } from '#domain/testing/arbitraries.ts';
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

const seed = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) };

type Sent = { readonly match: Match; readonly messages: readonly WebhookMessage[] };

/** Plays messages to a match and composes what is sent of it, as the composer does. */
function send(told: readonly NormalizedMessage[]): Sent {
  const match = newMatch(EVENT_ID);
  const raised = new Map<string, number>();
  const messages = told.flatMap((message, offset) =>
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

type Json = Record<string, unknown>;

const jsonOf = ({ message }: WebhookMessage): { id: unknown; type: string; ut: number; data: Json } =>
  JSON.parse(message.toString());

/** What a receiver makes of a message: the inventions of the domain's tests, which no provider would send, included. */
function arrived(sent: WebhookMessage): NormalizedMessage {
  const { type, ut, data } = jsonOf(sent);
  const { id: _, action, ...fields } = data.event as Json;
  const told = action === 'delete' ? { ...fields, action } : fields;
  const base = incidentMessage(incident('5-1', 413, { ut }));
  if (data.incident === undefined)
    return { ...base, type: 'event', incident: null, event_fields: [canonicalJson(told)] };
  const { action: does, ...record } = data.incident as Json;
  const { note: __, ...known } = record as ReturnType<typeof incident> & { note: unknown };
  return {
    ...base,
    type: type as 'incident',
    ut,
    event_fields: Object.keys(told).length === 0 ? [] : [canonicalJson(told)],
    incident: {
      deleted: does === 'delete',
      incident: { ...known, ut: (record.ut as number | undefined) ?? ut, body: canonicalJson(record) },
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

/** Incidents that were sent, by id: what matters of them. */
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

function idsOf(told: readonly NormalizedMessage[]): string[] {
  const ids = told.flatMap(({ incident: one, snapshot }) => [
    ...(one === null ? [] : [one.incident.id]),
    ...(snapshot ?? []).map(({ id }) => id),
  ]);
  return [...new Set(ids)].sort();
}

function expectSame(a: Match, b: Match, told: readonly NormalizedMessage[]): void {
  expect(registers(b, idsOf(told))).toEqual(registers(a, idsOf(told)));
  const { version: _, cause: __, snapshot_at: ___, ...mine } = matchState(b);
  const { version: _v, cause: _c, snapshot_at: _s, ...theirs } = matchState(a);
  if (mine.coverage === theirs.coverage) expect(mine).toEqual(theirs);
  // A list makes a timeline complete; no message says so of one that does not have the start of play.
  else expect(theirs.coverage).toBe('complete');
}

const played = histories.chain((history) => fc.tuple(fc.constant(history), retold(history)));

describe('a receiver of what is composed', () => {
  it('comes to the same match state, whatever order messages and snapshots came in', () => {
    fc.assert(
      fc.property(played, ([, order]) => {
        const { match, messages } = send(order);
        if (messages.length === 0) return;
        expectSame(match, receive(messages), order);
      }),
      { numRuns: 1_000, ...seed },
    );
  });

  it('comes to the same after every message, not only in the end', () => {
    fc.assert(
      fc.property(played, ([, order]) => {
        for (let count = 1; count <= order.length; count++) {
          const told = order.slice(0, count);
          if (!told.some(tellsSomething)) continue;
          const { match, messages } = send(told);
          if (messages.length > 0) expectSame(match, receive(messages), told);
        }
      }),
      { numRuns: 100, ...seed },
    );
  });

  it('is told each message once, under ids of its own', () => {
    fc.assert(
      fc.property(played, ([, order]) => {
        const { messages } = send(order);
        expect(new Set(messages.map(({ uuid }) => uuid)).size).toBe(messages.length);
        expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
        for (const message of messages) expect(jsonOf(message).id).toBe(message.id);
      }),
      { numRuns: 300, ...seed },
    );
  });
});

describe('what is sent', () => {
  const goal = incident('5-1', 413, { ut: START });
  const times = (messages: readonly WebhookMessage[]) =>
    messages.map((message) => {
      const { ut, data } = jsonOf(message);
      const told = data.incident as Json | undefined;
      return [told?.action ?? message.type, told?.ut ?? ut];
    });

  it('of an accepted message is one message, however much it changed; of a copy none', () => {
    const { messages } = send([incidentMessage(goal), incidentMessage(goal)]);
    expect(times(messages)).toEqual([['insert', START]]);
    expect(messages[0]).toMatchObject({ uuid: `${EVENT_ID}:1:0`, type: 'incident', version: 1, ut: START });
  });

  it('of an incident that is gone from a list is a delete of the list’s time less the settle margin', () => {
    const { messages } = send([incidentMessage(goal), snapshotMessage(START + 60, [])]);
    expect(times(messages)).toEqual([
      ['insert', START],
      ['delete', START + 55],
    ]);
  });

  it('of one that a list brings back is its record as of that list', () => {
    const { messages } = send([
      incidentMessage(goal),
      snapshotMessage(START + 60, []),
      snapshotMessage(START + 90, [goal]),
      incidentMessage({ ...incident('5-1', 413, { ut: START + 70 }) }),
    ]);
    expect(times(messages)).toEqual([
      ['insert', START],
      ['delete', START + 55],
      ['update', START + 90],
      // Newer than what stood here, and so above what the receiver was told.
      ['update', START + 91],
    ]);
  });

  it('of a late record of a removed incident ends as a delete, and shows it at no time', () => {
    const { messages } = send([
      snapshotMessage(START + 60, []),
      incidentMessage(incident('5-1', 413, { ut: START + 10 })),
    ]);
    expect(times(messages)).toEqual([
      ['delete', START + 55],
      ['update', START + 10],
      ['delete', START + 55],
    ]);
  });

  it('of a delete that a later list overruled is nothing', () => {
    const { messages } = send([
      incidentMessage(goal),
      snapshotMessage(START + 60, [goal]),
      incidentMessage(incident('5-1', 413, { ut: START + 20 }), { deleted: true }),
    ]);
    expect(times(messages)).toEqual([['insert', START]]);
  });

  it('has the provider’s shape, and normalizes to what arrived', () => {
    const provider = {
      id: 35375779,
      type: 'incident',
      source: 7,
      ut: START,
      data: {
        incident: {
          ...{ id: '5-1', action: 'insert', incident_id: 413, event_time: '10:00', event_status_id: 33 },
          ...{ confirmation: 'tbd', participant_id: 51447, participant_name: 'A “name”', attribute_ids: [] },
        },
        event: {
          ...{ id: EVENT_ID, action: 'insert', status_id: 33, status_type: 'live', competition_id: 6628 },
          ...{ clock_time: 600, clock_status: 'running', details: [{ id: 16, value: 45 }], odd: null },
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
