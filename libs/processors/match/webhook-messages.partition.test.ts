import { describe, expect, test } from 'vitest';
import { applyMessage, newMatch } from '#domain/match.ts';
import {
  causeOf,
  EVENT_ID,
  eventFields,
  eventOf,
  incident,
  incidentMessage,
  START,
  snapshotMessage,
} from '#domain/testing/messages.ts';
import type { NormalizedMessage, WebhookMessage } from '#records/types.ts';
import type { OutputRecord } from '#streams/client/port.ts';
import { RecordCollector } from '#streams/runtime/processor.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { WebhookComposer } from './webhook-messages.ts';

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
