import { type Kafka, type KafkaOptions, startKafka } from '#embedded/kafka.ts';
import { QUICK_START } from '#embedded/settings.ts';
import { atEnd } from './at-end.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Starts a broker of this test, or file; it ends with it, and its data too. */
export async function startOwnKafka(options: Omit<KafkaOptions, 'dataDir'> = {}): Promise<Kafka> {
  const kafka = await startKafka({ jvmArgs: QUICK_START, ...options, dataDir: temporaryFolder() });
  atEnd(() => kafka.stop());
  return kafka;
}
