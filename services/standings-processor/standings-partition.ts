import { seasonKey } from '#domain/match-result.ts';
import { FLAG_REASONS, type Flag } from '#domain/standings/games.ts';
import { SeasonTables } from '#domain/standings/season-tables.ts';
import { decodeInput } from '#streams/decode-input.ts';
import type { ConsumedRecord } from '#streams/port.ts';
import { type PartitionProcessor, PoisonError } from '#streams/processor.ts';
import type { RecordCollector } from '#streams/record-collector.ts';
import type { Codec } from '#topics/codec.ts';
import type { Cause, MatchResult, Standings, StandingsEntry, TakenResult } from '#topics/generated/types.ts';
import type { TopicName } from '#topics/topics.ts';
import { KnownTables } from './known-tables.ts';
import type { RulesOf } from './rules.ts';

/** The topics of the standings processor, in and out. */
export type StandingsCodecs = {
  readonly 'match-results': Codec<MatchResult>;
  readonly 'standings-results': Codec<TakenResult>;
  readonly 'standings-catalogue': Codec<StandingsEntry>;
  readonly standings: Codec<Standings>;
};

export type StandingsPartitionOptions = {
  readonly partition: number;
  readonly codecs: StandingsCodecs;
  /** Name of a topic on the broker. */
  readonly topicName: (topic: TopicName) => string;
  readonly rulesOf: RulesOf;
  /** Told how many matches of the partition could not be counted, by reason, whenever that may have changed. */
  readonly onFlags?: (counts: ReadonlyMap<Flag['reason'], number>) => void;
};

/** Seasons held decoded; the results of all others are kept as bytes. */
const HOT_SEASONS = 24;

/**
 * Seasons of one transaction: their tables are some 20 MB, derived in about a second, far below what the group and the
 * transaction wait for.
 */
const SEASONS_AT_ONCE = 64;

/** All seasons of one partition: takes match results, derives the tables that they change, writes what is new. */
export class StandingsPartition implements PartitionProcessor {
  readonly #options: StandingsPartitionOptions;
  readonly #names: Readonly<Record<keyof StandingsCodecs, string>>;
  /** Every result as it was read, by season and by key, in the order in which they came. */
  readonly #results = new Map<string, Map<string, Buffer>>();
  /** Seasons held decoded, the one used last at the end. */
  readonly #seasons = new Map<string, SeasonTables>();
  readonly #tables = new KnownTables();
  /** Seasons to derive with the next flush, and what changed them last. */
  readonly #changed = new Map<string, Cause>();
  /** How many matches could not be counted, by season, and all together. */
  readonly #flags = new Map<string, ReadonlyMap<Flag['reason'], number>>();
  readonly #allFlags = new Map<Flag['reason'], number>();
  /** Restored seasons that were not derived yet: rules may be other ones now. */
  readonly #unchecked = new Set<string>();

  constructor(options: StandingsPartitionOptions) {
    this.#options = options;
    const { topicName } = options;
    this.#names = {
      'match-results': topicName('match-results'),
      'standings-results': topicName('standings-results'),
      'standings-catalogue': topicName('standings-catalogue'),
      standings: topicName('standings'),
    };
  }

  async restore(topic: string, records: readonly ConsumedRecord[]): Promise<void> {
    for (const record of records) {
      const restoring = this.#restoreOne(topic, record);
      if (restoring !== undefined) await restoring;
    }
  }

  #restoreOne(topic: string, { key, value }: ConsumedRecord): void | Promise<void> {
    if (key === null || value === null) return;
    const { codecs } = this.#options;
    if (topic === this.#names['standings-results']) {
      const text = key.toString();
      return whenDecoded(codecs['standings-results'].decode(value), ({ result }) => {
        const season = seasonOf(text);
        this.#keep(season, text, result);
        this.#unchecked.add(season);
      });
    }
    if (topic === this.#names.standings) {
      return whenDecoded(codecs.standings.decode(value), (table) => this.#tables.restoreTable(table));
    }
    return whenDecoded(codecs['standings-catalogue'].decode(value), (entry) =>
      this.#tables.restoreEntry(entry),
    );
  }

  async process(record: ConsumedRecord, collector: RecordCollector): Promise<void> {
    const { key, value } = record;
    const result = await decodeInput(this.#options.codecs['match-results'], value);
    if (key === null || value === null) throw new PoisonError('no_key', 'a match result without a key');
    const season = seasonKey(result);
    const { ut, received_at, message_id } = result.cause;
    const cause: Cause = {
      topic: 'match-results',
      partition: this.#options.partition,
      offset: record.offset,
      ut,
      received_at,
      message_id,
    };
    const tables = await this.#season(season);
    if (tables.take(result)) {
      this.#keep(season, key.toString(), value);
      const taken = this.#options.codecs['standings-results'].encode({ result: value });
      collector.add(this.#names['standings-results'], key, taken);
      this.#changed.set(season, cause);
    }
    await this.#checkOne(season, cause);
  }

  isFull(): boolean {
    return this.#changed.size >= SEASONS_AT_ONCE;
  }

  flush(collector: RecordCollector): void {
    const { codecs } = this.#options;
    for (const [season, cause] of this.#changed) {
      const tables = this.#seasons.get(season);
      if (tables === undefined) continue;
      this.#setFlags(season, tables.flags());
      for (const derived of tables.derive()) {
        const { table, entry } = this.#tables.update(derived, cause);
        const key = String(derived.id);
        if (table !== null) collector.add(this.#names.standings, key, codecs.standings.encode(table));
        if (entry !== null) {
          collector.add(this.#names['standings-catalogue'], key, codecs['standings-catalogue'].encode(entry));
        }
      }
    }
    if (this.#changed.size > 0) this.#options.onFlags?.(this.#allFlags);
    this.#changed.clear();
  }

  committed(): void {
    for (const season of this.#seasons.keys()) {
      if (this.#seasons.size <= HOT_SEASONS) return;
      this.#seasons.delete(season);
    }
  }

  /** Match results held. */
  size(): number {
    let size = 0;
    for (const results of this.#results.values()) size += results.size;
    return size;
  }

  close(): void {
    this.#results.clear();
    this.#seasons.clear();
    this.#flags.clear();
    this.#allFlags.clear();
    this.#options.onFlags?.(this.#allFlags);
  }

  #setFlags(season: string, flags: ReadonlyMap<Flag['reason'], number>): void {
    const before = this.#flags.get(season);
    for (const reason of FLAG_REASONS) {
      const more = (flags.get(reason) ?? 0) - (before?.get(reason) ?? 0);
      this.#allFlags.set(reason, (this.#allFlags.get(reason) ?? 0) + more);
    }
    this.#flags.set(season, flags);
  }

  /**
   * Has restored tables derived once, this season's and one other's with every record, so that they come to stand on
   * the rules as they are now without holding up a takeover.
   */
  async #checkOne(season: string, cause: Cause): Promise<void> {
    const [first] = this.#unchecked;
    for (const one of new Set([season, first ?? season])) {
      if (!this.#unchecked.delete(one)) continue;
      (await this.#season(one)).invalidate();
      this.#changed.set(one, cause);
    }
  }

  /** The tables of a season, from its results where it is not held decoded. */
  async #season(key: string): Promise<SeasonTables> {
    let tables = this.#seasons.get(key);
    if (tables === undefined) {
      const codec = this.#options.codecs['match-results'];
      const [competitionId = 0, seasonId = 0] = key.split('/').map(Number);
      const results: MatchResult[] = [];
      for (const bytes of this.#results.get(key)?.values() ?? []) {
        const result = decodeInput(codec, bytes);
        results.push(result instanceof Promise ? await result : result);
      }
      const rules = this.#options.rulesOf(competitionId, seasonId);
      tables = SeasonTables.restore(competitionId, seasonId, rules, results);
    } else this.#seasons.delete(key);
    this.#seasons.set(key, tables);
    return tables;
  }

  #keep(season: string, key: string, value: Buffer): void {
    let results = this.#results.get(season);
    if (results === undefined) {
      results = new Map();
      this.#results.set(season, results);
    }
    results.delete(key);
    // What was read is a view of a whole batch.
    results.set(key, Buffer.from(value));
  }
}

/** The season in the key of a result. */
function seasonOf(key: string): string {
  return key.slice(0, key.indexOf('/', key.indexOf('/') + 1));
}

function whenDecoded<T>(decoded: T | Promise<T>, use: (value: T) => void): void | Promise<void> {
  return decoded instanceof Promise ? decoded.then(use) : use(decoded);
}
