import { openStreamClient } from '#streams/client/client.ts';
import type { ConsumedRecord, OutputRecord, StreamClient, TopicPartition } from '#streams/client/port.ts';
import { positionRecord, positionsTopic } from '#streams/runtime/positions.ts';
import { TOPICS, topicName } from '#topics/topics.ts';
import { atEnd } from '../../support/at-end.ts';
import { PARTITIONS } from '../../support/harness.ts';
import { quietLog } from '../../support/log.ts';
import type { PipelineConnection } from '../../support/pipeline.ts';

/** The outputs of a match processor. */
export const OUTPUTS = [
  'match-incidents',
  'match-state',
  'match-transitions',
  'match-results',
  'dead-letters',
  'match-processor-positions',
] as const;
export type UndecidedOutput = (typeof OUTPUTS)[number];

/** Reads and writes the outputs of a match processor, on the bare protocol. */
export class Outputs {
  readonly #prefix: string;
  readonly #client: StreamClient;

  constructor({ brokers, prefix }: PipelineConnection) {
    this.#prefix = prefix;
    this.#client = openStreamClient({ brokers, clientId: 'test-outputs', log: quietLog });
    atEnd(() => this.#client.close());
  }

  get application(): string {
    return `${this.#prefix}match-processor`;
  }

  get input(): string {
    return topicName(this.#prefix, 'normalized-messages');
  }

  /** Returns the transactional id of the task of an input partition. */
  transactionalId(partition: number): string {
    return `${this.application}-${this.input}-${partition}`;
  }

  /** Returns the output partition, or one of them, that the task of an input partition writes to. */
  of(output: UndecidedOutput, partition: number): TopicPartition {
    if (output === 'match-processor-positions') return { topic: positionsTopic(this.application), partition };
    const count = TOPICS[output].partitions;
    return { topic: topicName(this.#prefix, output), partition: partition % count };
  }

  /** Returns all partitions of all outputs. */
  all(): TopicPartition[] {
    return OUTPUTS.flatMap((output) => {
      const partitions = Array.from({ length: PARTITIONS }, (_, partition) => this.of(output, partition));
      return output === 'dead-letters' ? partitions.slice(0, 1) : partitions;
    });
  }

  /** Returns every record that a read-committed reader receives. */
  async committed(of: TopicPartition): Promise<ConsumedRecord[]> {
    const [bounds] = await this.#client.logBounds([of]);
    const reader = this.#client.openReader({ ...of, maxBytes: 4 * 1024 * 1024 });
    const records: ConsumedRecord[] = [];
    try {
      for (let at = bounds?.start ?? 0; at < (bounds?.end ?? 0); ) {
        const batch = await reader.read(at);
        records.push(...batch.records);
        if (batch.next === at && batch.end <= at) break;
        at = batch.next;
      }
    } finally {
      await reader.close();
    }
    return records;
  }

  /** Returns the ends of the logs, open transactions included. */
  async ends(of: readonly TopicPartition[]): Promise<number[]> {
    return (await this.#client.logBounds(of)).map(({ end }) => end);
  }

  /** Returns a position record: the input of a partition is processed up to `next`. */
  async position(partition: number, next: number): Promise<OutputRecord> {
    const reader = this.#client.openReader({ topic: this.input, partition, maxBytes: 1 });
    const topicId = await reader.topicId();
    await reader.close();
    const { topic } = this.of('match-processor-positions', partition);
    return positionRecord(topic, partition, {
      next,
      topicId,
      inputEpoch: null,
      logs: {},
      producer: { id: '-1', epoch: -1 },
    });
  }

  /**
   * Returns a record that must never be read: outdated state, which would repeat published records, or a dead letter
   * without a source.
   */
  async outdated(output: UndecidedOutput, partition: number): Promise<OutputRecord> {
    const of = this.of(output, partition);
    if (output === 'match-processor-positions') return this.position(partition, 1);
    const [first] = await this.committed(of);
    return { ...of, key: first?.key ?? 'nobody', value: first?.value ?? Buffer.from('nothing') };
  }
}

/** Returns the last record of each key, in the order of offsets. */
export function lastOfEach(records: readonly ConsumedRecord[]): ConsumedRecord[] {
  const last = new Map(records.map((record) => [String(record.key), record]));
  return [...last.values()].sort((a, b) => a.offset - b.offset);
}
