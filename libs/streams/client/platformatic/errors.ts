import type { CodeOf } from '#errors/catalogue.ts';
import { StreamError } from '../../errors.ts';
import { type EpochEnd, partitionKey, type TopicPartition } from '../port.ts';

/** The library's codes for a failed connection and a request without a response. */
const DISCONNECTED_CODES = ['PLT_KFK_NETWORK', 'PLT_KFK_TIMEOUT'];
/** Our codes by the broker's error name. FENCED: a newer owner, or the broker has ended the transaction. */
const BY_NAME: Readonly<Record<string, CodeOf<'StreamError'>>> = {
  INVALID_PRODUCER_EPOCH: 'FENCED',
  PRODUCER_FENCED: 'FENCED',
  INVALID_PRODUCER_ID_MAPPING: 'FENCED',
  INVALID_TXN_STATE: 'FENCED',
  UNKNOWN_PRODUCER_ID: 'FENCED',
  MESSAGE_TOO_LARGE: 'RECORD_TOO_LARGE',
  RECORD_LIST_TOO_LARGE: 'RECORD_TOO_LARGE',
  OFFSET_OUT_OF_RANGE: 'OFFSET_OUT_OF_RANGE',
};
/** Codes by precedence, for a response with several errors. */
const PRECEDENCE = ['FENCED', 'RECORD_TOO_LARGE', 'OFFSET_OUT_OF_RANGE'] as const;
/** The coordinator or the leader is another broker now. */
const MOVED = [
  'NOT_COORDINATOR',
  'NOT_LEADER_OR_FOLLOWER',
  'LEADER_NOT_AVAILABLE',
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'REPLICA_NOT_AVAILABLE',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'UNKNOWN_TOPIC_ID',
  'INCONSISTENT_TOPIC_ID',
  'KAFKA_STORAGE_ERROR',
];
/** The previous transaction is being completed, a broker is loading, or a partition has too few replicas in sync. */
const BUSY = [
  'CONCURRENT_TRANSACTIONS',
  'COORDINATOR_LOAD_IN_PROGRESS',
  'COORDINATOR_NOT_AVAILABLE',
  'NOT_ENOUGH_REPLICAS',
  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
  'REQUEST_TIMED_OUT',
  'NETWORK_EXCEPTION',
  'OFFSET_NOT_AVAILABLE',
];
/** The broker did nothing for this partition, as it refused another one of the same request. */
const NOT_ATTEMPTED = 'OPERATION_NOT_ATTEMPTED';
const TRANSIENT = new Set([...MOVED, ...BUSY]);

export class NoLeaderError extends StreamError {
  constructor(of: TopicPartition) {
    super('UNAVAILABLE', `${partitionKey(of)} has no leader`);
  }
}

export function topicRecreated(topic: string): StreamError {
  return new StreamError('TOPIC_RECREATED', `${topic} was deleted and created again while it was read`);
}

/** Returns the error of a reader at `offset` whose log ends earlier in the leader epoch of the records before it. */
export function logTruncated(
  { topic, partition, offset }: TopicPartition & { readonly offset: number },
  { endOffset }: EpochEnd,
): StreamError {
  return new StreamError(
    'LOG_TRUNCATED',
    `${topic}-${partition} lost records from offset ${endOffset} on, which were read up to ${offset}`,
  );
}

/** Maps an error of @platformatic/kafka to a `StreamError`. The message has the number and the name of the broker's error. */
export function toStreamError(doing: string, thrown: unknown): StreamError {
  if (thrown instanceof StreamError) return thrown;
  const code = codeOf(thrown);
  const leaves = leavesOf(thrown);
  // Of several errors the last one decides: the earlier ones were retried.
  const decisive =
    leaves.findLast(({ apiId }) => BY_NAME[apiId ?? ''] === code) ??
    leaves.findLast(({ apiId }) => apiId !== NOT_ATTEMPTED);
  const { message, apiId, apiCode } = decisive ?? { message: String(thrown) };
  if (apiId === undefined || apiCode === undefined)
    return new StreamError(code, `${doing}: ${message}`, thrown);
  return new StreamError(code, `${doing}: ${message} (${apiId}, ${apiCode})`, thrown, apiId);
}

/** Whether the same request can be retried soon: all errors are transient, or a partition has no leader. */
export function isTransient(thrown: unknown): boolean {
  if (thrown instanceof NoLeaderError) return true;
  const codes = protocolCodes(thrown).filter((code) => code !== NOT_ATTEMPTED);
  return codes.length > 0 && codes.every((code) => TRANSIENT.has(code));
}

/** Whether the coordinator or the leader must be looked up again. */
export function isMoved(thrown: unknown): boolean {
  return hasCode(thrown, MOVED);
}

export function isDisconnected(thrown: unknown): boolean {
  return leavesOf(thrown).some(({ code }) => DISCONNECTED_CODES.includes(code ?? ''));
}

/** Whether a request whose outcome nobody needs can be sent again: the error is transient, or the connection failed. */
export function isRetryable(thrown: unknown): boolean {
  return isTransient(thrown) || isDisconnected(thrown);
}

/** Whether at least one error in the response is among `codes` (Kafka's error names). */
export function hasCode(thrown: unknown, codes: readonly string[]): boolean {
  return protocolCodes(thrown).some((code) => codes.includes(code));
}

/** Whether the response has errors, and all of them are among `codes` (Kafka's error names). */
export function hasOnly(thrown: unknown, codes: readonly string[]): boolean {
  const found = protocolCodes(thrown);
  return found.length > 0 && found.every((code) => codes.includes(code));
}

function codeOf(thrown: unknown): CodeOf<'StreamError'> {
  const named = new Set(protocolCodes(thrown).map((name) => BY_NAME[name]));
  const code = PRECEDENCE.find((one) => named.has(one));
  if (code !== undefined) return code;
  return isRetryable(thrown) ? 'UNAVAILABLE' : 'REJECTED';
}

type Leaf = {
  readonly message: string;
  readonly code?: string;
  /** Kafka's name and number of an error in the response. */
  readonly apiId?: string;
  readonly apiCode?: number;
};

function protocolCodes(thrown: unknown): string[] {
  return leavesOf(thrown).flatMap(({ apiId }) => (apiId === undefined ? [] : [apiId]));
}

/** Returns every single error in a thrown error: a request for several partitions has one for each. */
function leavesOf(thrown: unknown): Leaf[] {
  if (thrown instanceof AggregateError) return thrown.errors.flatMap(leavesOf);
  if (!(thrown instanceof Error)) return [];
  return [thrown as Leaf];
}
