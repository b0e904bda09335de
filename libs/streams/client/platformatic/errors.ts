import type { CodeOf } from '#errors/catalogue.ts';
import { StreamError } from '../../errors.ts';
import { type EpochEnd, partitionKey, type TopicPartition } from '../port.ts';

const UNAVAILABLE = ['PLT_KFK_NETWORK', 'PLT_KFK_TIMEOUT'];
/** Errors of brokers with a code of their own here, by name. FENCED: a newer owner has the transactional id, or the broker has ended the transaction. */
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
/** Which of several decides. */
const CODES = ['FENCED', 'RECORD_TOO_LARGE', 'OFFSET_OUT_OF_RANGE'] as const;
/** Another broker is the coordinator or the leader now. */
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
/** The broker did nothing for this partition since it refused another one of the request. */
const NOT_ATTEMPTED = 'OPERATION_NOT_ATTEMPTED';
const TRANSIENT = new Set([...MOVED, ...BUSY]);

/** The partition is between two leaders. */
export class NoLeaderError extends StreamError {
  constructor(of: TopicPartition) {
    super('UNAVAILABLE', `${partitionKey(of)} has no leader`);
  }
}

/** A later topic of the same name is not the one that was read. */
export function topicRecreated(topic: string): StreamError {
  return new StreamError('TOPIC_RECREATED', `${topic} was deleted and created again while it was read`);
}

/** The log does not have what was read before an offset: it ends earlier for the leader epoch of that. */
export function logTruncated(
  { topic, partition, offset }: TopicPartition & { readonly offset: number },
  { endOffset }: EpochEnd,
): StreamError {
  return new StreamError(
    'LOG_TRUNCATED',
    `${topic}-${partition} lost records from offset ${endOffset} on, which were read up to ${offset}`,
  );
}

/** Maps what @platformatic/kafka threw to the errors of libs/streams. The message has the broker's own code and its name. */
export function toStreamError(doing: string, thrown: unknown): StreamError {
  if (thrown instanceof StreamError) return thrown;
  const code = codeOf(thrown);
  const leaves = leavesOf(thrown);
  // The last of several errors says most: the earlier ones were retried.
  const decisive =
    leaves.findLast(({ apiId }) => BY_NAME[apiId ?? ''] === code) ??
    leaves.findLast(({ apiId }) => apiId !== NOT_ATTEMPTED);
  const { message, apiId, apiCode } = decisive ?? { message: String(thrown) };
  if (apiId === undefined || apiCode === undefined)
    return new StreamError(code, `${doing}: ${message}`, thrown);
  return new StreamError(code, `${doing}: ${message} (${apiId}, ${apiCode})`, thrown, apiId);
}

/**
 * Whether the same request can be retried in a moment: all errors in the broker's answer are transient, or a partition
 * is between two leaders. A fatal error of one partition beside a transient one of another is fatal; partitions that were
 * not attempted say nothing.
 */
export function isTransient(thrown: unknown): boolean {
  if (thrown instanceof NoLeaderError) return true;
  const codes = protocolCodes(thrown).filter((code) => code !== NOT_ATTEMPTED);
  return codes.length > 0 && codes.every((code) => TRANSIENT.has(code));
}

/** Whether the coordinator or the leader must be looked up again. */
export function isMoved(thrown: unknown): boolean {
  return hasCode(thrown, MOVED);
}

/** Whether the connection failed, or the answer did not come in time. */
export function isDisconnected(thrown: unknown): boolean {
  return leavesOf(thrown).some(({ code }) => UNAVAILABLE.includes(code ?? ''));
}

/** Whether one of the broker's answers is among `codes`, by their names in the protocol. */
export function hasCode(thrown: unknown, codes: readonly string[]): boolean {
  return protocolCodes(thrown).some((code) => codes.includes(code));
}

/** Whether all of the broker's answers are among `codes`, by their names in the protocol, and there is one at least. */
export function hasOnly(thrown: unknown, codes: readonly string[]): boolean {
  const found = protocolCodes(thrown);
  return found.length > 0 && found.every((code) => codes.includes(code));
}

function codeOf(thrown: unknown): CodeOf<'StreamError'> {
  const named = new Set(protocolCodes(thrown).map((name) => BY_NAME[name]));
  const code = CODES.find((one) => named.has(one));
  if (code !== undefined) return code;
  return isDisconnected(thrown) || isTransient(thrown) ? 'UNAVAILABLE' : 'REJECTED';
}

type Leaf = {
  readonly message: string;
  readonly code?: string;
  /** The name and the number of an error in the broker's answer. */
  readonly apiId?: string;
  readonly apiCode?: number;
};

function protocolCodes(thrown: unknown): string[] {
  return leavesOf(thrown).flatMap(({ apiId }) => (apiId === undefined ? [] : [apiId]));
}

/** Every single error in a thrown error: a request for several partitions has one for each. */
function leavesOf(thrown: unknown): Leaf[] {
  if (thrown instanceof AggregateError) return thrown.errors.flatMap(leavesOf);
  if (!(thrown instanceof Error)) return [];
  return [thrown as Leaf];
}
