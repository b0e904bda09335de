import { StreamError, type StreamErrorCode } from '../errors.ts';

/**
 * Error types of kafkajs that mean a newer owner. It does not know PRODUCER_FENCED (90), which comes as an
 * unknown code; an aborted or timed-out transaction shows as an invalid mapping or state.
 */
const FENCED = new Set([
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
  'INVALID_TXN_STATE',
  'PRODUCER_FENCED',
  'UNKNOWN_PRODUCER_ID',
]);
const FENCED_TEXT = 'Unknown error code 90';
const UNAVAILABLE = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSGroupCoordinatorNotFound',
]);

type KafkaJsFailure = Error & { type?: string; cause?: unknown };

/** Maps what kafkajs threw to the runtime's errors, looking through its retry wrappers. */
export function toStreamError(doing: string, thrown: unknown): StreamError {
  const chain = causes(thrown);
  const message = chain.at(-1)?.message ?? String(thrown);
  return new StreamError(codeOf(chain), `${doing}: ${message}`, thrown);
}

function codeOf(chain: readonly KafkaJsFailure[]): StreamErrorCode {
  if (chain.some((error) => FENCED.has(error.type ?? '') || error.message.includes(FENCED_TEXT)))
    return 'FENCED';
  if (chain.some((error) => error.type === 'MESSAGE_TOO_LARGE')) return 'RECORD_TOO_LARGE';
  if (chain.some((error) => UNAVAILABLE.has(error.name))) return 'UNAVAILABLE';
  return 'REJECTED';
}

function causes(thrown: unknown): KafkaJsFailure[] {
  const chain: KafkaJsFailure[] = [];
  for (let at = thrown; at instanceof Error && !chain.includes(at); at = at.cause) chain.push(at);
  return chain;
}
