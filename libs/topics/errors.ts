import { TouchlineError } from '#errors/touchline-error.ts';

/** A value does not fit its topic's schema; `message` names topic and field, never the value. */
export class EncodeError extends TouchlineError<'EncodeError'> {
  override readonly name = 'EncodeError';

  constructor(topic: string, problem: string, cause: unknown) {
    super('ENCODE_FAILED', `${topic}: cannot encode: ${problem}`, cause);
  }
}

/** Bytes that are not a record of their topic: no later attempt can read them. */
export class DecodeError extends TouchlineError<'DecodeError'> {
  override readonly name = 'DecodeError';

  constructor(topic: string, problem: string, cause?: unknown) {
    super('DECODE_FAILED', `${topic}: cannot decode: ${problem}`, cause);
  }
}

/** The registry refuses a topic's schema: records of it could not be read with the one before, or it is not checked so. */
export class IncompatibleSchemaError extends TouchlineError<'IncompatibleSchemaError'> {
  override readonly name = 'IncompatibleSchemaError';
  readonly topic: string;

  constructor(topic: string, subject: string, reason: string, cause: unknown) {
    super(
      'SCHEMA_INCOMPATIBLE',
      `${topic}: the registry refuses its schema under ${subject}: ${reason}`,
      cause,
    );
    this.topic = topic;
  }
}

/** The registry did not answer, or not with sense, until the time to wait for it was over. */
export class RegistryUnavailableError extends TouchlineError<'RegistryUnavailableError'> {
  override readonly name = 'RegistryUnavailableError';

  constructor(url: string, reason: string, cause: unknown) {
    super('REGISTRY_UNAVAILABLE', `the schema registry at ${url} cannot be used: ${reason}`, cause);
  }
}

/** A topic is there with another number of partitions than it must have: keys would not be where they are looked for. */
export class TopicMismatchError extends TouchlineError<'TopicMismatchError'> {
  override readonly name = 'TopicMismatchError';

  constructor(problems: readonly string[]) {
    super('TOPIC_MISMATCH', `topics on the broker are not as they must be: ${problems.join('; ')}`);
  }
}

/** The broker cannot be reached, or does not let topics be made or looked at. */
export class TopicAdminError extends TouchlineError<'TopicAdminError'> {
  override readonly name = 'TopicAdminError';

  constructor(brokers: readonly string[], cause: unknown) {
    super('TOPIC_ADMIN_FAILED', `the broker at ${brokers.join(', ')}: ${reasonOf(cause)}`, cause);
  }
}

/** kafkajs puts the errors of several topics into one that says nothing itself. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (!('errors' in cause && Array.isArray(cause.errors))) return cause.message;
  return [...new Set(cause.errors.map((error: Error) => error.message))].join('; ');
}
