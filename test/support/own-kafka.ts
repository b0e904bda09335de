import { inject } from 'vitest';
import { type SchemaRegistry, startRegistry } from '#embedded/registry.ts';
import { QUICK_START } from '#embedded/settings.ts';
import {
  type Listener,
  startTestKafka,
  type TestKafka,
  type TestKafkaOptions,
} from '#embedded/testing/cluster.ts';
import { atEnd } from './at-end.ts';
import { TcpProxy } from './proxy.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Starts a broker for the current test or file. It is stopped and its data deleted afterwards. */
export async function startOwnKafka(options: Omit<TestKafkaOptions, 'dataDir'> = {}): Promise<TestKafka> {
  const dataDir = temporaryFolder(inject('folder'));
  const kafka = await startTestKafka({ jvmArgs: QUICK_START, ...options, dataDir });
  atEnd(() => kafka.stop());
  return kafka;
}

/**
 * Starts a registry on a broker, which is stopped after the current test or file. Its data stay in the
 * folder.
 */
export async function startOwnRegistry(brokers: readonly string[], dataDir: string): Promise<SchemaRegistry> {
  const registry = await startRegistry({ brokers: [...brokers], dataDir, env: process.env, onProgress() {} });
  atEnd(() => registry.stop());
  return registry;
}

/** Returns the listener of a broker whose clients reach it through a proxy at this port. */
export function proxied(advertisedPort: number): Listener {
  return { name: 'PROXIED', protocol: 'PLAINTEXT', advertisedPort };
}

/** Starts a broker behind a proxy for the current test or file. Both are stopped and the data is deleted afterwards. */
export async function startProxiedKafka(options: Omit<TestKafkaOptions, 'dataDir' | 'listeners'> = {}) {
  const proxy = await TcpProxy.start();
  const [proxyPort] = proxy.ports as [number];
  const kafka = await startOwnKafka({ ...options, listeners: [proxied(proxyPort)] });
  proxy.forwardTo(kafka.ports.PROXIED as number);
  // Clients that the faults of the proxy must not affect bypass it.
  return { kafka, proxy, brokers: proxy.brokers, directBrokers: kafka.brokers };
}

export type ProxiedKafka = Awaited<ReturnType<typeof startProxiedKafka>>;
