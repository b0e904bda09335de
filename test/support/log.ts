import type { Logger } from '#streams/log.ts';

const silent = (): void => {};

export const quietLog: Logger = { debug: silent, info: silent, warn: silent, error: silent };
