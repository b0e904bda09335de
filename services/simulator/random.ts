/** Returns a generator of numbers from 0 to 1, 1 excluded, the same for the same seed. Its state of 32 bits suffices here. */
export function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type SeededRandom = ReturnType<typeof createRandom>;

/** Creates a source of random numbers for a list of parts, e.g. seed, event id and purpose, the same on any machine. */
export function createRandom(...parts: readonly (string | number)[]) {
  const next = mulberry32(hash(parts.join('/')));
  const chance = (rate: number): boolean => next() < rate;
  return {
    /** Returns a whole number from `min` to `max`, both included. */
    int: (min: number, max: number): number => min + Math.floor(next() * (max - min + 1)),
    /** Returns true with the probability `rate`, 0 to 1. */
    chance,
    /** Returns a whole number whose expected value is `rate`: one of the two next to it. */
    count: (rate: number): number => Math.floor(rate) + (chance(rate % 1) ? 1 : 0),
  };
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value;
}
