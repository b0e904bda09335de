/** Returns the rounds of a random test: a quarter of them, or all before a release (`npm run test:release`). */
export function rounds(all: number): number {
  return process.env.ROUNDS === 'full' ? all : Math.ceil(all / 4);
}
