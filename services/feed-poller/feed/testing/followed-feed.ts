import { ProviderError } from '../../provider/answer.ts';
import { answer } from '../../testing/answers.ts';
import { type FeedFollower, type FeedSettings, feedFollower } from '../feed.ts';

type Message = { readonly id: number; readonly ut: number; readonly visibleAt: number };

export const SETTLE = 20;
export const SETTINGS: FeedSettings = { window: 30, settle: SETTLE, initial: 100 };
/** The provider's time at the start of a test, Unix seconds. */
export const T0 = 1_000_000;
const { signal } = new AbortController();

/** Returns a window of the feed by the seconds between `T0` and its ends. */
export const windowText = (from: number, to: number) => `${from - T0}..${to - T0}`;

type FollowerOptions = Parameters<typeof feedFollower>[0];

/** Creates a follower that publishes nowhere, and whose provider's clock stands at `T0`. */
export function createFollower(
  changes: Partial<FollowerOptions> & Pick<FollowerOptions, 'position' | 'page'>,
): FeedFollower {
  return feedFollower({
    ...SETTINGS,
    time: async () => T0,
    topicWriter: { deliver: async () => {}, checkpoint: async () => {} },
    clock: { unix: () => 0 },
    onMessage: () => {},
    onCounts: () => {},
    onClockBack: () => {},
    onGap: () => {},
    ...changes,
  });
}

/** A feed with a clock that tests set, and the records that the follower publishes from it. */
export class TestFeed {
  now = T0;
  readonly messages: Message[] = [];
  readonly published: number[] = [];
  readonly checkpoints: number[] = [];
  /** Messages that a checkpoint covered before they were published. */
  readonly missed: Message[] = [];
  /** The windows that were read, as `windowText`. */
  readonly windows: string[] = [];
  clocksBack = 0;
  /** Seconds by which each page advances the clock. */
  pace = 0;
  /** Whether the next operation fails. */
  fails: (what: 'page' | 'deliver' | 'checkpoint') => boolean = () => false;
  follower: FeedFollower;
  readonly #settings: FeedSettings;

  constructor(settings: FeedSettings = SETTINGS, position: number | null = null) {
    this.#settings = settings;
    this.follower = this.#follow(position);
  }

  /** Starts a new follower from the last checkpoint. */
  restart(): void {
    this.follower = this.#follow(this.checkpoints.at(-1) ?? null);
  }

  /** Reads until the provider's now is reached, at most `tries` windows. */
  async round(tries = 1_000): Promise<void> {
    for (let left = tries; left > 0; left--) {
      const outcome = await this.follower.read(signal).catch(() => 'failed' as const);
      if (outcome === 'done') return;
    }
  }

  #follow(position: number | null): FeedFollower {
    return createFollower({
      ...this.#settings,
      position,
      time: async () => this.now,
      page: async ({ timestamp, timestamp_to }) => {
        if (this.fails('page')) throw new ProviderError('SERVER_ERROR', 'feed.index', 'failed');
        this.now += this.pace;
        const { now } = this;
        const [from, to] = [Number(timestamp), Number(timestamp_to)];
        this.windows.push(windowText(from, to));
        const found = this.messages.filter(({ ut, visibleAt }) => ut >= from && ut <= to && visibleAt <= now);
        const data = found.map(({ id, ut }) => ({ id, ut, type: 'event', data: { event: { id: 1 } } }));
        return answer(data, now);
      },
      topicWriter: {
        deliver: async ({ normalized }) => {
          if (this.fails('deliver')) throw new Error('not acknowledged');
          for (const { message_id } of normalized) this.published.push(Number(message_id));
        },
        checkpoint: async (_resource, position) => {
          if (this.fails('checkpoint')) throw new Error('not acknowledged');
          this.#findMissed(position);
          this.checkpoints.push(position);
        },
      },
      onClockBack: () => {
        this.clocksBack += 1;
      },
    });
  }

  #findMissed(position: number): void {
    for (const message of this.messages) {
      if (message.ut <= position && !this.published.includes(message.id)) this.missed.push(message);
    }
  }
}
