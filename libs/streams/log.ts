/** The part of a pino logger that the runtime uses. */
export type Logger = {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Of a pino logger; a logger without it writes no debug lines of single messages. */
  isLevelEnabled?(level: string): boolean;
};

/** The fields by which log lines and spans name a message, alike in every service (docs/guides/operate.md). */
export type MessageFields = {
  /** The provider's id of the message; null where a record has no single cause. */
  readonly message_id?: string | null;
  readonly event_id?: number;
  /** The delivery that it arrived in. */
  readonly delivery_id?: string;
  /** The id of a webhook message. */
  readonly uuid?: string;
  /** Name on the broker. */
  readonly topic?: string;
  readonly partition?: number;
  readonly offset?: number;
};

/** Whether lines of single messages are written: build their fields only then. */
export function logsMessages(log: Logger): boolean {
  return log.isLevelEnabled?.('debug') === true;
}
