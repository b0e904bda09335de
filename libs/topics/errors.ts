import type { CodeOf } from '#errors/catalogue.ts';
import { defineError, PoisonError } from '#errors/touchline-error.ts';
import { type Brokers, shownBrokers } from '#security/brokers.ts';
import type { TopicName } from './topics.ts';

/** Thrown when a value does not fit its topic's schema. The message names topic and field, never the value. */
export class EncodeError extends defineError(
  'EncodeError',
  (topic: string, problem: string, cause: unknown) => [
    'ENCODE_FAILED',
    `${topic}: cannot encode: ${problem}`,
    cause,
  ],
) {}

/** Thrown for bytes that are not a record of their topic; never retryable. */
export class DecodeError extends defineError('DecodeError') {
  readonly problem: string;

  constructor(
    topic: string,
    problem: string,
    cause?: unknown,
    code: CodeOf<'DecodeError'> = 'DECODE_FAILED',
  ) {
    super(code, `${topic}: cannot decode: ${problem}`, cause);
    this.problem = problem;
  }
}

/** Whether the registry lacks the schema of a record, or has another one under its id: then no record with it can be read. */
export function isOfSchema(error: unknown): boolean {
  return error instanceof DecodeError && error.code === 'SCHEMA_UNKNOWN';
}

/** Thrown when the registry rejects a topic's schema as not backward compatible, or does not check its subject for that. */
export class IncompatibleSchemaError extends defineError(
  'IncompatibleSchemaError',
  (topic: string, subject: string, reason: string, cause?: unknown) => [
    'SCHEMA_INCOMPATIBLE',
    `${topic}: the registry refuses its schema under ${subject}: ${reason}`,
    cause,
  ],
) {}

/** Thrown when the registry gave no valid answer before the deadline, or refuses the credentials or certificates. */
export class RegistryUnavailableError extends defineError(
  'RegistryUnavailableError',
  (code: CodeOf<'RegistryUnavailableError'>, url: string, reason: string, cause: unknown) => [
    code,
    `the schema registry at ${url} cannot be used: ${reason}`,
    cause,
  ],
) {}

/** Thrown when topics are not as they must be: a record would be misplaced or lost, or some already are. */
export class TopicMismatchError extends defineError(
  'TopicMismatchError',
  (problems: readonly string[], code: CodeOf<'TopicMismatchError'> = 'TOPIC_MISMATCH') => [
    code,
    `topics on the broker are not as they must be: ${problems.join('; ')}`,
  ],
) {}

/** Thrown when a service lacks rights or topics on the broker. The message names all of them. */
export class ServiceRightsError extends defineError('ServiceRightsError') {}

/** Thrown when the broker is unreachable, or refuses a request about topics or groups. */
export class TopicAdminError extends defineError('TopicAdminError', (brokers: Brokers, cause: unknown) => [
  'TOPIC_ADMIN_FAILED',
  `the broker at ${shownBrokers(brokers)}: ${reasonOf(cause)}`,
  cause,
]) {}

/** Returns the message of an error. The client wraps errors of several topics in one whose own message is empty. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (!('errors' in cause && Array.isArray(cause.errors))) return cause.message;
  return [...new Set(cause.errors.map((error: Error) => error.message))].join('; ');
}

/** A record of a match or table of which a later version is known. */
type DeniedRecord = { readonly version: number } & (
  | { readonly event_id: number }
  | { readonly standings_id: number }
);

/** Returns what is said of a record whose match or table had the version `known` before. */
export function wentBackText(topic: TopicName, known: number, record: DeniedRecord): string {
  const of = 'event_id' in record ? `event ${record.event_id}` : `table ${record.standings_id}`;
  return (
    `${of} has version ${record.version} on ${topic} after version ${known}: its state was lost in between, or another ` +
    'program writes to the topic'
  );
}

/** Returns the refusal of such a record by a processor. */
export function versionWentBack(topic: TopicName, known: number, record: DeniedRecord): PoisonError {
  return new PoisonError('VERSION_WENT_BACK', wentBackText(topic, known, record));
}
