import { withAdvice } from '#errors/shortages.ts';
import { backoffMs } from '#timing/backoff.ts';
import { machineClock } from '#timing/clock.ts';
import type { Controls } from './server.ts';

const RESTART = { firstMs: 500, ceilingMs: 10_000 };

/**
 * Starts a server again whenever it ends by itself, until `signal`. Calls `onProblem` with each end and each failed start, one
 * line.
 */
export async function supervise(
  name: string,
  server: Controls,
  { onProblem, signal }: { readonly onProblem: (line: string) => void; readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    await server.exited;
    if (signal.aborted) return;
    let text = await server.endText();
    for (let failures = 1; ; failures += 1) {
      const wait = backoffMs(RESTART, failures);
      onProblem(`${name} ${text}; starting it again in ${wait / 1000} s`);
      await machineClock.sleep(wait, signal);
      if (signal.aborted) return;
      try {
        await server.start(signal);
        break;
      } catch (error) {
        if (signal.aborted) return;
        text = `cannot be started (${withAdvice(error as Error)})`;
      }
    }
    // Stopped meanwhile, and the stop did not know the new process.
    if (signal.aborted) return await server.stop();
    onProblem(`${name} runs again`);
  }
}
