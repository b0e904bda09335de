/** Runs everything that waits for settled promises, without the turn of the event loop that `process.nextTick` takes. */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--allow-natives-syntax');

/**
 * Runs all microtasks, however many follow each other. To call outside of every microtask: within one it does nothing.
 * V8 has no other way from JavaScript; Node's own would be `runMicrotasks` of an internal module.
 */
export const runMicrotasks = new Function('%PerformMicrotaskCheckpoint()') as () => void;
