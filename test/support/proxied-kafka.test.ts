import { Connection, metadataV12 } from '@platformatic/kafka';
import { expect, onTestFinished, test } from 'vitest';
import { answersMetadata } from '#embedded/metadata.ts';
import { HOST } from '#embedded/ports.ts';
import { startProxiedKafka } from './proxied-kafka.ts';
import { makeTopics } from './topics.ts';

/** Where a broker says that it is, asked at a port of its. */
async function advertised(port: number): Promise<string[]> {
  const connection = new Connection('test-proxied', { requestTimeout: 10_000 });
  onTestFinished(() => connection.close());
  await connection.connect(HOST, port);
  const { brokers } = await metadataV12.api.async(connection, [], false, false);
  return brokers.map((broker) => `${broker.host}:${broker.port}`);
}

test('clients reach a broker through the proxy or past it, and stay on their way', async () => {
  const { kafka, proxy, brokers, directBrokers } = await startProxiedKafka();
  const [proxyPort] = proxy.ports as [number];
  expect(brokers).not.toEqual(directBrokers);
  expect(await advertised(proxyPort)).toEqual(brokers);
  expect(await advertised(kafka.port)).toEqual(directBrokers);
  expect(proxy.accepted).toBe(1);

  await makeTopics(brokers, [{ topic: 'proxied', numPartitions: 2 }]);
  expect(proxy.accepted).toBeGreaterThan(1);

  proxy.freeze();
  expect(await answersMetadata(HOST, proxyPort, undefined, 300)).toBe(false);
  expect(await answersMetadata(HOST, kafka.port)).toBe(true);
  proxy.resume();
  expect(await answersMetadata(HOST, proxyPort)).toBe(true);

  // The listener of the proxy is still there after a restart.
  await kafka.kill('SIGKILL');
  expect(await answersMetadata(HOST, proxyPort)).toBe(false);
  await kafka.start();
  expect(await advertised(proxyPort)).toEqual(brokers);
});
