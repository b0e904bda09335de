/** Records the values of match state and feed health over time, with a consumer of the test. */
import type { MatchState, TopicValues } from '#records/types.ts';
import { Registry } from '#topics/registry.ts';
import type { TopicName } from '#topics/topics.ts';
import { HealthTable } from '#tradability/feed-status.ts';
import { tradingOf } from '#tradability/trading.ts';
import { atEnd } from '../../support/at-end.ts';
import type { PipelineConnection } from '../../support/pipeline.ts';
import { readAllOf } from '../../support/read-records.ts';

/** Texts of a row. */
export type RowWords = { readonly score: string; readonly firm: string; readonly guard: string };

/**
 * A value: no reader could have it before `from`, and no reader must have the next one before `to`. Unix milliseconds.
 */
type Span<T> = { readonly value: T; readonly from: number; to: number };

class History<T> {
  readonly #spans: Span<T>[] = [];

  /** Adds the current value; `from` is the earliest time at which it can have been true. */
  note(value: T, from: number): void {
    const last = this.#spans.at(-1);
    if (last !== undefined && JSON.stringify(last.value) === JSON.stringify(value)) return;
    if (last !== undefined) last.to = Date.now();
    this.#spans.push({ value, from, to: Number.POSITIVE_INFINITY });
  }

  get last(): T | undefined {
    return this.#spans.at(-1)?.value;
  }

  /** Returns the values that a reader may have had at some time before `to`. */
  upTo(to: number): readonly Span<T>[] {
    return this.#spans.filter(({ from }) => from <= to);
  }
}

/** The texts of a state, with and without belief in its feed. */
type Shown = {
  readonly score: string;
  readonly firm: string;
  readonly believed: string;
  readonly doubted: string;
};

/** Interval of evaluating feed health, milliseconds: it expires without a record. */
const EVALUATION_INTERVAL_MS = 50;
const GOOD = { believed: true, state: 'alive' } as const;
const BAD = { believed: false, state: 'expired' } as const;

export class TopicHistory {
  readonly #states = new Map<number, History<Shown>>();
  readonly #feeds = new Map<number, History<boolean>>();
  readonly #health = new HealthTable();
  #lookedAt = Date.now();

  private constructor(matches: readonly number[]) {
    for (const id of matches) {
      this.#states.set(id, new History());
      this.#feeds.set(id, new History());
    }
  }

  /** Reads both topics from their beginning until the test ends. */
  static follow(connection: PipelineConnection, matches: readonly number[]): TopicHistory {
    const history = new TopicHistory(matches);
    const ended = new AbortController();
    const looking = setInterval(() => history.#lookAtFeeds(history.#lookedAt), EVALUATION_INTERVAL_MS);
    const reading = [
      read(
        connection,
        'match-state',
        ended.signal,
        (_, value, at) => value !== null && history.#state(value, at),
      ),
      read(connection, 'feed-health', ended.signal, (key, value, at) => {
        history.#health.apply(key, value, performance.now());
        // Changed by the record, or by expiry since the last evaluation.
        history.#lookAtFeeds(Math.min(at, history.#lookedAt));
      }),
    ];
    atEnd(async () => {
      clearInterval(looking);
      ended.abort();
      await Promise.all(reading);
    });
    return history;
  }

  get ids(): readonly number[] {
    return [...this.#states.keys()];
  }

  /** Number of these matches that are safe by the topics read so far. */
  get safe(): number {
    return [...this.#states].filter(
      ([id, state]) => this.#feeds.get(id)?.last === true && state.last?.believed === 'safe',
    ).length;
  }

  /**
   * Returns how long before `asked` a row was last true that was read between `asked` and `answered`, milliseconds;
   * Infinity if never. Score, firm score and guard of a row come from one state; feed health is another topic, which a
   * reader has at another time.
   */
  behind(id: number, row: RowWords, asked: number, answered: number): number {
    const feeds = this.#feeds.get(id)?.upTo(answered) ?? [];
    const ends = this.#statesOf(id, row, answered).flatMap(({ value, to }) =>
      feeds
        .filter((feed) => (feed.value ? value.believed : value.doubted) === row.guard)
        .map((feed) => Math.min(to, feed.to)),
    );
    return Math.max(0, asked - Math.max(...ends, Number.NEGATIVE_INFINITY));
  }

  /** Returns the same for a row that is not up to date, and shows the state known at `asked`. */
  withdrawnBehind(id: number, row: RowWords, asked: number, answered: number): number {
    const ends = this.#statesOf(id, row, answered)
      .filter(({ value }) => row.guard === 'awaited' || value.doubted === row.guard)
      .map(({ to }) => to);
    return Math.max(0, asked - Math.max(...ends, Number.NEGATIVE_INFINITY));
  }

  /** Describes the known values of a match from `from` to `to`, for the message of a failure. */
  words(id: number, from: number, to: number): string {
    const known = [this.#states.get(id)?.upTo(to) ?? [], this.#feeds.get(id)?.upTo(to) ?? []];
    return JSON.stringify(known.map((spans) => spans.filter((span) => span.to >= from)));
  }

  #statesOf(id: number, { score, firm }: RowWords, to: number): readonly Span<Shown>[] {
    const states = this.#states.get(id)?.upTo(to) ?? [];
    return states.filter(({ value }) => value.score === score && value.firm === firm);
  }

  #state(state: MatchState, at: number): void {
    const words = (score: MatchState['score']) => (score === null ? '?–?' : `${score.home}–${score.away}`);
    const { score, firm } = state;
    this.#states.get(state.event_id)?.note(
      {
        score: words(score),
        firm: words(firm),
        believed: tradingOf(state, GOOD).permission,
        doubted: tradingOf(state, BAD).permission,
      },
      at,
    );
  }

  #lookAtFeeds(from: number): void {
    const now = { wall: Date.now(), steady: performance.now() };
    for (const [id, feed] of this.#feeds) feed.note(this.#health.match(id, now).believed, from);
    this.#lookedAt = now.wall;
  }
}

/** Reads every record of a topic with its key and timestamp. */
async function read<T extends TopicName>(
  { brokers, registryUrl, prefix }: PipelineConnection,
  topic: T,
  signal: AbortSignal,
  onRecord: (key: string, value: TopicValues[T] | null, at: number) => void,
): Promise<void> {
  const source = { brokers, prefix, registry: Registry.open({ url: registryUrl, prefix }) };
  await readAllOf(topic, source, (key, value, { timestamp }) => onRecord(key, value, timestamp), signal);
}
