import { randomUUID } from 'node:crypto';
import type { ToolRequests } from '#records/types.ts';
import type { Codec } from '#topics/codec.ts';
import { followRecords, type RecordFollower } from '#topics/follow-records.ts';
import { topicName } from '#topics/topics.ts';
import type { CountingOptions } from '../token-exchange/attempts.ts';
import { LIMITS, WINDOW_MS } from './limits.ts';
import { TokenRate } from './token-rate.ts';

/** Interval at which a replica publishes its counts, milliseconds. A flood over several replicas lasts longer by this. */
const SHARE_MS = 250;

/**
 * Limits the requests of tokens over all replicas and restarts. Each replica counts a request at once, and publishes its
 * counts every `SHARE_MS`: no request waits for the broker (docs/decisions/0053).
 */
export class SharedRate extends TokenRate {
  readonly #options: CountingOptions;
  readonly #topic: string;
  readonly #codec: Codec<ToolRequests>;
  readonly #replica = randomUUID();
  readonly #sharing: NodeJS.Timeout;
  #follower: RecordFollower | undefined;
  #published: Promise<void> = Promise.resolve();
  #isFailing = false;

  private constructor(options: CountingOptions, codec: Codec<ToolRequests>) {
    super(LIMITS.requestsPerToken);
    this.#options = options;
    this.#topic = topicName(options.prefix, 'tool-requests');
    this.#codec = codec;
    this.#sharing = setInterval(() => this.#share(), SHARE_MS).unref();
  }

  /** Resolves once the requests of the last minute are counted. Throws what `followRecords` and `Registry.codec` throw. */
  static async open(options: CountingOptions): Promise<SharedRate> {
    const shared = new SharedRate(options, await options.registry.codec('tool-requests'));
    shared.#follower = await followRecords({
      ...options,
      topic: 'tool-requests',
      since: options.now() - WINDOW_MS,
      onRecord: (_, counted) => {
        if (counted !== null && counted.replica !== shared.#replica) shared.add(counted.token_id, counted);
      },
    });
    return shared;
  }

  /** Publishes the remaining counts, and stops. */
  async close(): Promise<void> {
    clearInterval(this.#sharing);
    this.#share();
    await Promise.all([this.#published, this.#follower?.close()]);
  }

  #share(): void {
    const fresh = this.take();
    if (fresh.size === 0) return;
    const records = Array.from(fresh, ([token_id, admitted]) => ({
      topic: this.#topic,
      key: token_id,
      value: this.#codec.encode({ replica: this.#replica, token_id, ...admitted }),
    }));
    this.#published = this.#options.publish(records).then(
      () => {
        this.#isFailing = false;
      },
      (error: unknown) => {
        // Requests continue. Logged once for each outage.
        if (!this.#isFailing)
          this.#options.log.warn(
            { err: error },
            'the requests of tokens cannot be shared with other replicas',
          );
        this.#isFailing = true;
      },
    );
  }
}
