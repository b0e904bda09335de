import { closeSync, openSync } from 'node:fs';
import { RAISE_FILES, shortageOf } from '#errors/shortages.ts';
import { defineError } from '#errors/touchline-error.ts';
import type { Logger } from './logger.ts';

class LimitError extends defineError('LimitError', 'TOO_FEW_FILES') {}

/** Interval between checks whether the process can open a file. */
const CHECK_MS = 3_000;
/** Successful checks after which descriptors count as free again: one alone may have met a connection that closed. */
const CALM_CHECKS = 2;

/** Logs once when this process can open no more files, and once when it can again. `canOpen`: whether it can now. */
export function watchOpenFiles(log: Pick<Logger, 'error' | 'info'>, canOpen = canOpenFile): void {
  let calm = CALM_CHECKS;
  setInterval(() => {
    const wasCalm = calm >= CALM_CHECKS;
    calm = canOpen() ? calm + 1 : 0;
    if (wasCalm && calm === 0) {
      const text = `no file or connection can be opened: ${RAISE_FILES}; the process continues once it can open some`;
      log.error({ err: new LimitError(text) }, text);
    }
    if (!wasCalm && calm === CALM_CHECKS) log.info('files and connections can be opened again');
  }, CHECK_MS).unref();
}

function canOpenFile(): boolean {
  try {
    closeSync(openSync(process.execPath, 'r'));
    return true;
  } catch (error) {
    return shortageOf(error) === null;
  }
}
