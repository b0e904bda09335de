/** What a test and the thread with the simulated cluster say to each other. */

import type { MessagePort } from 'node:worker_threads';

/** What the thread is started with. */
export type ThreadOptions = {
  readonly seed: number;
  /** Answers to calls that the thread blocks for, and what it waits on: 1 once there is one. */
  readonly answers: MessagePort;
  readonly flag: Int32Array;
};

/** What a call that the thread blocks for has thrown; null where it returned. */
export type Thrown = { readonly code: string; readonly message: string } | null;

/** Calls a method, answers a callback, or both sides of neither. */
export type ToThread =
  | {
      readonly kind: 'call';
      readonly id: number;
      /** The object: the cluster, or what an earlier call opened as `opens`. */
      readonly target: 'cluster' | number;
      readonly method: string;
      readonly args: readonly unknown[];
      /** The number of the object that the call returns; null where it returns a value. */
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
      /** The thread blocks until the function has returned, and wants to know what it threw. */
      readonly isAwaited: boolean;
      /** Whom to answer with a value; null for nobody. */
      readonly call: number | null;
    };

/** A copy in which `replace` has replaced what it knows: it returns undefined for all else. */
export function mapped(value: unknown, replace: (value: unknown) => unknown): unknown {
  const replaced = replace(value);
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value)) return value.map((one) => mapped(one, replace));
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one, replace)]));
}

/** Bytes arrive as plain arrays of bytes. */
export function toBuffer(value: unknown): Buffer | undefined {
  return value instanceof Uint8Array ? Buffer.from(value) : undefined;
}
