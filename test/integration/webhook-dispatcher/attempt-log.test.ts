import { expect, onTestFinished, test, vi } from 'vitest';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { attemptOf } from '#webhooks/progress.ts';
import { AttemptLog } from '../../../services/webhook-dispatcher/delivery/attempt-log.ts';
import { backbone } from '../../setup/backbone.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';

/** Lead of the clock over the broker's, which refuses records that are more than an hour ahead. */
const AHEAD_MS = 2 * 3_600_000;
const REFUSED_FOR_MS = 4_000;

test('backs off while the broker refuses records, and logs the beginning and the end once', async () => {
  const connection = backbone();
  await Pipeline.create({ ...connection, services: ['webhook-dispatcher'] });
  const codec = await Registry.open({ url: connection.registryUrl, prefix: connection.prefix }).codec(
    'webhook-attempts',
  );
  const logged: [string, object][] = [];
  const say = (level: string) => (fields: object) => void logged.push([level, fields]);
  const log = { debug: () => {}, info: say('info'), warn: say('warn'), error: say('error') };
  const topic = topicName(connection.prefix, 'webhook-attempts');
  const attempts = await AttemptLog.open({
    brokers: connection.brokers,
    clientId: 'test',
    topic,
    codec,
    log,
  });
  onTestFinished(() => attempts.close());
  const head = { subscription_id: 's', client_id: 1, kind: 'passed', epoch: 1, at: Date.now() } as const;

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + AHEAD_MS });
  onTestFinished(() => void vi.useRealTimers());
  const began = performance.now();
  const records = Promise.all(Array.from({ length: 20 }, () => attempts.record(attemptOf(head))));
  await untilTrue('records are refused', () => logged.length > 0);
  await untilTrue('records are still refused', () => performance.now() - began > REFUSED_FOR_MS);
  expect(logged.map(([level]) => level)).toEqual(['warn']);

  vi.useRealTimers();
  await records;
  expect(logged.map(([level]) => level)).toEqual(['warn', 'info']);
  // After 100, 200, 400, 800, 1,000 … ms.
  expect(logged[1]?.[1]).toMatchObject({ failures: expect.toSatisfy((count) => count > 2 && count < 12) });
});
