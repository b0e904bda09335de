/** Runs pending microtasks without a turn of the event loop, which `process.nextTick` would take. */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--allow-natives-syntax');

/**
 * Runs all microtasks, including those that they queue. Has no effect within a microtask. V8 offers no other way from JavaScript;
 * Node's `runMicrotasks` is in an internal module.
 */
export const runMicrotasks = new Function('%PerformMicrotaskCheckpoint()') as () => void;
