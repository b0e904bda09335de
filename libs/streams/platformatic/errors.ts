import { findErrorBy } from '@platformatic/kafka';
import { StreamError, type StreamErrorCode } from '../errors.ts';

const UNAVAILABLE = ['PLT_KFK_NETWORK', 'PLT_KFK_TIMEOUT'];
const TOO_LARGE = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'];
/** A newer owner of the transactional id, or a transaction that the broker has ended. */
const FENCED = [
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
  'INVALID_PRODUCER_ID_MAPPING',
  'INVALID_TXN_STATE',
  'UNKNOWN_PRODUCER_ID',
];
/** The previous transaction is still being completed, or a coordinator or leader is on its way. */
const PASSING = [
  'CONCURRENT_TRANSACTIONS',
  'COORDINATOR_LOAD_IN_PROGRESS',
  'COORDINATOR_NOT_AVAILABLE',
  'LEADER_NOT_AVAILABLE',
  'NOT_COORDINATOR',
  'NOT_LEADER_OR_FOLLOWER',
  'UNKNOWN_TOPIC_OR_PARTITION',
];

/** Maps what @platformatic/kafka threw to the errors of libs/streams. */
export function toStreamError(doing: string, thrown: unknown): StreamError {
  return new StreamError(codeOf(thrown), `${doing}: ${messageOf(thrown)}`, thrown);
}

/** True where the same request can be made again in a moment. */
export function isPassing(thrown: unknown): boolean {
  return has(thrown, 'apiId', PASSING);
}

/** True where the coordinator has to be looked for again. */
export function isMoved(thrown: unknown): boolean {
  return has(thrown, 'apiId', ['NOT_COORDINATOR']);
}

function codeOf(thrown: unknown): StreamErrorCode {
  if (has(thrown, 'apiId', FENCED)) return 'FENCED';
  if (has(thrown, 'apiId', TOO_LARGE)) return 'RECORD_TOO_LARGE';
  if (has(thrown, 'code', UNAVAILABLE)) return 'UNAVAILABLE';
  return 'REJECTED';
}

function has(thrown: unknown, property: string, values: readonly string[]): boolean {
  return values.some((value) => thrown instanceof Error && findErrorBy(thrown, property, value) !== null);
}

/** The last of several errors says most: the ones before it were retried. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return messageOf(thrown.errors.at(-1));
  return thrown instanceof Error ? thrown.message : String(thrown);
}
