import type { Logger } from '#streams/log.ts';

const silent = (): void => {};

/** For readers whose errors are thrown: what they log besides is of no use on a screen that shows a table. */
export const quiet: Logger = { debug: silent, info: silent, warn: silent, error: silent };
