import type { Logger } from '#streams/log.ts';

const silent = (): void => {};

/** A log that says nothing; what matters to a test is asserted, not read. */
export const quietLog: Logger = { debug: silent, info: silent, warn: silent, error: silent };
