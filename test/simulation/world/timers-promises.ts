/** Stands for node:timers/promises. */
export { delay as setTimeout } from './timers.ts';
