import type { ServerResponse } from 'node:http';
import type { Caller } from './caller.ts';
import type { McpLimits } from './limits.ts';
import type { McpMetrics } from './metrics.ts';

type Stream = {
  readonly caller: Caller;
  readonly raw: ServerResponse;
  readonly openedAt: number;
  /** Whether its token is still valid. */
  readonly isLive: () => boolean;
  /** Time since which its reader reads nothing, Unix milliseconds; null while it reads. */
  stalledAt: number | null;
};

type StreamsOptions = {
  readonly limits: McpLimits;
  readonly metrics: McpMetrics;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** The open streams of a replica. Limits their number, their age, and how long a reader may stall. */
export class McpStreams {
  readonly #options: StreamsOptions;
  readonly #streams = new Set<Stream>();

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  /** Whether a token may open another stream. */
  admits({ tokenId }: Caller): boolean {
    const { maxStreams, maxStreamsPerToken } = this.#options.limits;
    if (this.#streams.size >= maxStreams) return false;
    let own = 0;
    for (const { caller } of this.#streams) if (caller.tokenId === tokenId) own += 1;
    return own < maxStreamsPerToken;
  }

  /** Counts a stream, and lets `sweep` check it, until its connection closes. */
  add(caller: Caller, raw: ServerResponse, isLive: () => boolean): void {
    const stream: Stream = { caller, raw, openedAt: this.#options.now(), isLive, stalledAt: null };
    this.#streams.add(stream);
    this.#count();
    raw.once('close', () => {
      this.#streams.delete(stream);
      this.#count();
    });
  }

  /** Ends streams whose token is no longer valid, whose reader stalls, or that reached the maximum age. */
  sweep(): void {
    const { limits, metrics, now } = this.#options;
    const at = now();
    for (const stream of this.#streams) {
      stream.stalledAt = stream.raw.writableNeedDrain ? (stream.stalledAt ?? at) : null;
      const reason = !stream.isLive()
        ? 'token'
        : stream.stalledAt !== null && at - stream.stalledAt >= limits.streamStallMs
          ? 'stalled'
          : at - stream.openedAt >= limits.streamMaxMs
            ? 'age'
            : null;
      if (reason === null) continue;
      metrics.ended.inc({ reason: `stream_${reason}` });
      // The writer stops once the connection is closed.
      stream.raw.destroy();
    }
  }

  #count(): void {
    this.#options.metrics.streams.set(this.#streams.size);
  }
}
