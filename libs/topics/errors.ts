/** A value does not fit its topic's schema; `message` names topic and field, never the value. */
export class EncodeError extends Error {
  readonly code = 'ENCODE_FAILED';

  constructor(topic: string, problem: string, cause: unknown) {
    super(`${topic}: cannot encode: ${problem}`, { cause });
    this.name = 'EncodeError';
  }
}

/** Bytes that are not a record of their topic: no later attempt can read them. */
export class DecodeError extends Error {
  readonly code = 'DECODE_FAILED';

  constructor(topic: string, problem: string, cause?: unknown) {
    super(`${topic}: cannot decode: ${problem}`, { cause });
    this.name = 'DecodeError';
  }
}

/** The registry refuses a topic's schema: records of it could not be read with the one before, or it is not checked so. */
export class IncompatibleSchemaError extends Error {
  readonly code = 'SCHEMA_INCOMPATIBLE';
  readonly topic: string;

  constructor(topic: string, subject: string, reason: string, cause: unknown) {
    super(`${topic}: the registry refuses its schema under ${subject}: ${reason}`, { cause });
    this.name = 'IncompatibleSchemaError';
    this.topic = topic;
  }
}

/** The registry did not answer, or not with sense, until the time to wait for it was over. */
export class RegistryUnavailableError extends Error {
  readonly code = 'REGISTRY_UNAVAILABLE';

  constructor(url: string, reason: string, cause: unknown) {
    super(`the schema registry at ${url} cannot be used: ${reason}`, { cause });
    this.name = 'RegistryUnavailableError';
  }
}

/** A topic is there with another number of partitions than it must have: keys would not be where they are looked for. */
export class TopicMismatchError extends Error {
  readonly code = 'TOPIC_MISMATCH';

  constructor(problems: readonly string[]) {
    super(`topics on the broker are not as they must be: ${problems.join('; ')}`);
    this.name = 'TopicMismatchError';
  }
}

/** The broker cannot be reached, or does not let topics be made or looked at. */
export class TopicAdminError extends Error {
  readonly code = 'TOPIC_ADMIN_FAILED';

  constructor(brokers: readonly string[], cause: unknown) {
    super(`the broker at ${brokers.join(', ')}: ${reasonOf(cause)}`, { cause });
    this.name = 'TopicAdminError';
  }
}

/** kafkajs puts the errors of several topics into one that says nothing itself. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (!('errors' in cause && Array.isArray(cause.errors))) return cause.message;
  return [...new Set(cause.errors.map((error: Error) => error.message))].join('; ');
}
