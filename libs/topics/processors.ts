/** The processors and their topics, for services and for the commands that operate them. */
import { positionsTopic } from '#streams/runtime/positions.ts';
import type { StreamTopics } from '#streams/runtime/stream-topics.ts';
import { isByEvent, TOPICS, type TopicName, type TopicSpec, topicName } from './topics.ts';

/** The topics of a processor. */
export type ProcessorSpec = {
  /** Its input. Its positions topic has as many partitions. */
  readonly input: TopicName;
  /** Topics from which it restores its state. A task writes only the partition with the number of its input partition. */
  readonly changelogs: readonly TopicName[];
  /** Other topics that it reads without a position. */
  readonly reads?: readonly TopicName[];
  /** Outputs of which a task writes only the partition with the number of its input partition. */
  readonly own: readonly TopicName[];
  /** Outputs of which each partition may have records of several tasks. */
  readonly shared: readonly TopicName[];
};

export const PROCESSORS = {
  'match-processor': {
    input: 'normalized-messages',
    changelogs: ['match-incidents', 'match-state', 'webhook-times'],
    own: ['match-transitions'],
    shared: ['webhook-messages', 'match-results', 'dead-letters'],
  },
  'standings-processor': {
    input: 'match-results',
    changelogs: ['standings-results', 'standings'],
    own: [],
    shared: ['dead-letters'],
  },
  'alert-processor': {
    input: 'match-transitions',
    changelogs: [],
    reads: ['match-state', 'feed-health', 'trading-halts'],
    own: [],
    shared: ['webhook-messages', 'alerts', 'dead-letters'],
  },
} as const satisfies Record<string, ProcessorSpec>;

export type ProcessorName = keyof typeof PROCESSORS;

export const PROCESSOR_NAMES = Object.keys(PROCESSORS) as ProcessorName[];

/** Name, after the prefix, of the group and the transactional id for alerts on feed-health. */
export const ALERT_HEALTH = 'alert-health';

/** Returns a processor's name on the broker: its group, and the first part of its transactional ids. */
export function applicationOf(prefix: string, processor: ProcessorName): string {
  return `${prefix}${processor}`;
}

/** Returns the name on the broker of a processor's positions topic. */
export function positionsTopicName(prefix: string, processor: ProcessorName): string {
  return positionsTopic(applicationOf(prefix, processor));
}

/** The spec of a positions topic, except its partitions. */
export const POSITIONS: Omit<TopicSpec, 'partitions'> = {
  about:
    'The position of a processor in its input, written in the transaction of its results: JSON, for Touchline itself.',
  key: 'partition of the input',
  partitioning: 'that of the input',
  cleanup: 'compact',
  retentionMs: 86_400_000,
  maxMessageBytes: 1024 * 1024,
};

/** Returns the topics of a processor by their names on the broker, as the task runtime takes them. */
export function streamTopics(prefix: string, processor: ProcessorName): StreamTopics {
  const { input, changelogs, own, shared }: ProcessorSpec = PROCESSORS[processor];
  return {
    application: applicationOf(prefix, processor),
    input: topicName(prefix, input),
    changelogs: changelogs.map((topic) => topicName(prefix, topic)),
    outputs: [
      ...own.map((topic) => ({ topic: topicName(prefix, topic), partitions: 'own' as const })),
      ...shared.map((topic) => ({
        topic: topicName(prefix, topic),
        // Those of a match have as many as their input, whatever the installation chose.
        partitions: isByEvent(topic) ? ('input' as const) : TOPICS[topic].partitions,
      })),
    ],
  };
}
