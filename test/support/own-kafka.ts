import { inject } from 'vitest';
import { type Kafka, type KafkaOptions, type Listener, startKafka } from '#embedded/kafka.ts';
import { QUICK_START } from '#embedded/settings.ts';
import { atEnd } from './at-end.ts';
import { TcpProxy } from './proxy.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Starts a broker for the current test or file. It is stopped and its data deleted afterwards. */
export async function startOwnKafka(options: Omit<KafkaOptions, 'dataDir'> = {}): Promise<Kafka> {
  const kafka = await startKafka({
    jvmArgs: QUICK_START,
    ...options,
    dataDir: temporaryFolder(inject('folder')),
  });
  atEnd(() => kafka.stop());
  return kafka;
}

/** Returns the listener of a broker whose clients reach it through a proxy at this port. */
export function proxied(advertisedPort: number): Listener {
  return { name: 'PROXIED', protocol: 'PLAINTEXT', advertisedPort };
}

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
  options: Omit<KafkaOptions, 'dataDir' | 'listeners'> = {},
): Promise<ProxiedKafka> {
  const proxy = await TcpProxy.start();
  const [proxyPort] = proxy.ports as [number];
  const kafka = await startOwnKafka({ ...options, listeners: [proxied(proxyPort)] });
  proxy.forwardTo(kafka.ports.PROXIED as number);
  return { kafka, proxy, brokers: proxy.brokers, directBrokers: kafka.brokers };
}
