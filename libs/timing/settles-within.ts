import { type MachineClock, machineClock } from './clock.ts';

/** True where `work` resolves in time, false where the time is up first, milliseconds. Rejects as it does. */
export async function settlesWithin(
  work: Promise<unknown>,
  ms: number,
  clock: Pick<MachineClock, 'sleep'> = machineClock,
): Promise<boolean> {
  const settled = new AbortController();
  const timeUp = clock.sleep(ms, settled.signal).then(() => false);
  try {
    return await Promise.race([work.then(() => true), timeUp]);
  } finally {
    settled.abort();
  }
}
