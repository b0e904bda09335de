/** The number of files and connections that the system lets a process open. */
import { readFileSync } from 'node:fs';
import { TouchlineError } from '#errors/touchline-error.ts';

/** The system lets this process open too few files. */
export class LimitError extends TouchlineError<'LimitError'> {
  override readonly name = 'LimitError';

  constructor(limit: number) {
    super(
      'TOO_FEW_FILES',
      `this process may open ${limit} files and connections, and needs ${NEEDED}: raise the limit (ulimit -n, LimitNOFILE of systemd, ` +
        'ulimits of Compose)',
    );
  }
}

/** What any service needs beside the connections of its clients: files of the runtime, brokers, the registry, views. */
const NEEDED = 128;

/**
 * Throws `LimitError` when this process may open fewer files than any service needs: without them it could neither reach a broker nor
 * say why. Systems without /proc are not checked. `limits`: the text of /proc/self/limits.
 */
export function requireOpenFiles(limits: string = readLimits()): void {
  const [, limit] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  if (limit !== undefined && Number(limit) < NEEDED) throw new LimitError(Number(limit));
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
