import { retry } from '#timing/retry.ts';
import { StreamError } from '../../errors.ts';
import { type PartitionReader, partitionKey, type ReadBatch, type ReaderOptions } from '../port.ts';
import type { BrokerConnections } from './connections.ts';
import {
  hasCode,
  isDisconnected,
  isMoved,
  isTransient,
  logTruncated,
  topicRecreated,
  toStreamError,
} from './errors.ts';
import { fetchPartition } from './fetch.ts';
import { READ } from './retries.ts';

/** A task reads each of its partitions by itself, and most partitions are idle most of the time. */
const MAX_WAIT_MS = 2_000;
/** A broker's error for an unknown topic id: for a moment after its start, or for good. */
const UNKNOWN_ID = ['UNKNOWN_TOPIC_ID', 'INCONSISTENT_TOPIC_ID'];

/** Reads one partition over its own connections: a waiting fetch blocks nothing else. */
export class ProtocolPartitionReader implements PartitionReader {
  readonly #connections: BrokerConnections;
  readonly #options: ReaderOptions;
  readonly #closing = new AbortController();
  /** Looked up once, and constant from then on. */
  #topicId: string | null = null;
  /** The first answer tells at once whether anything is there. */
  #isFirst = true;
  /** The end of what was read last, and the leader epoch of its last batch. */
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

  async #untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
    const doing = `read ${partitionKey(this.#options)}`;
    const { signal } = this.#closing;
    const passes = async (error: unknown): Promise<boolean> => {
      if (!(isTransient(error) || isDisconnected(error)) || signal.aborted) return false;
      if (isMoved(error)) this.#connections.forget();
      if (hasCode(error, UNKNOWN_ID)) await this.#requireSameTopic();
      return true;
    };
    return retry(ask, { ...READ, passes, signal }).catch((error: unknown) => {
      const isWait = error instanceof Error && error.name === 'AbortError';
      throw isWait ? new StreamError('UNAVAILABLE', `${doing}: closed`, error) : toStreamError(doing, error);
    });
  }

  async #findTopicId(): Promise<string> {
    this.#topicId ??= await this.#connections.topicId(this.#options.topic);
    return this.#topicId;
  }

  async #fetch(offset: number, known: number | null): Promise<ReadBatch> {
    const { topic, partition, maxBytes, maxWaitMs = this.#isFirst ? 0 : MAX_WAIT_MS } = this.#options;
    const leader = await this.#connections.leader({ topic, partition });
    const currentLeaderEpoch = await this.#connections.leaderEpoch({ topic, partition });
    const topicId = await this.#findTopicId();
    const before = this.#read?.next === offset ? this.#read.epoch : known;
    const fetched = await fetchPartition(leader, {
      topicId,
      partition,
      offset,
      currentLeaderEpoch,
      ...(before === null ? {} : { lastFetchedEpoch: before }),
      maxWaitMs,
      maxBytes,
    });
    this.#isFirst = false;
    const { records, next, lastStableOffset, highWatermark, diverging } = fetched;
    if (diverging !== null) throw logTruncated({ topic, partition, offset }, diverging);
    const epoch = fetched.epoch ?? before;
    this.#read = epoch === null ? null : { next, epoch };
    return {
      records,
      next,
      end: lastStableOffset,
      written: highWatermark,
      epoch,
    };
  }

  /** A broker that has just started may not know the id yet; another id means another topic. */
  async #requireSameTopic(): Promise<void> {
    const { topic } = this.#options;
    const id = await this.#connections.topicId(topic).catch(() => this.#topicId);
    if (id !== this.#topicId) throw topicRecreated(topic);
  }
}
