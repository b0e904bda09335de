import { join } from 'node:path';
import { topicBounds, topicIds } from '#cluster/logs.ts';
import { limitHeapGrowth } from '#service/memory.ts';
import { PositionLostError } from '#streams/read/follow.ts';
import { Registry } from '#topics/registry.ts';
import type { RegistryUrl } from '#topics/registry-address.ts';
import { topicName } from '#topics/topics.ts';
import { SOURCES, type SourceTopic } from './ingest/records.ts';
import { followSources, type SourceOptions } from './ingest/source.ts';
import { applyRecords } from './render/apply.ts';
import { EventMovedInError } from './store/coverage.ts';
import { isBroken, removeViews } from './store/database.ts';
import type { Served } from './store/served.ts';
import { Views } from './store/views.ts';

/** Views unused for longer are rebuilt: tombstones of that time are gone after a day. */
const MAX_AGE_MS = 12 * 3_600_000;
/** While the views are built, which is all garbage, in percent. */
const HEAP_GROWTH = 80;
const SWEEP_MS = 10_000;
/** Between two parts of a sweep, so that requests come in between. */
const SWEEP_PAUSE_MS = 20;

/** What says in which competition an event is, and the names that it is rendered with. */
const PLACES: ReadonlySet<SourceTopic> = new Set(['catalogue', 'match-state']);
/** After these, what the views lack is read again with all else. */
const LOST = [PositionLostError, EventMovedInError];

/** Where a replica's views are, and what they are fed from. */
export type ReplicaOptions = Pick<
  SourceOptions,
  'brokers' | 'prefix' | 'feedRetentionMs' | 'metrics' | 'log' | 'signal'
> & {
  /** The service; its views are in the folder of that name in `dataDir`. */
  readonly name: string;
  readonly dataDir: string;
  readonly registryUrl: RegistryUrl;
  /** All of them where nothing is said. */
  readonly topics?: readonly SourceTopic[];
  /** Competitions that are served; null is all of them. */
  readonly competitions: Served;
  /** Called with an error after which the process must stop. */
  readonly fail: (error: unknown) => void;
};

/** The views of one replica of a service, kept up with the topics. */
export class Replica {
  readonly views: Views;
  readonly #options: ReplicaOptions;
  readonly #folder: string;
  /** Of match-state. */
  readonly #partitions: number;
  readonly #stopping = new AbortController();
  #caughtUp = false;
  #fed: Promise<void> = Promise.resolve();
  #sweeping: NodeJS.Timeout | undefined;

  private constructor(
    options: ReplicaOptions,
    { folder, views, partitions }: { folder: string; views: Views; partitions: number },
  ) {
    this.#options = options;
    this.#folder = folder;
    this.#partitions = partitions;
    this.views = views;
  }

  /** Opens the views of the folder, or rebuilds them. Throws `ViewsInUseError`, `StreamError`. */
  static async open(options: ReplicaOptions): Promise<Replica> {
    const { name, dataDir, brokers, prefix, competitions, topics = SOURCES, log } = options;
    const folder = join(dataDir, name);
    const names = topics.map((topic) => topicName(prefix, topic));
    const ids = Object.fromEntries(await topicIds(brokers, names));
    const states = [topicName(prefix, 'match-state')];
    const { length: partitions } = await topicBounds({ brokers, clientId: `touchline-${name}` }, states);
    const served = competitions === null ? 'all' : [...competitions].sort((a, b) => a - b).join(',');
    const source = { ...ids, competitions: served };
    const maxAgeMs = MAX_AGE_MS;
    const { views, fresh } = Views.open({ folder, source, competitions, maxAgeMs, now: Date.now() });
    if (competitions !== null) log.info({ competitions: served }, 'serves some competitions only');
    if (fresh !== null) log.info({ why: fresh }, 'rebuilds the views');
    return new Replica(options, { folder, views, partitions });
  }

  /** Whether everything that was there at the start is applied, and the views can be relied on. */
  get ready(): boolean {
    return this.#caughtUp;
  }

  follow(): void {
    const { topics = SOURCES, feedRetentionMs, log, fail } = this.#options;
    const startedAt = performance.now();
    limitHeapGrowth(HEAP_GROWTH);
    this.#fed = this.#read(topics, () => {
      this.views.caughtUp(this.#partitions);
      limitHeapGrowth(null);
      this.#caughtUp = true;
      log.info({ seconds: Math.round((performance.now() - startedAt) / 100) / 10 }, 'caught up');
    }).catch(fail);
    const sweep = (): void => {
      const more = this.views.feed.sweep(Date.now() - feedRetentionMs);
      this.#sweeping = setTimeout(sweep, more ? SWEEP_PAUSE_MS : SWEEP_MS);
    };
    if (topics.includes('normalized-messages')) sweep();
  }

  /** Where some competitions only are served, first reads in which of them events are: what is outside is never written then. */
  async #read(topics: readonly SourceTopic[], onCaughtUp: () => void): Promise<void> {
    const { competitions, signal } = this.#options;
    const stopping = AbortSignal.any([signal, this.#stopping.signal]);
    if (competitions !== null) {
      const first = topics.filter((topic) => PLACES.has(topic));
      const known = new AbortController();
      await this.#follow(first, AbortSignal.any([stopping, known.signal]), () => known.abort());
    }
    if (!stopping.aborted) await this.#follow(topics, stopping, onCaughtUp);
  }

  #follow(topics: readonly SourceTopic[], signal: AbortSignal, onCaughtUp: () => void): Promise<void> {
    const { brokers, prefix, registryUrl, name, feedRetentionMs, metrics, log } = this.#options;
    return followSources({
      brokers,
      prefix,
      topics,
      feedRetentionMs,
      metrics,
      log,
      offsets: this.views.offsets(),
      epochs: this.views.epochs(),
      apply: (records, positions) => {
        applyRecords(this.views, records, positions, Date.now());
        // Records of before the start are as late as the start.
        if (this.#caughtUp) metrics.applied(records, Date.now());
      },
      reader: `touchline-${name}`,
      registry: Registry.open({ url: registryUrl, prefix }),
      signal,
      onCaughtUp,
      onStatesRead: (partition, at) => this.views.freshness.readToEnd(partition, at),
    });
  }

  /** Call with the error of a failed request: the process ends if the views are damaged. */
  onFailure(error: unknown): void {
    if (!isBroken(error)) return;
    // What is read next may be wrong without failing.
    this.#caughtUp = false;
    this.#options.fail(error);
  }

  /** Stops following and closes the views, once `served` says that nobody asks them any more. */
  async close(served: Promise<unknown>): Promise<void> {
    const { log, signal } = this.#options;
    clearTimeout(this.#sweeping);
    this.#stopping.abort();
    await Promise.all([served, this.#fed]);
    this.views.close();
    // Whatever found it, a batch, a request or a sweep: of no use any more.
    const isLost = LOST.some((kind) => signal.reason instanceof kind);
    if (!isBroken(signal.reason) && !isLost) return;
    removeViews(this.#folder);
    log.warn('the next start rebuilds the views');
  }
}
