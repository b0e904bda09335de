import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kafka, type KafkaOptions, startKafka } from '#embedded/kafka.ts';
import { QUICK_START } from '#embedded/settings.ts';
import { atEnd } from './at-end.ts';
import { TcpProxy } from './proxy.ts';

/** A broker and the proxy that its clients reach it through. */
export type ProxiedKafka = {
  readonly kafka: Kafka;
  readonly proxy: TcpProxy;
  /** Through the proxy, also what the broker's answers name. */
  readonly brokers: string[];
  /** Past the proxy, for whoever is not to notice what it does. */
  readonly directBrokers: string[];
};

/** Starts a broker of this test, or file, behind a proxy; both end with it, and the broker's data too. */
export async function startProxiedKafka(
  options: Omit<KafkaOptions, 'dataDir' | 'proxyPort'> = {},
): Promise<ProxiedKafka> {
  const proxy = await TcpProxy.start();
  const dataDir = await mkdtemp(join(tmpdir(), 'touchline-proxied-'));
  atEnd(() => rm(dataDir, { recursive: true, force: true }));
  const [proxyPort] = proxy.ports as [number];
  const kafka = await startKafka({ jvmArgs: QUICK_START, ...options, dataDir, proxyPort });
  atEnd(() => kafka.stop());
  proxy.forwardTo(kafka.proxiedPort as number);
  return { kafka, proxy, brokers: proxy.brokers, directBrokers: kafka.brokers };
}
