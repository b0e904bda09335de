/** The number of files and connections that the system lets a process open. */
import { readFileSync } from 'node:fs';
import { TouchlineError } from '#errors/touchline-error.ts';

/** The system lets this process open too few files. */
class LimitError extends TouchlineError<'LimitError'> {
  override readonly name = 'LimitError';

  constructor(limit: number, needed: number, setting: string | null) {
    const lower = setting === null ? '' : `lower ${setting}, or `;
    super(
      'TOO_FEW_FILES',
      `this process may open ${limit} files and connections, and needs ${needed}: ${lower}raise the limit (ulimit -n, LimitNOFILE of ` +
        'systemd, ulimits of Compose)',
    );
  }
}

/** What any service needs beside the connections of its clients: files of the runtime, brokers, the registry, views. */
const OWN = 128;
/** The setting of a service with a limit on connections. */
const CONNECTIONS = 'WEBHOOK_MAX_CONNECTIONS';

/**
 * Throws `LimitError` when this process may open fewer files than it needs: without them it could neither reach a broker nor say why,
 * and a flood of connections below their limit would take the files of all else. Systems without /proc are not checked. `limits`:
 * the text of /proc/self/limits.
 */
export function requireOpenFiles(config: object = {}, limits: string = readLimits()): void {
  const [, limit] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  if (limit === undefined) return;
  const needed = OWN + (CONNECTIONS in config ? Number(config[CONNECTIONS]) : 0);
  if (Number(limit) < OWN) throw new LimitError(Number(limit), needed, null);
  if (Number(limit) < needed) throw new LimitError(Number(limit), needed, CONNECTIONS);
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
