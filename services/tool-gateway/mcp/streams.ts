import type { ServerResponse } from 'node:http';
import type { Caller } from './caller.ts';
import type { McpLimits } from './limits.ts';
import type { McpMetrics } from './metrics.ts';

type Stream = {
  readonly caller: Caller;
  readonly raw: ServerResponse;
  readonly openedAt: number;
  /** Whether its token is still good. */
  readonly isLive: () => boolean;
  /** Since when its reader takes nothing; null while it does. */
  stalledAt: number | null;
};

export type StreamsOptions = {
  readonly limits: McpLimits;
  readonly metrics: McpMetrics;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** The streams of a replica: so many and no more, each only as long as its token is good and its reader reads. */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #streams = new Set<Stream>();

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  /** Whether a token may have one stream more. */
  admits({ tokenId }: Caller): boolean {
    const { maxStreams, maxStreamsPerToken } = this.#options.limits;
    if (this.#streams.size >= maxStreams) return false;
    let own = 0;
    for (const { caller } of this.#streams) if (caller.tokenId === tokenId) own += 1;
    return own < maxStreamsPerToken;
  }

  /** Looks after a stream until its connection closes. */
  add(caller: Caller, raw: ServerResponse, isLive: () => boolean): void {
    const stream: Stream = { caller, raw, openedAt: this.#options.now(), isLive, stalledAt: null };
    this.#streams.add(stream);
    this.#count();
    raw.once('close', () => {
      this.#streams.delete(stream);
      this.#count();
    });
  }

  /** Ends streams that lost their right or their reader, or reached the maximum age. */
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
      // Its end reaches the writer, which then stops.
      stream.raw.destroy();
    }
  }

  #count(): void {
    this.#options.metrics.streams.set(this.#streams.size);
  }
}
