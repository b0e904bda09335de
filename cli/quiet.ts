import type { Logger } from '#streams/log.ts';

const silent = (): void => {};

/** For readers that throw their errors: their log lines would disturb the table on the screen. */
export const quiet: Logger = { debug: silent, info: silent, warn: silent, error: silent };
