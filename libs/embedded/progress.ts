/** Receives a line of progress, without a line end. */
export type OnProgress = (line: string) => void;

const QUIET_MS = 10_000;

/** The part of a writable stream that progress needs. `isTTY`: whether it is a terminal. */
type ProgressStream = {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/**
 * Returns a function that shows progress: on a terminal it rewrites one line; elsewhere, such as in a log file, it writes a
 * line for each step and every ten seconds of a long step. Lines with the same text before the first colon are one step.
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

/** Clears the line that `showProgress` rewrites on a terminal. */
export function endProgress(stream: ProgressStream): void {
  if (stream.isTTY) stream.write('\r\u001b[2K');
}
