import { onStopRequest } from '#service/stop-requests.ts';

/** Runs work whose signal a request to stop aborts, and its own end; a later request ends the process. */
export async function untilStopped<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const done = onStopRequest({ graceful: () => stop.abort(), force: (code) => process.exit(code) });
  try {
    return await work(stop.signal);
  } finally {
    stop.abort();
    done();
  }
}
