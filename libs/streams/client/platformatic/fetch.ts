/**
 * The fetch request (version 16: topics by id; brokers since 3.7 support it). The library's own parser decodes every record with its
 * headers and big integers; this one returns the bytes, and `decodeBatches` makes views of them.
 */
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

/** The fetch position of one partition. */
export type FetchFrom = {
  /** The topic's id, set by the cluster at its creation: a later topic of the same name has another. */
  readonly topicId: string;
  readonly partition: number;
  readonly offset: number;
  /** As the metadata names it: a leader of another epoch refuses (KIP-320). Default: not compared. */
  readonly currentLeaderEpoch?: number;
  /** Of the last batch before `offset`: the leader answers `diverging` where its log differs. Default: not compared. */
  readonly lastFetchedEpoch?: number | undefined;
};

export type FetchOptions = {
  /** How long the broker waits for the first byte. Shorter than the request timeout of the connection. */
  readonly maxWaitMs: number;
  /**
   * Of the whole answer and of each partition, and again of all that is decompressed: the rest is fetched again. The first
   * batch is returned whole even where it is larger.
   */
  readonly maxBytes: number;
};

export type PartitionFetch = FetchFrom & FetchOptions;

/** Offsets of the partition as of the answer. */
type PartitionState = {
  readonly highWatermark: number;
  /** The first offset of the oldest undecided transaction, else the high watermark. */
  readonly lastStableOffset: number;
  /** Set where the log differs from what was read before the offset: then the answer has no records. */
  readonly diverging: EpochEnd | null;
};

export type Fetched = PartitionState & DecodedBatches;

type Answer = PartitionState & {
  readonly topicId: string;
  readonly partition: number;
  /** The broker's error for this partition; null without one. */
  readonly error: ResponseError | null;
  readonly aborted: readonly AbortedTransaction[] | null;
  readonly bytes: Buffer;
};

/** `answers` is empty where it is held back, for `throttleMs` (KIP-219). */
type Response = { readonly throttleMs: number; readonly answers: readonly Answer[] };

const FETCH = { key: 1, version: 16 } as const;
const NO_SESSION = { id: 0, epoch: -1 } as const;
const NOT_COMPARED = -1;
const MIN_BYTES = 1;
/** Only followers send it. */
const NO_LOG_START = -1n;
const NO_RACK = '';
/** The tag of a partition that is read; those of the new leader and its address are not: metadata is asked anew. */
const DIVERGING_EPOCH = 0;

const fetchApi = createAPI<[readonly FetchFrom[], FetchOptions], Response>(
  FETCH.key,
  FETCH.version,
  createRequest,
  parseResponse,
);

/** Fetches from the leader of a partition. Rejects with the library's `ResponseError`, or `RecordBatchError`. */
export async function fetchPartition(connection: Connection, of: PartitionFetch): Promise<Fetched> {
  const [answer] = await ask(connection, [of], of);
  if (answer === undefined) throw new Error('a fetch was answered without its partition');
  return decode(answer, of.offset, of.maxBytes);
}

/** A broker's answer for one of several partitions: `error` is the broker's, or a `RecordBatchError`. */
export type FetchedFrom = { readonly from: FetchFrom } & (
  | { readonly fetched: Fetched; readonly error: null }
  | { readonly fetched: null; readonly error: unknown }
);

/** Fetches several partitions from their leader, in the order of its answer. Rejects where the request is refused. */
export async function fetchPartitions(
  connection: Connection,
  partitions: readonly FetchFrom[],
  options: FetchOptions,
): Promise<FetchedFrom[]> {
  const answers = await ask(connection, partitions, options);
  let most = options.maxBytes;
  return answers.flatMap((answer): FetchedFrom[] => {
    const from = partitions.find(
      ({ topicId, partition }) => topicId === answer.topicId && partition === answer.partition,
    );
    if (from === undefined) return [];
    try {
      const fetched = decode(answer, from.offset, most);
      most -= fetched.inflated;
      return [{ from, fetched, error: null }];
    } catch (error) {
      return [{ from, fetched: null, error }];
    }
  });
}

/** A quota of the client on the broker holds an answer back, for as long as it says: then it is asked again. */
async function ask(connection: Connection, partitions: readonly FetchFrom[], options: FetchOptions) {
  for (;;) {
    const { throttleMs, answers } = await fetchApi.async(connection, partitions, options);
    if (answers.length > 0 || throttleMs === 0) return answers;
    await delay(throttleMs, undefined, { ref: false });
  }
}

function decode(answer: Answer, from: number, most: number): Fetched {
  const { topicId: _, partition: __, error, aborted, bytes, ...state } = answer;
  if (error !== null) throw error;
  return { ...state, ...decodeBatches(bytes, { from, aborted, most }) };
}

/** The body of the request. */
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

/** Throws the library's `ResponseError` where the broker refuses the whole request. */
export function parseResponse(
  _correlationId: number,
  apiKey: number,
  apiVersion: number,
  reader: Reader,
): Response {
  const throttleMs = reader.readInt32();
  const errorCode = reader.readInt16();
  reader.readInt32();
  const answers: Answer[] = [];
  reader.readArray((topic) => {
    const topicId = topic.readUUID();
    topic.readArray(
      () => {
        const { refused, ...answer } = readPartition(topic);
        const errors: Record<string, [number, null]> = { '/partition': [refused, null] };
        const error = refused === 0 ? null : new ResponseError(apiKey, apiVersion, errors, answer);
        answers.push({ ...answer, topicId, error });
      },
      true,
      false,
    );
  });
  readTags(reader, {});
  if (errorCode !== 0) throw new ResponseError(apiKey, apiVersion, { '': [errorCode, null] }, {});
  return { throttleMs, answers };
}

function readPartition(reader: Reader): Omit<Answer, 'topicId' | 'error'> & { readonly refused: number } {
  const partition = reader.readInt32();
  const refused = reader.readInt16();
  const highWatermark = Number(reader.readInt64());
  const lastStableOffset = Number(reader.readInt64());
  // The start of the log: bounds are asked for.
  reader.readInt64();
  const aborted = reader.readNullableArray((one) => ({
    producerId: one.readInt64(),
    firstOffset: Number(one.readInt64()),
  }));
  // A nearer replica: not requested, without a rack.
  reader.readInt32();
  // Joins the chunks of the socket in one copy, or is a view of the only one: chunks are never written to again.
  const bytes = reader.readNullableBytes() ?? Buffer.alloc(0);
  let diverging: EpochEnd | null = null;
  readTags(reader, {
    [DIVERGING_EPOCH]: () => {
      diverging = { epoch: reader.readInt32(), endOffset: Number(reader.readInt64()) };
    },
  });
  return { partition, refused, highWatermark, lastStableOffset, diverging, aborted, bytes };
}

/** Reads the tagged fields at the end of a structure, and skips all but those that `read` has. */
function readTags(reader: Reader, read: Readonly<Record<number, () => void>>): void {
  for (let count = reader.readUnsignedVarInt(); count > 0; count -= 1) {
    const tag = reader.readUnsignedVarInt();
    const size = reader.readUnsignedVarInt();
    const end = reader.position + size;
    read[tag]?.();
    reader.position = end;
  }
}
