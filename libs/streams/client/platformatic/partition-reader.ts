import { retry } from '#timing/retry.ts';
import { StreamError } from '../../errors.ts';
import { type PartitionReader, partitionKey, type ReadBatch, type ReaderOptions } from '../port.ts';
import type { BrokerConnections } from './connections.ts';
import { hasCode, isMoved, isRetryable, logTruncated, topicRecreated, toStreamError } from './errors.ts';
import { fetchPartition } from './fetch.ts';
import { READ } from './retries.ts';

/** Default long poll: most partitions are idle, and each task reads its partitions separately. */
const MAX_WAIT_MS = 2_000;
/** Default long poll after one without records. Below the timeout of a request. */
const IDLE_WAIT_MS = 10_000;
/** Errors for an unknown topic id: transient just after a broker's start, permanent for a deleted topic. */
const UNKNOWN_ID_CODES = ['UNKNOWN_TOPIC_ID', 'INCONSISTENT_TOPIC_ID'];

/** Reads one partition over its own connections, so that a waiting fetch blocks no other request. */
export class ProtocolPartitionReader implements PartitionReader {
  readonly #connections: BrokerConnections;
  readonly #options: ReaderOptions;
  readonly #closing = new AbortController();
  /** Null until it is looked up; then constant. */
  #topicId: string | null = null;
  /** Default wait of the next fetch: the first one does not wait for records. */
  #waitMs = 0;
  /** The end of the last read, and the leader epoch of its last batch; null when that is unknown. */
  #read: { readonly next: number; readonly epoch: number } | null = null;

  constructor(connections: BrokerConnections, options: ReaderOptions) {
    this.#connections = connections;
    this.#options = options;
  }

  topicId(): Promise<string> {
    return this.#untilAnswered(() => this.#findTopicId());
  }

  read(offset: number, epoch: number | null = null): Promise<ReadBatch> {
    return this.#untilAnswered(() => this.#fetch(offset, epoch));
  }

  close(): Promise<void> {
    this.#closing.abort();
    return this.#connections.close();
  }

  async #untilAnswered<T>(request: () => Promise<T>): Promise<T> {
    const doing = `read ${partitionKey(this.#options)}`;
    const { signal } = this.#closing;
    const passes = async (error: unknown): Promise<boolean> => {
      if (!isRetryable(error) || signal.aborted) return false;
      this.#waitMs = Math.min(this.#waitMs, MAX_WAIT_MS);
      if (isMoved(error)) this.#connections.forget();
      if (hasCode(error, UNKNOWN_ID_CODES)) await this.#requireSameTopic();
      return true;
    };
    return retry(request, { ...READ, passes, signal }).catch((error: unknown) => {
      const isAborted = error instanceof Error && error.name === 'AbortError';
      throw isAborted
        ? new StreamError('UNAVAILABLE', `${doing}: closed`, error)
        : toStreamError(doing, error);
    });
  }

  async #findTopicId(): Promise<string> {
    this.#topicId ??= (await this.#connections.topic(this.#options.topic)).id;
    return this.#topicId;
  }

  async #fetch(offset: number, epochBefore: number | null): Promise<ReadBatch> {
    const { topic, partition, maxBytes, maxWaitMs = this.#waitMs } = this.#options;
    const leader = await this.#connections.leader({ topic, partition });
    const { [partition]: currentLeaderEpoch } = (await this.#connections.topic(topic)).leaderEpochs;
    const topicId = await this.#findTopicId();
    const lastFetchedEpoch = this.#read?.next === offset ? this.#read.epoch : epochBefore;
    const fetched = await fetchPartition(leader, {
      topicId,
      partition,
      offset,
      currentLeaderEpoch,
      lastFetchedEpoch: lastFetchedEpoch ?? undefined,
      maxWaitMs,
      maxBytes,
    });
    const { records, next, lastStableOffset, highWatermark, diverging } = fetched;
    if (diverging !== null) throw logTruncated({ topic, partition, offset }, diverging);
    // A transaction that is open or was just committed is looked at again soon.
    const isIdle = maxWaitMs > 0 && next === offset && highWatermark === lastStableOffset;
    this.#waitMs = isIdle ? IDLE_WAIT_MS : MAX_WAIT_MS;
    const epoch = fetched.epoch ?? lastFetchedEpoch;
    this.#read = epoch === null ? null : { next, epoch };
    return { records, next, end: lastStableOffset, written: highWatermark, epoch };
  }

  /** Rejects with TOPIC_RECREATED when the topic has another id now. With the same one a starting broker may not know it yet. */
  async #requireSameTopic(): Promise<void> {
    const { topic } = this.#options;
    const found = await this.#connections.topic(topic).catch(() => ({ id: this.#topicId }));
    if (found.id !== this.#topicId) throw topicRecreated(topic);
  }
}
