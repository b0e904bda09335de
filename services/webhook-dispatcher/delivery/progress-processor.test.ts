import { describe, expect, test } from 'vitest';
import type { WebhookAttempt, WebhookProgress } from '#records/types.ts';
import type { ConsumedRecord } from '#streams/client/port.ts';
import { RecordCollector } from '#streams/runtime/processor.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { type AttemptKind, attemptOf, type DeliveryProgress } from '#webhooks/progress.ts';
import { ProgressProcessor } from './progress-processor.ts';

const codecs = {
  'webhook-attempts': codecOf('webhook-attempts'),
  'webhook-progress': codecOf('webhook-progress'),
};

function attempt(subscription_id: string, kind: AttemptKind, offset: number): WebhookAttempt {
  const head = { subscription_id, client_id: 1, kind, epoch: 1, at: 100 };
  return attemptOf(head, { started_at: 90, attempt: 1, next: [{ partition: 0, offset }] });
}

/** Creates a partition. Returns it with the calls of its dispatcher, and its records. */
function world() {
  const owned: ReadonlyMap<string, WebhookProgress>[] = [];
  const committed: Map<string, DeliveryProgress>[] = [];
  const released: number[] = [];
  const partition = new ProgressProcessor({
    partition: 3,
    codecs,
    progressTopic: 'progress',
    dispatcher: {
      claim: (_, progress) => void owned.push(new Map(progress)),
      applyCommitted: (_, changed) => void committed.push(new Map(changed)),
      release: async (of) => void released.push(of),
    },
  });
  const take = async (...attempts: WebhookAttempt[]) => {
    for (const one of attempts)
      await partition.process({ offset: 0, key: null, value: codecs['webhook-attempts'].encode(one) });
    const collector = new RecordCollector(3);
    partition.flush(collector);
    partition.committed();
    return collector.records;
  };
  return { partition, owned, committed, released, take };
}

const reached = (progress: DeliveryProgress | undefined) => progress?.next[0]?.offset;

describe('a partition of subscriptions', () => {
  test('is owned once it has caught up, from restored and new progress', async () => {
    const { partition, owned, committed, take } = world();
    const [before] = await world().take(attempt('a', 'started', 5));
    const restored: ConsumedRecord = { offset: 0, key: Buffer.from('a'), value: before?.value ?? null };
    await partition.restore('progress', [restored]);
    await take(attempt('a', 'delivered', 7), attempt('b', 'started', 1));
    expect([owned, committed]).toEqual([[], []]);
    partition.caughtUp();
    partition.caughtUp();
    expect(owned).toHaveLength(1);
    expect([reached(owned[0]?.get('a')), reached(owned[0]?.get('b'))]).toEqual([7, 1]);
  });

  test('publishes and reports changes and removals, once a transaction', async () => {
    const { partition, committed, take } = world();
    partition.caughtUp();
    const written = await take(
      attempt('a', 'started', 5),
      attempt('a', 'delivered', 7),
      attempt('b', 'started', 1),
      attempt('b', 'removed', 1),
    );
    expect(written.map(({ key, value }) => [key, value === null])).toEqual([
      ['a', false],
      ['b', true],
    ]);
    expect(Array.from(committed[0] ?? [], ([id, progress]) => [id, reached(progress)])).toEqual([
      ['a', 7],
      ['b', undefined],
    ]);
    expect(await take(attempt('a', 'delivered', 6))).toHaveLength(1);
    expect(reached(committed[1]?.get('a'))).toBe(7);
  });

  test('reports its release only if it was owned', () => {
    const [one, other] = [world(), world()];
    one.partition.close();
    other.partition.caughtUp();
    other.partition.close();
    expect([one.released, other.released]).toEqual([[], [3]]);
  });
});
