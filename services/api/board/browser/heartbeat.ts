/** The age of the server's last heartbeat, by which a page decides what it may show. */

/** Header of a request by which a page reads itself again: it withdraws what the answer says as soon as heartbeats are missing. */
export const LIVE_HEADER = 'x-board-live';

/** The server's clocks when it sent a heartbeat: `now` in Unix seconds, its monotonic clock `steady` in milliseconds. */
export type Heartbeat = { readonly now: number; readonly steady: number };

/** Which sources the head of a page says are believed, with its words: the data of a `feeds` event of `/board/events`. */
export type FeedsHead = { readonly believed: 'all' | 'some' | 'none'; readonly words: string };

/** Maximum relative drift between the monotonic clocks of server and page. */
const MAX_DRIFT = 0.001;

/**
 * The age of the last heartbeat by the page's monotonic clock, milliseconds. A heartbeat that was delayed, by a proxy or while the
 * page slept, is older by its delay: the fastest heartbeat of the connection shows how long one takes without a delay.
 */
export class HeartbeatAge {
  #sentAt = Number.NEGATIVE_INFINITY;
  #receivedAt = Number.NEGATIVE_INFINITY;
  /** The page's clock minus the server's, by the fastest heartbeat. */
  #offset = Number.POSITIVE_INFINITY;

  /** Starts a new connection: it may lead to another server with another monotonic clock. */
  connect(): void {
    this.#offset = Number.POSITIVE_INFINITY;
  }

  /** Records a heartbeat. `sentAt`: the server's monotonic clock when it was sent; `receivedAt`: the page's. */
  receive(sentAt: number, receivedAt: number): void {
    const drift = this.#offset === Number.POSITIVE_INFINITY ? 0 : (receivedAt - this.#receivedAt) * MAX_DRIFT;
    this.#offset = Math.min(receivedAt - sentAt, this.#offset + drift);
    this.#receivedAt = receivedAt;
    this.#sentAt = sentAt + this.#offset;
  }

  /** Returns the age at a time of the page's monotonic clock, milliseconds; infinite before the first heartbeat. */
  age(at: number): number {
    return at - this.#sentAt;
  }
}
