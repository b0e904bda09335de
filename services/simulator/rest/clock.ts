import { playLength } from '../schedule.ts';

/** The provider's time. Never goes back. */
export type SimulatedClock = {
  /** Returns Unix seconds, with a fraction. */
  now(): number;
};

/** A stretch of play, Unix seconds. Between two stretches the clock jumps. */
export type Stretch = { readonly startsAt: number; readonly endsAt: number };

/** The clock of a provider that plays. */
export type PlayClock = SimulatedClock & {
  /** Starts the clock. Before that it shows the time of the first message. */
  start(): void;
  /** Publishes everything up to `played` seconds of play. Has an effect only on a clock of infinite speed. */
  reach(played: number): void;
};

/** Creates a clock that jumps between the stretches, at `speed`; an infinite one follows `reach`. `elapsed`: real seconds. */
export function playClock(
  stretches: readonly Stretch[],
  speed: number,
  elapsed: () => number = () => performance.now() / 1000,
): PlayClock {
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
    start() {
      startedAt ??= elapsed();
    },
    reach(to) {
      reached = Math.max(reached, Math.min(to, length));
      if (reached === length) endedAt ??= elapsed();
    },
    now: () => timeAfter(stretches, played()),
  };
}

/** Returns the time after so many seconds of play; between two stretches, the end of the first. */
function timeAfter(stretches: readonly Stretch[], played: number): number {
  let left = played;
  for (const [n, { startsAt, endsAt }] of stretches.entries()) {
    if (left <= endsAt - startsAt || n === stretches.length - 1) return startsAt + left;
    left -= endsAt - startsAt;
  }
  return left;
}
