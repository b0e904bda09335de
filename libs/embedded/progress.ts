import type { OnProgress } from './types.ts';

const QUIET_MS = 10_000;

/** The part of a writable stream that progress needs; a terminal says so with `isTTY`. */
export type ProgressStream = {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/**
 * Shows progress where a person looks: on a terminal one line that is written over, elsewhere (a log file) a line for
 * each step and for a long step one every ten seconds. Lines that share the text before the first colon are one step.
 */
export function showProgress(
  stream: ProgressStream,
  now: () => number = () => performance.now(),
): OnProgress {
  if (stream.isTTY)
    return (line) => void stream.write(`\r\u001b[2K${line.slice(0, (stream.columns ?? 80) - 1)}`);
  let step: string | undefined;
  let shownAt = 0;
  return (line) => {
    const current = line.split(':', 1)[0];
    if (current === step && now() - shownAt < QUIET_MS) return;
    step = current;
    shownAt = now();
    stream.write(`${line}\n`);
  };
}

/** Ends the line that `showProgress` has been writing over on a terminal. */
export function endProgress(stream: ProgressStream): void {
  if (stream.isTTY) stream.write('\r\u001b[2K');
}
