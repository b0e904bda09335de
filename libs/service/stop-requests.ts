/** Requests to stop: the first stops gracefully, a second by force. Those within 250 ms are one, as launchers forward Ctrl-C. */
import { constants } from 'node:os';

/** Handlers of requests. `reason` is `SIGTERM`, `SIGINT`, `SIGHUP` or `parent gone`. */
type StopHandlers = { graceful(reason: string): void; force(exitCode: number): void };

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const SAME_REQUEST_MS = 250;
const PARENT_CHECK_MS = 500;

/**
 * Calls `graceful` once, and `force` on a later signal. The end of the parent counts: of its pipe (`TOUCHLINE_PARENT_PIPE=1`) or
 * IPC channel, and under npm another parent, as npm ends a shell without its child. Returns a function that removes the handlers.
 */
export function onStopRequest(handlers: StopHandlers): () => void {
  let firstAt: number | undefined;
  const request = (reason: string): boolean => {
    if (firstAt !== undefined) return false;
    firstAt = performance.now();
    handlers.graceful(reason);
    return true;
  };
  const onSignal = (signal: (typeof SIGNALS)[number]): void => {
    if (request(signal) || performance.now() - (firstAt ?? 0) < SAME_REQUEST_MS) return;
    handlers.force(128 + constants.signals[signal]);
  };
  const onParentGone = (): void => void request('parent gone');

  for (const signal of SIGNALS) process.on(signal, onSignal);
  const watchesPipe = process.env.TOUCHLINE_PARENT_PIPE === '1';
  if (watchesPipe) {
    for (const event of ['end', 'close', 'error']) process.stdin.on(event, onParentGone);
    process.stdin.resume();
    // The pipe must not keep a finished process alive.
    if ('unref' in process.stdin) process.stdin.unref();
  }
  process.on('disconnect', onParentGone);
  process.channel?.unref();
  const { ppid } = process;
  const watch =
    process.env.npm_execpath === undefined
      ? undefined
      : setInterval(() => process.ppid !== ppid && onParentGone(), PARENT_CHECK_MS).unref();

  return () => {
    clearInterval(watch);
    for (const signal of SIGNALS) process.off(signal, onSignal);
    process.off('disconnect', onParentGone);
    if (!watchesPipe) return;
    for (const event of ['end', 'close', 'error']) process.stdin.off(event, onParentGone);
    process.stdin.pause();
  };
}
