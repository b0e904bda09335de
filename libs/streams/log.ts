/** The part of a pino logger that the runtime uses. */
export type Logger = {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** pino's method. A logger without it writes no debug line per message. */
  isLevelEnabled?(level: string): boolean;
};

/** The fields by which log lines of every service identify a message (docs/guides/operate.md). */
export type MessageFields = {
  /** The provider's id of the message; null for a record without a single cause. */
  readonly message_id?: string | null;
  readonly event_id?: number;
  /** Id of the delivery that contained the message. */
  readonly delivery_id?: string;
  /** Id of a webhook message. */
  readonly uuid?: string;
  readonly topic?: string;
  readonly partition?: number;
  readonly offset?: number;
};

/** Whether a debug line is written for each message. Callers build its fields only then. */
export function logsMessages(log: Logger): boolean {
  return log.isLevelEnabled?.('debug') === true;
}

const silent = (): void => {};

/** A logger that writes nothing: for commands that print a table and throw their errors. */
export const silentLogger: Logger = { debug: silent, info: silent, warn: silent, error: silent };
