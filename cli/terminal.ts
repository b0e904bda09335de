/** Lines of output of a command, and requests to stop. */
import { once } from 'node:events';
import { onStopRequest } from '#service/stop-requests.ts';

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Writes a line to standard output, and waits while its reader is slower. */
export async function printLineAndDrain(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

/** Runs work until its end or a request to stop, which aborts `signal`. A second request ends the process. */
export async function untilStopped<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const removeHandlers = onStopRequest({ graceful: () => stop.abort(), force: (code) => process.exit(code) });
  try {
    return await work(stop.signal);
  } finally {
    stop.abort();
    removeHandlers();
  }
}

/**
 * Handles requests to stop a platform: until `hasStarted` is set, they end this process with `exitCode`, and with it a platform
 * that is still starting; later they call `onStop` and abort `signal`. A second request ends the process.
 */
export function platformStopRequests(exitCode: number, onStop: (reason: string) => void = () => {}) {
  const stopping = new AbortController();
  const requests = { signal: stopping.signal, hasStarted: false };
  onStopRequest({
    graceful: (reason) => {
      if (!requests.hasStarted) process.exit(exitCode);
      onStop(reason);
      stopping.abort();
    },
    force: (code) => process.exit(code),
  });
  return requests;
}
