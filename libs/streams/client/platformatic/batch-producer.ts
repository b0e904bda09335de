import { setTimeout as delay } from 'node:timers/promises';
import type { Brokers } from '#security/brokers.ts';
import { settlesWithin } from '#timing/clock.ts';
import {
  type BatchProducer,
  type BatchRecord,
  type PublishRecord,
  partitionKey,
  partitionOfKey,
  type TopicPartition,
  type Unsent,
  type WrittenBatch,
} from '../port.ts';
import { BrokerConnections, byLeader } from './connections.ts';
import { isDisconnected, NoLeaderError, toStreamError } from './errors.ts';
import { type Connection, initProducerIdV4 } from './library.ts';
import {
  type Identity,
  MAX_BATCH_BYTES,
  nextSequence,
  produce,
  type RecordBatch,
  recordBytes,
} from './produce-request.ts';
import { retryTransient } from './retries.ts';

/** Ignored by the broker for a producer without transactions. */
const NO_TRANSACTION_TIMEOUT = 0;
/** Timeout of closing the connections: a broker that hangs never responds. */
const CLOSE_MS = 1_000;
/** Number of different first turns. */
const TURNS = 1_000n;
const RETRY_PAUSE_MS = 100;

/** Opens an idempotent producer without transactions. Rejects with `StreamError`. */
export async function openBatchProducer(brokers: Brokers, clientId: string): Promise<BatchProducer> {
  const connections = new BrokerConnections(brokers, clientId);
  const close = async (): Promise<void> => {
    await settlesWithin(connections.close(), CLOSE_MS);
  };
  try {
    const { producerId, producerEpoch } = await retryTransient(async () =>
      initProducerIdV4.api.async(await connections.any(), null, NO_TRANSACTION_TIMEOUT),
    );
    const identity = { transactionalId: null, id: producerId, epoch: producerEpoch };
    const sender = new BatchSender(connections, identity);
    // Records for `any` partition go to the next partition with each request. Producers begin at different partitions.
    let turn = Number(producerId % TURNS);
    return {
      close,
      async send(records, onRetry) {
        turn += 1;
        let losses = 0;
        const resend = async (thrown: unknown): Promise<void> => {
          const error = toStreamError('publish', thrown);
          // The next send leaves these records out, so that other partitions need not wait for the leader.
          if (error instanceof NoLeaderError) throw error;
          if (error.code !== 'UNAVAILABLE' || connections.isClosed) throw error;
          const isLoss = isDisconnected(thrown);
          // The next attempt must not wait behind one that hangs.
          if (isLoss) await connections.reset();
          // Brokers close idle connections: the first loss is no failure.
          if (isLoss && losses++ === 0) return;
          onRetry(error);
          await delay(RETRY_PAUSE_MS);
        };
        try {
          const { chosen, unsent } = await choosePartitions(records, connections, turn);
          await sender.send(batchRecords(chosen), resend);
          return unsent;
        } catch (error) {
          throw toStreamError('publish', error);
        }
      },
    };
  } catch (error) {
    await close();
    throw toStreamError('connect', error);
  }
}

/** Chooses each record's partition: its own, its key's, or from `turn` on one with a leader. `unsent`: those without a leader. */
async function choosePartitions(
  records: readonly PublishRecord[],
  connections: BrokerConnections,
  turn: number,
): Promise<{ readonly chosen: readonly BatchRecord[]; readonly unsent: Unsent }> {
  const topics = new Map<string, readonly boolean[]>();
  for (const topic of new Set(records.map((record) => record.topic))) {
    const { leaders } = await connections.topic(topic);
    topics.set(
      topic,
      Array.from(leaders, (leader) => leader !== undefined),
    );
  }
  const chosen: BatchRecord[] = [];
  const unsent = new Map<PublishRecord, NoLeaderError>();
  for (const record of records) {
    const { topic } = record;
    const haveLeaders = topics.get(topic) ?? [];
    const partition = chosenPartition(record, haveLeaders, turn);
    if (haveLeaders[partition] === false) {
      unsent.set(record, new NoLeaderError({ topic, partition }));
      connections.forgetTopic(topic);
    } else chosen.push({ ...record, partition });
  }
  return { chosen, unsent };
}

function chosenPartition(
  { partition, key }: PublishRecord,
  haveLeaders: readonly boolean[],
  turn: number,
): number {
  const count = haveLeaders.length;
  if (partition === undefined) return partitionOfKey(key ?? '', count);
  if (partition !== 'any') return partition;
  const next = haveLeaders.indexOf(true, turn % count);
  return next !== -1 ? next : Math.max(haveLeaders.indexOf(true), 0);
}

/** Record batches of different partitions, for one produce request. */
export type ProduceBatch = readonly RecordBatch[];

type DraftBatch = TopicPartition & { readonly records: BatchRecord[]; bytes: number };

/** Groups records into record batches of at most `maxBytes`, one of each partition in a produce batch, in order. A larger record is alone. */
export function batchRecords(
  records: readonly BatchRecord[],
  maxBytes: number = MAX_BATCH_BYTES,
): ProduceBatch[] {
  const batches: Map<string, DraftBatch>[] = [];
  for (const record of records) {
    const { topic, partition } = record;
    const key = partitionKey(record);
    const bytes = recordBytes(record);
    const last = batches.at(-1)?.get(key);
    if (batches.length === 0 || (last !== undefined && last.bytes + bytes > maxBytes))
      batches.push(new Map());
    const drafts = batches.at(-1) as Map<string, DraftBatch>;
    const draft = drafts.get(key) ?? { topic, partition, records: [], bytes: 0 };
    drafts.set(key, draft);
    draft.records.push(record);
    draft.bytes += bytes;
  }
  return batches.map((drafts) => [...drafts.values()]);
}

const TIMEOUT_MS = 10_000;

type OnFailure = (error: unknown) => Promise<void>;

const rethrow: OnFailure = (error) => Promise.reject(error);

/** Sends the record batches of one idempotent producer, with their sequence numbers. */
export class BatchSender {
  readonly #connections: BrokerConnections;
  readonly #identity: Identity;
  /** Sequence numbers of the next records, by `partitionKey`. */
  readonly #sequences = new Map<string, number>();

  constructor(connections: BrokerConnections, identity: Identity) {
    this.#connections = connections;
    this.#identity = identity;
  }

  /** Sends produce batches and returns what was written. `onFailure`: after the retries, resolves to send the batch again, or throws. */
  async send(batches: readonly ProduceBatch[], onFailure: OnFailure = rethrow): Promise<WrittenBatch[]> {
    const written: WrittenBatch[] = [];
    for (const produceBatch of batches) {
      // Produce batches are sent one after another, as the batches of a partition must arrive in order.
      written.push(...(await this.#sendUntilAccepted(produceBatch, onFailure)));
      for (const batch of produceBatch) {
        const next = nextSequence(this.#sequenceOf(batch), batch.records.length);
        this.#sequences.set(partitionKey(batch), next);
      }
    }
    return written;
  }

  /** Resends with the same sequence numbers, so that the broker writes no batch twice. */
  async #sendUntilAccepted(produceBatch: ProduceBatch, onFailure: OnFailure): Promise<WrittenBatch[]> {
    const forget = (): void => this.#connections.forget();
    for (;;) {
      try {
        return await retryTransient(() => this.#sendBatch(produceBatch), forget);
      } catch (error) {
        await onFailure(error);
      }
    }
  }

  /** Settles when every leader has responded, so that no response of a first attempt arrives during the second. */
  async #sendBatch(produceBatch: ProduceBatch): Promise<WrittenBatch[]> {
    const leaders = await byLeader(this.#connections, produceBatch);
    const sent = await Promise.allSettled(
      [...leaders].map(([leader, batches]) => this.#sendTo(leader, batches)),
    );
    return sent.flatMap((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
  }

  async #sendTo(leader: Connection, batches: readonly RecordBatch[]): Promise<WrittenBatch[]> {
    const numbered = batches.map((batch) => ({ batch, sequence: this.#sequenceOf(batch) }));
    const response = await produce.async(leader, this.#identity, numbered, TIMEOUT_MS, Date.now());
    const answers = new Map(
      response.responses.map(({ name, partitionResponses }) => [name, partitionResponses]),
    );
    return batches.map(({ topic, partition, records }) => {
      const answer = answers.get(topic)?.find(({ index }) => index === partition);
      return { topic, partition, baseOffset: Number(answer?.baseOffset ?? -1), count: records.length };
    });
  }

  #sequenceOf(batch: RecordBatch): number {
    return this.#sequences.get(partitionKey(batch)) ?? 0;
  }
}
