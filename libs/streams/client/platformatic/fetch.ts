/** The fetch request (version 16, brokers since 3.7). The library's parser decodes every record; this returns views of the bytes. */
import { setTimeout as delay } from 'node:timers/promises';
import type { EpochEnd } from '../port.ts';
import {
  type Connection,
  createAPI,
  FetchIsolationLevels,
  type Reader,
  ResponseError,
  Writer,
} from './library.ts';
import { type AbortedTransaction, type DecodedBatches, decodeBatches } from './record-batches.ts';

type FetchFrom = {
  /** Set by the cluster when the topic is created; a later topic with the same name has another id. */
  readonly topicId: string;
  readonly partition: number;
  readonly offset: number;
  /** Leader epoch of the metadata. A leader in another epoch refuses the request (KIP-320). Default: not compared. */
  readonly currentLeaderEpoch?: number | undefined;
  /** Leader epoch of the last batch before `offset`. The leader sets `diverging` when its log differs. Default: not compared. */
  readonly lastFetchedEpoch?: number | undefined;
};

type FetchOptions = {
  /** How long the broker may wait for the first record, milliseconds. Must be below the request timeout of the connection. */
  readonly maxWaitMs: number;
  /** Maximum bytes of the response, of each partition and of its decompressed records; the first batch is returned whole. */
  readonly maxBytes: number;
};

export type PartitionFetch = FetchFrom & FetchOptions;

type PartitionState = {
  readonly highWatermark: number;
  /** First offset of the oldest open transaction, else the high watermark. */
  readonly lastStableOffset: number;
  /** Set when the log differs from the records read before the offset; then there are no records. Null otherwise. */
  readonly diverging: EpochEnd | null;
};

export type Fetched = PartitionState & DecodedBatches;

type PartitionResponse = PartitionState & {
  readonly topicId: string;
  readonly partition: number;
  /** The broker's error for this partition; null without one. */
  readonly error: ResponseError | null;
  readonly aborted: readonly AbortedTransaction[] | null;
  readonly bytes: Buffer;
};

/** `partitions` is empty when a quota throttles the client for `throttleMs` (KIP-219). */
type FetchResponse = { readonly throttleMs: number; readonly partitions: readonly PartitionResponse[] };

const FETCH = { key: 1, version: 16 } as const;
const NO_SESSION = { id: 0, epoch: -1 } as const;
const NOT_COMPARED = -1;
const MIN_BYTES = 1;
/** Set by followers only. */
const NO_LOG_START = -1n;
const NO_RACK = '';
/** Tag of a partition's diverging epoch. Tags of a new leader are ignored: it is looked up by metadata. */
const DIVERGING_EPOCH = 0;

const fetchApi = createAPI<[readonly FetchFrom[], FetchOptions], FetchResponse>(
  FETCH.key,
  FETCH.version,
  createRequest,
  parseResponse,
);

/** Fetches one partition from its leader. Rejects with the library's `ResponseError`, or `RecordBatchError`. */
export async function fetchPartition(connection: Connection, of: PartitionFetch): Promise<Fetched> {
  const [found] = await fetchPartitions(connection, [of], of);
  if (found === undefined) throw new Error('a fetch response lacks the requested partition');
  if (found.fetched === null) throw found.error;
  return found.fetched;
}

/** The result for one of several partitions. `error`: why there is none, the broker's or a `RecordBatchError`. */
export type FetchedFrom<F extends FetchFrom> = {
  readonly from: F;
  readonly fetched: Fetched | null;
  readonly error?: unknown;
};

/** Fetches several partitions from their leader, in the order of the response. Rejects when the whole request is refused. */
export async function fetchPartitions<F extends FetchFrom>(
  connection: Connection,
  partitions: readonly F[],
  options: FetchOptions,
): Promise<FetchedFrom<F>[]> {
  const responses = await requestUnthrottled(connection, partitions, options);
  let maxInflated = options.maxBytes;
  return responses.flatMap(({ topicId, partition, error, aborted, bytes, ...state }): FetchedFrom<F>[] => {
    const from = partitions.find((one) => one.topicId === topicId && one.partition === partition);
    if (from === undefined) return [];
    try {
      if (error !== null) throw error;
      const decoded = decodeBatches(bytes, { from: from.offset, aborted, maxInflated });
      maxInflated -= decoded.inflated;
      return [{ from, fetched: { ...state, ...decoded } }];
    } catch (cause) {
      return [{ from, fetched: null, error: cause }];
    }
  });
}

/** Sends the request; while a quota throttles the client, waits as long as the broker says and sends it again. */
async function requestUnthrottled(
  connection: Connection,
  partitions: readonly FetchFrom[],
  options: FetchOptions,
): Promise<readonly PartitionResponse[]> {
  for (;;) {
    const response = await fetchApi.async(connection, partitions, options);
    if (response.partitions.length > 0 || response.throttleMs === 0) return response.partitions;
    await delay(response.throttleMs, undefined, { ref: false });
  }
}

/** Writes the body of the request. */
export function createRequest(partitions: readonly FetchFrom[], options: FetchOptions): Writer {
  const topics = Map.groupBy(partitions, ({ topicId }) => topicId);
  return Writer.create()
    .appendInt32(options.maxWaitMs)
    .appendInt32(MIN_BYTES)
    .appendInt32(options.maxBytes)
    .appendInt8(FetchIsolationLevels.READ_COMMITTED)
    .appendInt32(NO_SESSION.id)
    .appendInt32(NO_SESSION.epoch)
    .appendArray([...topics], (topic, [topicId, ofTopic]) => {
      topic.appendUUID(topicId).appendArray(ofTopic, (one, from) => {
        one
          .appendInt32(from.partition)
          .appendInt32(from.currentLeaderEpoch ?? NOT_COMPARED)
          .appendInt64(BigInt(from.offset))
          .appendInt32(from.lastFetchedEpoch ?? NOT_COMPARED)
          .appendInt64(NO_LOG_START)
          .appendInt32(options.maxBytes);
      });
    })
    .appendArray([], () => {})
    .appendString(NO_RACK)
    .appendTaggedFields();
}

/** Throws the library's `ResponseError` when the broker refuses the whole request. */
export function parseResponse(
  _correlationId: number,
  apiKey: number,
  apiVersion: number,
  reader: Reader,
): FetchResponse {
  const throttleMs = reader.readInt32();
  const errorCode = reader.readInt16();
  reader.readInt32();
  const partitions: PartitionResponse[] = [];
  reader.readArray((topic) => {
    const topicId = topic.readUUID();
    topic.readArray(
      () => {
        const { errorCode: code, ...partition } = readPartition(topic);
        const errors: Record<string, [number, null]> = { '/partition': [code, null] };
        const error = code === 0 ? null : new ResponseError(apiKey, apiVersion, errors, partition);
        partitions.push({ ...partition, topicId, error });
      },
      true,
      false,
    );
  });
  readTags(reader, {});
  if (errorCode !== 0) throw new ResponseError(apiKey, apiVersion, { '': [errorCode, null] }, {});
  return { throttleMs, partitions };
}

function readPartition(
  reader: Reader,
): Omit<PartitionResponse, 'topicId' | 'error'> & { readonly errorCode: number } {
  const partition = reader.readInt32();
  const errorCode = reader.readInt16();
  const highWatermark = Number(reader.readInt64());
  const lastStableOffset = Number(reader.readInt64());
  // Skips the start of the log.
  reader.readInt64();
  const aborted = reader.readNullableArray((one) => ({
    producerId: one.readInt64(),
    firstOffset: Number(one.readInt64()),
  }));
  // Skips the preferred replica.
  reader.readInt32();
  // A copy when the response came in several chunks, else a view of the only chunk, which is never written to again.
  const bytes = reader.readNullableBytes() ?? Buffer.alloc(0);
  let diverging: EpochEnd | null = null;
  readTags(reader, {
    [DIVERGING_EPOCH]: () => {
      diverging = { epoch: reader.readInt32(), endOffset: Number(reader.readInt64()) };
    },
  });
  return { partition, errorCode, highWatermark, lastStableOffset, diverging, aborted, bytes };
}

function readTags(reader: Reader, read: Readonly<Record<number, () => void>>): void {
  for (let count = reader.readUnsignedVarInt(); count > 0; count -= 1) {
    const tag = reader.readUnsignedVarInt();
    const size = reader.readUnsignedVarInt();
    const end = reader.position + size;
    read[tag]?.();
    reader.position = end;
  }
}
