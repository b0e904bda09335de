import type { z } from 'zod';
import { BrokerConnections } from '#cluster/access.ts';
import { logBrokerDefects } from '#cluster/broker-defects.ts';
import { reasonOf } from '#errors/touchline-error.ts';
import { openStreamClient } from '#streams/client/client.ts';
import { RefusedError } from '#streams/errors.ts';
import { instanceId } from '#streams/leadership.ts';
import type { PartitionProcessor } from '#streams/runtime/processor.ts';
import { runStream, type Stream } from '#streams/runtime/stream.ts';
import { PromiseCache } from '#timing/promise-cache.ts';
import { deadLetterOf } from '#topics/dead-letters.ts';
import { PROCESSORS, type ProcessorName, streamTopics } from '#topics/processors.ts';
import { Registry } from '#topics/registry.ts';
import { requireSettings } from '#topics/required-topics.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import type { processorSettings } from './config.ts';
import type { ServiceContext } from './run-service.ts';

type ProcessorContext = Pick<
  ServiceContext<z.output<z.ZodObject<typeof processorSettings>>>,
  'config' | 'logger' | 'metrics' | 'signal' | 'fail'
>;

/** The resources of an open processor; `T`: the topics of its codecs. */
export type OpenProcessor<T extends TopicName> = Awaited<ReturnType<typeof openProcessor<T>>>;

/** Opens the resources of a processor. `values`: the topics whose values it reads or writes. Rejects as `Registry.codec`. */
export async function openProcessor<const T extends TopicName>(
  name: ProcessorName,
  { config, logger: log, metrics, signal, fail }: ProcessorContext,
  values: readonly T[],
) {
  const { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix } = config;
  // Not awaited: no start depends on it.
  void logBrokerDefects(brokers, log);
  const registry = new Registry({ url: config.SCHEMA_REGISTRY_URL, prefix });
  const { input } = PROCESSORS[name];
  const [codecs, codec] = await Promise.all([registry.codecs(values), registry.codec('dead-letters')]);
  const letters = { service: name, input, topic: topicName(prefix, 'dead-letters'), codec };
  const topics = streamTopics(prefix, name);
  const client = openStreamClient({ brokers, clientId: topics.application, log });
  const connections = new BrokerConnections(brokers, topics.application);
  signal.addEventListener('abort', () => void connections.close());
  const checks = new PromiseCache<void>(TOPICS_CHECKED_FOR_MS);
  return {
    codecs,
    registry,
    /** Closed with the stream. */
    client,
    topicName: (topic: TopicName) => topicName(prefix, topic),
    /** Runs its stream. `createProcessor` creates the processor of a claimed partition. Rejects as `runStream`. */
    run: (createProcessor: (partition: number, partitions: number) => PartitionProcessor): Promise<Stream> =>
      runStream({
        brokers,
        client,
        ...topics,
        createProcessor,
        deadLetter: (partition, record, error) => deadLetterOf(letters, partition, record, error, Date.now()),
        log,
        metrics,
        sessionTimeoutMs: config.SESSION_TIMEOUT_MS,
        instanceId: instanceId(name, config.GROUP_INSTANCE_ID),
        leaves: config.LEAVE_ON_STOP === 'on',
        onFenced: fail,
        requireTopics: () => checks.get(name, () => requireTopics(connections, prefix, name)),
        onLostInput: config.ON_LOST_INPUT,
      }),
  };
}

/** Partitions that are claimed together share one check of the topics. */
const TOPICS_CHECKED_FOR_MS = 5_000;

async function requireTopics(...of: Parameters<typeof requireSettings>): Promise<void> {
  try {
    await requireSettings(...of);
  } catch (error) {
    throw new RefusedError('SETTINGS_DIFFER', reasonOf(error), null, error);
  }
}

/** Runs a processor that needs nothing but its codecs and topics. Rejects as `openProcessor` and its `run`. */
export async function runProcessor<const T extends TopicName>(
  name: ProcessorName,
  context: ProcessorContext,
  values: readonly T[],
  create: (open: OpenProcessor<T>, partition: number, partitions: number) => PartitionProcessor,
): Promise<Stream> {
  const open = await openProcessor(name, context, values);
  return open.run((partition, partitions) => create(open, partition, partitions));
}
