import type { FeedHealth, MatchState, TradingHalt } from '#records/types.ts';
import { partitionOfKey } from '#streams/client/port.ts';
import { type FeedStatus, HealthTable, type SourceFeedStatus } from '#trading/feed-status.ts';
import { HaltTable, type HandHalts, isAbout } from '#trading/halts.ts';
import { doubtsOf } from '#trading/trading.ts';
import type { MatchView } from './matches.ts';
import { SqlView, type Statements } from './sql.ts';

/** The feed status of sources and matches, derived from feed-health and the reader's clock. */
export class HealthView extends SqlView {
  readonly #table = new HealthTable();
  readonly #sources = new Map<string, FeedHealth>();

  constructor(sql: Statements) {
    super(sql);
    const text = 'SELECT key, json FROM health WHERE deleted = 0';
    for (const { key, json } of sql.rows<{ key: string; json: string }>(text))
      this.#table.apply(key, JSON.parse(json), performance.now());
  }

  /** Applies the record of a key; null deletes it. */
  apply(key: string, record: FeedHealth | null): void {
    // Records of sources are not stored: they come twice a second and have expired after a restart.
    if (key.includes('/')) {
      // Its gaps belong to the story of the match.
      if (record === null) this.sql.of('UPDATE health SET deleted = 1 WHERE key = ?').run(key);
      else {
        const row = { key, event_id: record.event_id, deleted: 0, json: JSON.stringify(record) };
        this.sql.insert('INSERT OR REPLACE INTO health', row);
      }
    }
    if (record === null) this.#sources.delete(key);
    else if (record.event_id === null) this.#sources.set(key, record);
    this.#table.apply(key, record, performance.now());
  }

  /** Returns the latest record of each source, expired or not. */
  sourceRecords(): readonly FeedHealth[] {
    return [...this.#sources.values()];
  }

  /** Returns the latest record of a match of each source, those that were deleted since included, and the records of the sources. */
  past(eventId: number): FeedHealth[] {
    const text = 'SELECT json FROM health WHERE event_id = ? ORDER BY key';
    return [...this.sql.records<FeedHealth>(text, eventId), ...this.#sources.values()];
  }

  /** Returns the feed status of every source at `now`, Unix milliseconds, ordered by name. */
  sources(now: number): readonly SourceFeedStatus[] {
    return this.#table.sources({ wall: now, steady: performance.now() });
  }

  /** Returns the ids of the matches that any source has a record of. */
  matches(): readonly number[] {
    return this.#table.events();
  }

  /** Returns the feed status of a match at `now`, Unix milliseconds. */
  match(eventId: number, now: number): FeedStatus {
    return this.#table.match(eventId, { wall: now, steady: performance.now() });
  }
}

/** Decides whether the states of matches may be outdated, once the views have caught up. */
export class Freshness {
  readonly #matches: MatchView;
  /** Number of partitions of match-state; null until `follow`. */
  #partitions: number | null = null;
  /** Time at which each partition was last read to its end, on the steady clock. */
  readonly #readAt = new Map<number, number>();
  /** The newest version with a change that was read, by match whose stored state is older. */
  readonly #changed = new Map<number, number>();

  constructor(matches: MatchView) {
    this.#matches = matches;
  }

  /** From now on the states of these partitions are checked. */
  follow(partitions: number): void {
    this.#partitions = partitions;
  }

  /** Notes that a partition was read to the end that it had `at`, on the steady clock. */
  readToEnd(partition: number, at: number): void {
    this.#readAt.set(partition, at);
  }

  changed(eventId: number, version: number): void {
    if (this.#partitions === null || version <= (this.#matches.known(eventId)?.version ?? 0)) return;
    this.#changed.set(eventId, Math.max(version, this.#changed.get(eventId) ?? 0));
  }

  applied(eventId: number, version: number): void {
    if (version >= (this.#changed.get(eventId) ?? 0)) this.#changed.delete(eventId);
  }

  /** Whether the state of a match may be outdated at `now`, on the steady clock. */
  isInDoubt(eventId: number, now: number): boolean {
    if (this.#partitions === null) return false;
    const readAt = this.#readAt.get(partitionOfKey(eventId, this.#partitions)) ?? Number.NEGATIVE_INFINITY;
    // Only a match that is behind costs a query for the version of its state.
    const changed = this.#changed.get(eventId) ?? 0;
    const version = changed === 0 ? 0 : (this.#matches.known(eventId)?.version ?? 0);
    return doubtsOf({ version, changed, readAt, now }).length > 0;
  }
}

/** What operators have halted by hand. Nothing is stored: each start reads the topic from its beginning, and finds again what it cannot read. */
export class HaltView {
  /** The records of the topic: the reader applies them, and notes what it cannot read and how far it has read. */
  readonly table = new HaltTable<TradingHalt>();
  /** Whether the topic is followed, so that its reading is checked. */
  #isFollowed = false;

  /** From now on the views may lack halts unless they report that the topic was read. */
  follow(): void {
    this.#isFollowed = true;
  }

  /** Returns the halts of a match at `now`, Unix milliseconds; by default all. */
  standing(
    now: number,
    match: Pick<MatchState, 'event_id' | 'competition_id'> | null = null,
  ): HandHalts<TradingHalt> {
    const halts = this.table.standing({ wall: now, steady: performance.now() }, match);
    return this.#isFollowed ? halts : { ...halts, isRead: true };
  }

  /** Returns the record of each scope, standing or not; of a match: of each scope that it is in. */
  records(match?: Pick<MatchState, 'event_id' | 'competition_id'>): TradingHalt[] {
    return this.table.records().filter(({ scope }) => match === undefined || isAbout(scope, match));
  }
}
