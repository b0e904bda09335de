/** Replaces node:timers/promises. */
export { delay as setTimeout } from './timers.ts';
