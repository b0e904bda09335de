import { StreamError, type StreamErrorCode } from '../../errors.ts';

const UNAVAILABLE = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSGroupCoordinatorNotFound',
]);

/** Maps what kafkajs threw to the runtime's errors, looking through its retry wrappers. */
export function toStreamError(doing: string, thrown: unknown): StreamError {
  const chain = causes(thrown);
  const message = chain.at(-1)?.message ?? String(thrown);
  return new StreamError(codeOf(chain), `${doing}: ${message}`, thrown);
}

function codeOf(chain: readonly Error[]): StreamErrorCode {
  if (chain.some((error) => UNAVAILABLE.has(error.name))) return 'UNAVAILABLE';
  return 'REJECTED';
}

function causes(thrown: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = thrown; at instanceof Error && !chain.includes(at); at = at.cause) chain.push(at);
  return chain;
}
