import { expect, test } from 'vitest';
import type { DeadLetter } from '#records/types.ts';
import type { PublishRecord } from '#streams/client/port.ts';
import type { Publisher } from '#streams/publish/publisher.ts';
import type { Registry } from '#topics/registry.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { resendLetter } from './run.ts';

const EVENT = 77;

/** The letter of an event's incident list as the feed poller writes it. */
function snapshotLetter(type: unknown): DeadLetter {
  const incident = { id: '5-1', incident_id: type };
  const head = { id: 'snapshot/77/9', type: 'incident_snapshot', ut: 9, event_id: EVENT };
  const body = JSON.stringify([{ ...head, data: { incidents: [incident] } }]);
  return overHttp('feed-poller', body);
}

function overHttp(service: string, body: string): DeadLetter {
  const from = { topic: null, partition: null, offset: null, key: Buffer.from('delivery'), failed_at: 9_500 };
  return { ...sampleOf('dead-letters'), ...from, id: 'l', service, value: Buffer.from(body) };
}

const RESULT: DeadLetter = {
  ...sampleOf('dead-letters'),
  id: 'l',
  service: 'standings-processor',
  topic: 'match-results',
  partition: 3,
  offset: 35,
  key: Buffer.from('1/2/7/-/77'),
  value: Buffer.from('v35'),
};

async function resend(letter: DeadLetter, last: number | null = null) {
  const records: PublishRecord[] = [];
  const sizes: number[] = [];
  const resent = await resendLetter(letter, {
    publisher: {
      async publish(of: PublishRecord[]) {
        sizes.push(of.length);
        records.push(...of);
      },
    } as unknown as Publisher,
    registry: { codec: async () => ({ encode: () => Buffer.from('message') }) } as unknown as Registry,
    prefix: 't.',
    lastOffset: async () => last,
  });
  return { resent, published: records.map(({ topic, key, value }) => `${topic} ${key} ${value}`), sizes };
}

test('publishes an incident list that this release can read', async () => {
  const { resent, published } = await resend(snapshotLetter('413'));
  expect(resent).toEqual({ sent: 1, problem: null, isSuperseded: false });
  expect(published).toEqual(['t.normalized-messages 77 message', 't.dead-letters l null']);
});

test('publishes all messages of a body that had too many to be received, in parts', async () => {
  const event = { id: 'm', type: 'event', ut: 1, data: { event: { id: EVENT } } };
  const count = 10_001;
  const body = JSON.stringify(Array(count).fill(event));
  const letter = { ...overHttp('webhook-receiver', body), code: 'too_many' };
  const { resent, published, sizes } = await resend(letter);
  expect(resent).toEqual({ sent: count, problem: null, isSuperseded: false });
  expect(published).toHaveLength(count + 1);
  expect(published.at(-1)).toBe('t.dead-letters l null');
  expect(Math.max(...sizes)).toBe(1_000);
});

test('keeps the letter of a message type that this release does not use', async () => {
  const body = JSON.stringify([{ id: 'm', type: 'new', ut: 1, data: {} }]);
  const { resent, published } = await resend(overHttp('webhook-receiver', body));
  expect(resent.problem).toBe('this release does not use messages of type "new"');
  expect(published).toEqual([]);
});

test.each([
  ['a later record of its key', 41, []],
  ['a record of its key in a topic that was created again', 3, []],
  ['no later record of its key', 35, ['t.match-results 1/2/7/-/77 v35']],
  ['no record of its key', null, ['t.match-results 1/2/7/-/77 v35']],
])('closes the letter of a result when there is %s, and sends %j', async (_, last, sent) => {
  const { resent, published } = await resend(RESULT, last);
  expect(resent).toEqual({ sent: sent.length, problem: null, isSuperseded: sent.length === 0 });
  expect(published).toEqual([...sent, 't.dead-letters l null']);
});

test('resends a record of a topic that is not compacted, even after a later record of its key', async () => {
  const { published } = await resend({ ...RESULT, topic: 'normalized-messages' }, 41);
  expect(published).toEqual(['t.normalized-messages 1/2/7/-/77 v35', 't.dead-letters l null']);
});
