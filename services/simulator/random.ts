/** Random numbers that are the same for the same seed, on any machine. */
export type SeededRandom = {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  /** True in the share `rate` of all calls, 0 to 1. */
  chance(rate: number): boolean;
  /** How many, where `rate` is expected on average: its whole part, and one more as often as the rest says. */
  count(rate: number): number;
};

/** Numbers from 0 up to 1, the same for the same seed: 32 bits of state are plenty for choosing. */
export function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A stream of random numbers of its own for each list of parts, e.g. seed, event id and purpose. */
export function createRandom(...parts: readonly (string | number)[]): SeededRandom {
  const next = mulberry32(hash(parts.join('/')));
  const chance = (rate: number): boolean => next() < rate;
  return {
    next,
    int: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance,
    count: (rate) => Math.floor(rate) + (chance(rate % 1) ? 1 : 0),
  };
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value;
}
