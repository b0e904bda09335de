/** Attempts that cannot be counted are refused. */
import { expect, test } from 'vitest';
import { until } from '../../support/poll.ts';
import { restartableKafka } from '../../support/restartable-kafka.ts';
import { prepareTopics, startGateway, startUpstream } from '../../support/tool-gateway.ts';

test('answers 500 limits_unavailable while the broker does not answer, and recovers', async () => {
  const { proxy, brokers, directBrokers } = await restartableKafka();
  const at = await prepareTopics({ brokers: directBrokers });
  const upstream = await startUpstream();
  const gateway = await startGateway({ ...at, brokers }, upstream.url);
  const ask = (address: string) => gateway.exchange({ client_id: '7', secret_key: 'wrong' }, address);
  expect((await ask('198.18.0.1')).status).toBe(403);

  proxy.freeze();
  const started = performance.now();
  expect(await ask('198.18.0.2')).toMatchObject({ status: 500, body: { error: 'limits_unavailable' } });
  expect(performance.now() - started).toBeGreaterThan(4_000);
  expect(upstream.asked).toBe(1);
  proxy.resume();
  await until('attempts are counted again', async () =>
    (await ask('198.18.0.3')).status === 403 ? true : undefined,
  );
  proxy.cut();
  await until('attempts are counted after connections broke', async () =>
    (await ask('198.18.0.4')).status === 403 ? true : undefined,
  );
});
