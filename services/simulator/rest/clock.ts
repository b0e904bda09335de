import { playLength, type Stretch } from '../schedule.ts';

/** The clock of a provider that plays. Never goes back. */
export type PlayClock = ReturnType<typeof playClock>;

/** Creates a clock that jumps between the stretches, at `speed`; an infinite one follows `reach`. `elapsed`: real seconds. */
export function playClock(
  stretches: readonly Stretch[],
  speed: number,
  elapsed: () => number = () => performance.now() / 1000,
) {
  const length = playLength(stretches);
  let startedAt: number | null = null;
  let reached = 0;
  let endedAt: number | null = null;
  const played = (): number => {
    if (startedAt === null) return 0;
    if (Number.isFinite(speed)) return (elapsed() - startedAt) * speed;
    return endedAt === null ? reached : length + elapsed() - endedAt;
  };
  return {
    /** Starts the clock. Before that it shows the time of the first message. */
    start(): void {
      startedAt ??= elapsed();
    },
    /** Publishes everything up to `to` seconds of play. Has an effect only on a clock of infinite speed. */
    reach(to: number): void {
      reached = Math.max(reached, Math.min(to, length));
      if (reached === length) endedAt ??= elapsed();
    },
    /** Returns Unix seconds, with a fraction; between two stretches, the end of the first. */
    now(): number {
      let left = played();
      for (const [n, { startsAt, endsAt }] of stretches.entries()) {
        if (left <= endsAt - startsAt || n === stretches.length - 1) return startsAt + left;
        left -= endsAt - startsAt;
      }
      return left;
    },
  };
}
