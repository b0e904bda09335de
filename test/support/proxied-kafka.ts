import type { Kafka, KafkaOptions } from '#embedded/kafka.ts';
import { startOwnKafka } from './own-kafka.ts';
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
  const [proxyPort] = proxy.ports as [number];
  const kafka = await startOwnKafka({ ...options, proxyPort });
  proxy.forwardTo(kafka.proxiedPort as number);
  return { kafka, proxy, brokers: proxy.brokers, directBrokers: kafka.brokers };
}
