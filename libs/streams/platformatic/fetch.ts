/**
 * The fetch request of one partition (version 16: topics by id, and the new leader in the answer of a broker that is none
 * any more; brokers since 3.7 take it). The library's own parser decodes every record with its headers and big integers;
 * this one hands out the bytes, and `decodeBatches` makes views of them.
 */
import {
  type Connection,
  createAPI,
  FetchIsolationLevels,
  type Reader,
  ResponseError,
  Writer,
} from '@platformatic/kafka';
import { type AbortedTransaction, type DecodedBatches, decodeBatches } from './record-batches.ts';

export type PartitionFetch = {
  /** The id that the cluster gave the topic: one of the same name that was made later has another. */
  readonly topicId: string;
  readonly partition: number;
  readonly offset: number;
  /** How long the broker waits for `minBytes`. Shorter than the request timeout of the connection. */
  readonly maxWaitMs: number;
  readonly minBytes: number;
  /** The first batch is answered whole even where it is larger. */
  readonly maxBytes: number;
  readonly isolation: 'committed' | 'uncommitted';
};

/** Host and port are null where the broker named none. */
export type CurrentLeader = {
  readonly id: number;
  readonly epoch: number;
  readonly host: string | null;
  readonly port: number | null;
};

/** Offsets of the partition as of the answer. */
type PartitionState = {
  readonly highWatermark: number;
  /** The first offset of the oldest undecided transaction, else the high watermark. */
  readonly lastStableOffset: number;
  readonly logStartOffset: number;
  /** Named by a broker that does not lead the partition (any more). */
  readonly currentLeader: CurrentLeader | null;
};

export type Fetched = PartitionState & DecodedBatches;

type Answer = PartitionState & {
  readonly aborted: readonly AbortedTransaction[] | null;
  readonly bytes: Buffer;
};

const FETCH = { key: 1, version: 16 } as const;
const NO_SESSION = { id: 0, epoch: -1 } as const;
const ANY_EPOCH = -1;
const NO_EPOCH = -1;
const NO_LEADER = -1;
/** Only followers tell it. */
const NO_LOG_START = -1n;
const NO_RACK = '';
/** Tags of a partition and of the answer. */
const CURRENT_LEADER = 1;
const NODE_ENDPOINTS = 0;
const EMPTY = Buffer.alloc(0);

const fetchApi = createAPI<[PartitionFetch], Answer>(FETCH.key, FETCH.version, createRequest, parseResponse);

/**
 * Fetches from the leader of a partition. Rejects with the library's `ResponseError`, whose `response` has the
 * `currentLeader`, or `RecordBatchError`.
 */
export async function fetchPartition(connection: Connection, of: PartitionFetch): Promise<Fetched> {
  const { aborted, bytes, ...state } = await fetchApi.async(connection, of);
  return { ...state, ...decodeBatches(bytes, of.offset, of.isolation === 'committed' ? aborted : null) };
}

/** The body of the request. */
export function createRequest(of: PartitionFetch): Writer {
  return Writer.create()
    .appendInt32(of.maxWaitMs)
    .appendInt32(of.minBytes)
    .appendInt32(of.maxBytes)
    .appendInt8(
      of.isolation === 'committed'
        ? FetchIsolationLevels.READ_COMMITTED
        : FetchIsolationLevels.READ_UNCOMMITTED,
    )
    .appendInt32(NO_SESSION.id)
    .appendInt32(NO_SESSION.epoch)
    .appendArray([of], (topic) => {
      topic.appendUUID(of.topicId).appendArray([of], (partition) => {
        partition
          .appendInt32(of.partition)
          .appendInt32(ANY_EPOCH)
          .appendInt64(BigInt(of.offset))
          .appendInt32(NO_EPOCH)
          .appendInt64(NO_LOG_START)
          .appendInt32(of.maxBytes);
      });
    })
    .appendArray([], () => {})
    .appendString(NO_RACK)
    .appendTaggedFields();
}

/** Throws the library's `ResponseError`. */
export function parseResponse(
  _correlationId: number,
  apiKey: number,
  apiVersion: number,
  reader: Reader,
): Answer {
  reader.readInt32();
  const errors: Record<string, [number, null]> = {};
  const errorCode = reader.readInt16();
  if (errorCode !== 0) errors[''] = [errorCode, null];
  reader.readInt32();
  const answers = reader.readArray((topic) => {
    topic.readUUID();
    return topic.readArray(readPartition, true, false);
  });
  const partition = answers[0]?.[0];
  const endpoints = new Map<number, Endpoint>();
  readTags(reader, NODE_ENDPOINTS, () => {
    for (const [id, endpoint] of reader.readArray(readEndpoint)) endpoints.set(id, endpoint);
  });
  if (partition === undefined) {
    if (errorCode === 0) throw new Error('a fetch was answered without its partition');
    throw new ResponseError(apiKey, apiVersion, errors, { currentLeader: null });
  }
  const { leader, errorCode: partitionError, ...rest } = partition;
  if (partitionError !== 0) errors['/responses/0/partitions/0'] = [partitionError, null];
  const answer = {
    ...rest,
    currentLeader: leader && { ...leader, ...(endpoints.get(leader.id) ?? UNKNOWN) },
  };
  if (Object.keys(errors).length > 0) throw new ResponseError(apiKey, apiVersion, errors, answer);
  return answer;
}

type Endpoint = { readonly host: string | null; readonly port: number | null };

const UNKNOWN: Endpoint = { host: null, port: null };

type PartitionAnswer = Omit<Answer, 'currentLeader'> & {
  readonly errorCode: number;
  readonly leader: { readonly id: number; readonly epoch: number } | null;
};

function readPartition(reader: Reader): PartitionAnswer {
  reader.readInt32();
  const errorCode = reader.readInt16();
  const highWatermark = Number(reader.readInt64());
  const lastStableOffset = Number(reader.readInt64());
  const logStartOffset = Number(reader.readInt64());
  const aborted = reader.readNullableArray((one) => ({
    producerId: one.readInt64(),
    firstOffset: Number(one.readInt64()),
  }));
  // A replica that is nearer: not asked for, without a rack.
  reader.readInt32();
  // Joins the chunks of the socket in one copy, or is a view of the only one: a chunk is never written to again.
  const bytes = reader.readNullableBytes() ?? EMPTY;
  let leader: PartitionAnswer['leader'] = null;
  readTags(reader, CURRENT_LEADER, () => {
    const id = reader.readInt32();
    const epoch = reader.readInt32();
    leader = id === NO_LEADER ? null : { id, epoch };
  });
  return { errorCode, highWatermark, lastStableOffset, logStartOffset, aborted, bytes, leader };
}

function readEndpoint(reader: Reader): [number, Endpoint] {
  const id = reader.readInt32();
  const host = reader.readString();
  const port = reader.readInt32();
  reader.readNullableString();
  return [id, { host, port }];
}

/** Reads the tagged fields at the end of a structure, and skips all but the one wanted. */
function readTags(reader: Reader, wanted: number, read: () => void): void {
  for (let count = reader.readUnsignedVarInt(); count > 0; count -= 1) {
    const tag = reader.readUnsignedVarInt();
    const size = reader.readUnsignedVarInt();
    const end = reader.position + size;
    if (tag === wanted) read();
    reader.position = end;
  }
}
