/** The part of a pino logger that the runtime uses. */
export type Logger = {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** pino's method. A logger without it writes no debug line per message. */
  isLevelEnabled?(level: string): boolean;
};

/** Whether a debug line is written for each message. Callers build its fields only then. */
export function logsMessages(log: Logger): boolean {
  return log.isLevelEnabled?.('debug') === true;
}

const silent = (): void => {};

/** A logger that writes nothing: for commands that print a table and throw their errors. */
export const silentLogger: Logger = { debug: silent, info: silent, warn: silent, error: silent };
