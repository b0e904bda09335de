import type { Kafka, KafkaOptions } from '#embedded/kafka.ts';
import { startOwnKafka } from './own-kafka.ts';
import { TcpProxy } from './proxy.ts';

/** A broker and the proxy that its clients reach it through. */
export type ProxiedKafka = {
  readonly kafka: Kafka;
  readonly proxy: TcpProxy;
  /** Addresses of the proxy, which the broker advertises too. */
  readonly brokers: string[];
  /** Addresses that bypass the proxy, for clients that its faults must not affect. */
  readonly directBrokers: string[];
};

/** Starts a broker behind a proxy for the current test or file. Both are stopped and the data is deleted afterwards. */
export async function startProxiedKafka(
  options: Omit<KafkaOptions, 'dataDir' | 'proxyPort'> = {},
): Promise<ProxiedKafka> {
  const proxy = await TcpProxy.start();
  const [proxyPort] = proxy.ports as [number];
  const kafka = await startOwnKafka({ ...options, proxyPort });
  proxy.forwardTo(kafka.proxiedPort as number);
  return { kafka, proxy, brokers: proxy.brokers, directBrokers: kafka.brokers };
}
