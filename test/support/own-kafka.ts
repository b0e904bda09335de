import { type Kafka, type KafkaOptions, startKafka } from '#embedded/kafka.ts';
import { QUICK_START } from '#embedded/settings.ts';
import { atEnd } from './at-end.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Starts a broker for the current test or file. It is stopped and its data deleted afterwards. */
export async function startOwnKafka(options: Omit<KafkaOptions, 'dataDir'> = {}): Promise<Kafka> {
  const kafka = await startKafka({ jvmArgs: QUICK_START, ...options, dataDir: temporaryFolder() });
  atEnd(() => kafka.stop());
  return kafka;
}
