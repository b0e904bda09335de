import { closeSync, openSync, readFileSync } from 'node:fs';
import type { CodeOf } from '#errors/catalogue.ts';
import { RAISE_FILES, shortageOf } from '#errors/shortages.ts';
import { defineError } from '#errors/touchline-error.ts';
import type { Logger } from './logger.ts';

class LimitError extends defineError('LimitError') {
  constructor(limit: number, needed: number, setting: string | null) {
    const lower = setting === null ? '' : `lower ${setting}, or `;
    super(
      'TOO_FEW_FILES',
      `this process may open ${limit} files and connections, and needs ${needed}: ${lower}${RAISE_FILES}`,
    );
  }
}

/** Interval between checks whether the process can open a file. */
const CHECK_MS = 3_000;
/** Successful checks after which descriptors count as free again: one alone may have met a connection that closed. */
const CALM_CHECKS = 2;

/** What any service needs beside the connections of its clients: files of the runtime, brokers, the registry, views. */
const OWN = 128;
/** The setting of a service with a limit on connections. */
const CONNECTIONS = 'WEBHOOK_MAX_CONNECTIONS';

/** Throws `LimitError` when this process may open fewer files than it needs. `limits`: the text of /proc/self/limits. */
export function requireOpenFiles(config: object = {}, limits: string = readLimits()): void {
  const [, limit] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  if (limit === undefined) return;
  const needed = OWN + (CONNECTIONS in config ? Number(config[CONNECTIONS]) : 0);
  if (Number(limit) < OWN) throw new LimitError(Number(limit), needed, null);
  if (Number(limit) < needed) throw new LimitError(Number(limit), needed, CONNECTIONS);
}

/** Logs once when this process can open no more files, and once when it can again. `canOpen`: whether it can now. */
export function watchOpenFiles(log: Pick<Logger, 'error' | 'info'>, canOpen = canOpenFile): void {
  let calm = CALM_CHECKS;
  setInterval(() => {
    const wasCalm = calm >= CALM_CHECKS;
    calm = canOpen() ? calm + 1 : 0;
    if (wasCalm && calm === 0)
      log.error(
        { code: 'TOO_FEW_FILES' satisfies CodeOf<'LimitError'> },
        `no file or connection can be opened: ${RAISE_FILES}; the process continues once it can open some`,
      );
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

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
