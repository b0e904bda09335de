import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { providerIncident } from '#contract/provider-message.ts';
import { EventRegister } from '#domain/event-register.ts';
import { applyMessage, type Match, matchIncident, matchState, newMatch } from '#domain/match.ts';
import { hasContent, histories, redelivered } from '#domain/testing/arbitraries.ts';
import { AWAY, causeOf, EVENT_ID, HOME, incident, incidentMessage, START } from '#domain/testing/messages.ts';
import { normalized } from '#ingestion/testing/normalized.ts';
import type { JsonObject } from '#json/values.ts';
import {
  EVENT_FIELDS,
  type Incident,
  type MatchIncident,
  type NormalizedMessage,
  type WebhookMessage,
} from '#records/types.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { jsonOf, send } from './testing/composed.ts';

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
