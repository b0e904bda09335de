/** The part of a pino logger that the runtime uses. */
export type Logger = {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Of a pino logger; a logger without it writes no debug lines of single messages. */
  isLevelEnabled?(level: string): boolean;
};

/** Whether lines of single messages are written: build their fields only then. */
export function logsMessages(log: Logger): boolean {
  return log.isLevelEnabled?.('debug') === true;
}

const silent = (): void => {};

/** For readers that throw their errors: their log lines would disturb the table on the screen. */
export const quiet: Logger = { debug: silent, info: silent, warn: silent, error: silent };
