/** What goes between the thread that answers requests and those that work on their bodies. */
import type { PublishErrorCode } from '#streams/publish-error.ts';

/** What a worker is started with. */
export type WorkerSettings = {
  readonly brokers: readonly string[];
  readonly registryUrl: string;
  readonly prefix: string;
  /** Longest time until all of a delivery is acknowledged, in milliseconds. */
  readonly timeoutMs: number;
  readonly logLevel: string;
};

/** Deliveries that arrived in one turn of the event loop, their bodies one after the other. */
export type Deliveries = {
  /** Number of the first; the others follow. */
  readonly first: number;
  /** When each arrived, Unix milliseconds. */
  readonly receivedAt: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each body ends in `bytes`. */
  readonly ends: readonly number[];
};

/** To a worker; `stop`: finish what was given, then end. */
export type ToWorker = Deliveries | 'stop';

/** What has become of deliveries since the last report. */
export type Report = {
  /** Numbers of those that are on the topics as a whole. */
  readonly stored: readonly number[];
  readonly failed: readonly {
    readonly id: number;
    readonly code: PublishErrorCode | 'FAILED';
    readonly message: string;
  }[];
  /** Stored messages by type, "unknown" for those that nothing uses. */
  readonly messages: Readonly<Record<string, number>>;
  /** Stored dead letters by code. */
  readonly deadLetters: Readonly<Record<string, number>>;
  /** Whether the last records sent were acknowledged. */
  readonly healthy: boolean;
};

/** From a worker; `ready`: it can store deliveries from now on. */
export type FromWorker = 'ready' | Report;

/** Puts bodies into one buffer that can be handed to another thread without a copy. */
export function packBodies(bodies: readonly Buffer[]): Pick<Deliveries, 'bytes' | 'ends'> {
  // Not of the pool, which other buffers are in, and not filled with zeros first.
  const bytes = Buffer.allocUnsafeSlow(bodies.reduce((sum, body) => sum + body.length, 0));
  const ends: number[] = [];
  let end = 0;
  for (const body of bodies) {
    bytes.set(body, end);
    end += body.length;
    ends.push(end);
  }
  return { bytes, ends };
}

/** The bodies again, in order. */
export function unpackBodies({ bytes, ends }: Pick<Deliveries, 'bytes' | 'ends'>): Buffer[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return ends.map((end, index) => all.subarray(ends[index - 1] ?? 0, end));
}
