/** The messages between a test and the thread with the simulated cluster. */

import type { MessagePort } from 'node:worker_threads';

/** The options of the thread. */
export type ThreadOptions = {
  readonly seed: number;
  /** Receives the results of calls that the thread blocks for. */
  readonly answers: MessagePort;
  /** The thread waits until its element is 1: then a result has arrived. */
  readonly flag: Int32Array;
};

/** The error of a call that the thread blocks for; null when it returned. */
export type Thrown = { readonly code: string; readonly message: string } | null;

/** A method call, or the result of a callback. */
export type ToThread =
  | {
      readonly kind: 'call';
      readonly id: number;
      /** The cluster, or the number of an object that an earlier call opened. */
      readonly target: 'cluster' | number;
      readonly method: string;
      readonly args: readonly unknown[];
      /** The number for the object that the call returns; null when it returns a value. */
      readonly opens: number | null;
    }
  | { readonly kind: 'answer'; readonly call: number; readonly value: unknown };

export type FromThread =
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly code: string; readonly message: string }
  | {
      readonly kind: 'callback';
      readonly callback: number;
      readonly args: readonly unknown[];
      /** Whether the thread blocks until the function has returned or thrown. */
      readonly isAwaited: boolean;
      /** The number to send the returned value with; null when the thread does not need it. */
      readonly call: number | null;
    };

/** Returns a copy with values replaced by `replace`, which returns undefined for values to copy. */
export function mapped(value: unknown, replace: (value: unknown) => unknown): unknown {
  const replaced = replace(value);
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value)) return value.map((one) => mapped(one, replace));
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one, replace)]));
}

/** Returns a Buffer for bytes, which arrive as a plain Uint8Array; undefined for other values. */
export function toBuffer(value: unknown): Buffer | undefined {
  return value instanceof Uint8Array ? Buffer.from(value) : undefined;
}
