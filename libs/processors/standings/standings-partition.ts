import { hash } from 'node:crypto';
import { seasonKey } from '#domain/match-result.ts';
import type { Flag } from '#domain/standings/games.ts';
import { type DerivedTable, SeasonTables } from '#domain/standings/season-tables.ts';
import { PoisonError } from '#errors/touchline-error.ts';
import type { Cause, Standings } from '#records/types.ts';
import type { RulesOf } from '#service/competition-rules.ts';
import type { ConsumedRecord } from '#streams/client/port.ts';
import type { PartitionProcessor, RecordCollector } from '#streams/runtime/processor.ts';
import { type Codec, decodeInput, fetchSchemas, fetchStateSchemas, identify } from '#topics/codec.ts';
import { versionWentBack } from '#topics/errors.ts';
import type { CodecsOf } from '#topics/registry.ts';
import type { NameTopic } from '#topics/topics.ts';
import type { MessageFields } from '#tracing/message-fields.ts';
import { type OwnPartition, requireOwnPartition } from '../own-partition.ts';
import { hasValue, SpilledRecords } from '../spilled-records.ts';

/** The topics that the standings processor reads and writes. */
export const VALUES = ['match-results', 'standings-results', 'standings'] as const;

export type StandingsCodecs = CodecsOf<(typeof VALUES)[number]>;

export type StandingsPartitionOptions = OwnPartition & {
  readonly codecs: StandingsCodecs;
  readonly topicName: NameTopic;
  readonly rulesOf: RulesOf;
  /** Called with the number of matches that could not be counted, by reason, whenever it may have changed. */
  readonly onFlags?: (counts: ReadonlyMap<Flag['reason'], number>) => void;
  /** Called after each commit with the times of receipt of the messages behind its results, Unix milliseconds. */
  readonly onCommitted?: (receivedAt: readonly number[]) => void;
};

/** Maximum number of decoded seasons; the results of all others are spilled. */
const LOADED_SEASONS = 24;

/** Maximum seasons in one transaction: some 20 MB of tables, derived in a second, far below the timeouts. */
const SEASONS_AT_ONCE = 64;

/** The seasons of one partition: applies match results, derives the changed tables, publishes changes. */
export class StandingsPartition implements PartitionProcessor {
  readonly isKept = true;
  readonly #options: StandingsPartitionOptions;
  readonly #results = new SpilledRecords<string>();
  /** Decoded seasons, least recently used first. */
  readonly #seasons = new Map<string, SeasonTables>();
  readonly #tables: KnownTables;
  /** Seasons to derive with the next flush, and the last cause of each. */
  readonly #changed = new Map<string, Cause>();
  /** The trace of the last result that changed each season, if that result is sampled. */
  readonly #traces = new Map<string, string>();
  /** Numbers of matches that could not be counted, by season. */
  readonly #flags = new Map<string, ReadonlyMap<Flag['reason'], number>>();
  /** Restored seasons that were not derived again yet: the rules may have changed. */
  readonly #unchecked = new Set<string>();
  /** When the messages behind the results of the next commit were received, Unix milliseconds. */
  #receivedAt: number[] = [];

  constructor(options: StandingsPartitionOptions) {
    this.#options = options;
    this.#tables = new KnownTables(options.codecs.standings);
  }

  async restore(topic: string, records: readonly ConsumedRecord[]): Promise<void> {
    const { codecs, topicName } = this.#options;
    const values = records.filter(hasValue);
    if (topic === topicName('standings-results')) {
      await fetchStateSchemas(codecs['standings-results'], values);
      // Spilled: a season is decoded when it is next needed.
      for (const record of values) {
        const season = seasonOf(record.key.toString());
        this.#results.restore(season, record);
        this.#unchecked.add(season);
      }
      return;
    }
    await fetchSchemas(codecs.standings, values);
    const last = new Map(values.map(({ key, value }) => [key.toString('latin1'), value]));
    for (const bytes of last.values()) this.#tables.restore(codecs.standings.decode(bytes));
  }

  async prepare(records: readonly ConsumedRecord[]): Promise<void> {
    await fetchSchemas(this.#options.codecs['match-results'], records);
  }

  async process(record: ConsumedRecord, collector: RecordCollector): Promise<void> {
    const { key, value } = record;
    const { codecs, partition, topicName } = this.#options;
    const result = decodeInput(codecs['match-results'], value);
    if (key === null || value === null) throw new PoisonError('NO_KEY', 'a match result without a key');
    const season = seasonKey(result);
    requireOwnPartition(season, this.#options);
    const { ut, received_at, message_id } = result.cause;
    const cause = { topic: 'match-results', partition, offset: record.offset, ut, received_at, message_id };
    const tables = await this.#season(season);
    const denied = tables.deniedBy(result);
    if (denied !== null) throw versionWentBack('match-results', denied, result);
    if (tables.apply(result)) {
      const applied = codecs['standings-results'].encode({ result: value });
      this.#results.put(season, { key, value: applied });
      collector.add(topicName('standings-results'), key, applied);
      this.#changed.set(season, cause);
      this.#receivedAt.push(received_at);
      if (collector.traceparent !== undefined) this.#traces.set(season, collector.traceparent);
    }
    await this.#checkOne(season, cause);
  }

  identify({ value }: ConsumedRecord): MessageFields {
    return identify(this.#options.codecs['match-results'], value);
  }

  isFull(): boolean {
    return this.#changed.size >= SEASONS_AT_ONCE;
  }

  flush(collector: RecordCollector): void {
    const { codecs, topicName, onFlags } = this.#options;
    for (const [season, cause] of this.#changed) {
      if (this.#traces.size > 0) collector.traceparent = this.#traces.get(season);
      // A season is unloaded after a commit alone.
      const tables = this.#seasons.get(season) as SeasonTables;
      this.#flags.set(season, tables.flags());
      for (const derived of tables.derive()) {
        const table = this.#tables.update(derived, cause);
        if (table !== null)
          collector.add(topicName('standings'), String(derived.id), codecs.standings.encode(table));
      }
    }
    if (this.#changed.size > 0) onFlags?.(this.#flagCounts());
    this.#changed.clear();
    this.#traces.clear();
  }

  committed(): void {
    this.#options.onCommitted?.(this.#receivedAt);
    this.#receivedAt = [];
    for (const season of this.#seasons.keys()) {
      if (this.#seasons.size <= LOADED_SEASONS) return;
      this.#seasons.delete(season);
    }
  }

  size(): number {
    return this.#results.size;
  }

  close(): void {
    this.#results.close();
    this.#seasons.clear();
    this.#flags.clear();
    this.#options.onFlags?.(this.#flagCounts());
  }

  #flagCounts(): ReadonlyMap<Flag['reason'], number> {
    const counts = new Map<Flag['reason'], number>();
    for (const flags of this.#flags.values())
      for (const [reason, matches] of flags) counts.set(reason, (counts.get(reason) ?? 0) + matches);
    return counts;
  }

  /** Has the tables of a restored season derived again, and of another one with every record: so all follow the current rules in time. */
  async #checkOne(season: string, cause: Cause): Promise<void> {
    const [first] = this.#unchecked;
    for (const one of new Set([season, first ?? season])) {
      if (!this.#unchecked.delete(one)) continue;
      (await this.#season(one)).invalidate();
      this.#changed.set(one, cause);
    }
  }

  /** Returns the tables of a season; decodes its results if it is spilled. */
  async #season(key: string): Promise<SeasonTables> {
    let tables = this.#seasons.get(key);
    if (tables === undefined) {
      const { codecs } = this.#options;
      const [competitionId = 0, seasonId = 0] = key.split('/').map(Number);
      const records = Array.from(this.#results.read(key)?.values() ?? [], (bytes) => ({
        value: decodeInput(codecs['standings-results'], bytes).result,
      }));
      await fetchSchemas(codecs['match-results'], records);
      const results = records.map(({ value }) => decodeInput(codecs['match-results'], value));
      const rules = this.#options.rulesOf(competitionId, seasonId);
      tables = new SeasonTables(competitionId, seasonId, rules, results);
    } else this.#seasons.delete(key);
    this.#seasons.set(key, tables);
    return tables;
  }
}

/** Returns the season key at the start of the key of a result. */
function seasonOf(key: string): string {
  return key.slice(0, key.indexOf('/', key.indexOf('/') + 1));
}

type PublishedVersion = { readonly version: number; readonly ut: number; readonly digest: string };
type TableContent = Omit<Standings, 'version' | 'ut' | 'cause'>;

/** The id of a type that no source shows. */
const UNKNOWN_TYPE = 0;
const NO_CAUSE: Cause = { topic: '', partition: 0, offset: 0, ut: 0, received_at: 0, message_id: '' };

/** The versions of all tables of a partition, 140 bytes each in memory: only a change of the content makes a new one. */
class KnownTables {
  readonly #codec: Codec<Standings>;
  readonly #known = new Map<number, PublishedVersion>();

  constructor(codec: Codec<Standings>) {
    this.#codec = codec;
  }

  restore({ version, ut, cause: _, ...content }: Standings): void {
    this.#known.set(content.standings_id, { version, ut, digest: this.#digestOf(content) });
  }

  /** Returns the record to publish of a derived table, from then on the last published one; null if unchanged. */
  update({ id, type, name, object, groups, later }: DerivedTable, cause: Cause): Standings | null {
    const last = this.#known.get(id);
    // A table that never had a row was never published.
    if (groups.length === 0 && last === undefined) return null;
    const content: TableContent = {
      standings_id: id,
      name,
      type_id: type.type_id ?? UNKNOWN_TYPE,
      type_name: type.type_name,
      subtype: type.subtype,
      ranks: type.ranks,
      object_type: object.type,
      object_id: object.id,
      competition_id: object.competitionId,
      season_id: object.seasonId,
      groups,
      later,
    };
    const digest = this.#digestOf(content);
    if (last?.digest === digest) return null;
    // `ut` never decreases: readers of changes since a time must not miss a change that an old message caused.
    const next = { version: (last?.version ?? 0) + 1, ut: Math.max(last?.ut ?? 0, cause.ut), digest };
    this.#known.set(id, next);
    return { ...content, version: next.version, ut: next.ut, cause };
  }

  #digestOf(content: TableContent): string {
    const bytes = this.#codec.encode({ ...content, version: 0, ut: 0, cause: NO_CAUSE });
    return hash('sha1', bytes, 'base64');
  }
}
