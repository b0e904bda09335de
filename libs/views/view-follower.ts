import { join } from 'node:path';
import { topicBounds, topicIds } from '#cluster/logs.ts';
import { FolderError } from '#security/folders.ts';
import type { RunningService } from '#service/run-service.ts';
import { partitionKey } from '#streams/client/port.ts';
import { PositionLostError } from '#streams/read/follow.ts';
import { rebuildCommand } from '#streams/runtime/positions.ts';
import { wentBackText } from '#topics/errors.ts';
import type { ProcessorName } from '#topics/processors.ts';
import { Registry } from '#topics/registry.ts';
import type { RegistryUrl } from '#topics/registry-http.ts';
import { topicName } from '#topics/topics.ts';
import { SOURCES, type SourceTopic } from './ingest/records.ts';
import { followSources, type SourceOptions } from './ingest/source.ts';
import { applyRecords } from './render/apply.ts';
import { EventMovedInError } from './store/coverage.ts';
import { bootId, isBroken, isUnwritable, removeViews, ViewsLostError } from './store/database.ts';
import type { ServedCompetitions } from './store/served.ts';
import { COMMIT_MS, type LostState, Views } from './store/views.ts';

/** Views that were unused for longer are rebuilt: brokers delete tombstones after a day. */
const MAX_AGE_MS = 12 * 3_600_000;
const SWEEP_MS = 10_000;
/** Pause between two parts of a sweep, in which requests are served. */
const SWEEP_PAUSE_MS = 20;

/** The topics that say in which competition an event is, and with which names it is rendered. */
const TREE_TOPICS: ReadonlySet<SourceTopic> = new Set(['catalogue', 'match-state']);
/** Errors after which the views lack records, so that the next start rebuilds them. */
const INCOMPLETE_VIEWS = [PositionLostError, EventMovedInError, ViewsLostError];

/** What becomes of a match or table whose version went back, and the processor that derives it again. */
const LOST = {
  'match-state': ['the guard of each such match is closed', 'match-processor'],
  standings: ['each such table stays as it was', 'standings-processor'],
} as const satisfies Record<LostState['topic'], readonly [string, ProcessorName]>;

/** The folder of the views, and the topics that they are built from. */
type ViewFollowerOptions = Pick<
  SourceOptions,
  'brokers' | 'prefix' | 'feedRetentionMs' | 'urgentPaceMs' | 'metrics' | 'log' | 'signal'
> & {
  /** Name of the service; its views are in the folder of that name in `dataDir`. */
  readonly name: string;
  readonly dataDir: string;
  readonly registryUrl: RegistryUrl;
  /** Default: all of `SOURCES`. */
  readonly topics?: readonly SourceTopic[];
  /** Ids of the competitions that are served; null means all. */
  readonly competitions: ServedCompetitions;
  /** Called with an error after which the process must stop. */
  readonly fail: (error: unknown) => void;
};

/** Follows the topics, and applies their records to the views of a service. */
export class ViewFollower {
  readonly views: Views;
  readonly #options: ViewFollowerOptions;
  readonly #folder: string;
  /** Number of partitions of match-state. */
  readonly #partitions: number;
  readonly #stopping = new AbortController();
  /** Partitions that lost states, as the log says. */
  readonly #lostStates = new Set<string>();
  #caughtUp = false;
  #following: Promise<void> = Promise.resolve();
  #nextSweep: NodeJS.Timeout | undefined;
  #nextCommit: NodeJS.Timeout | undefined;

  private constructor(
    options: ViewFollowerOptions,
    opened: { folder: string; views: Views; partitions: number },
  ) {
    this.#options = options;
    this.#folder = opened.folder;
    this.#partitions = opened.partitions;
    this.views = opened.views;
  }

  /** Opens the existing views of the folder, or creates empty ones. Throws `ViewsInUseError`, `StreamError`. */
  static async open(options: ViewFollowerOptions): Promise<ViewFollower> {
    const { name, dataDir, brokers, prefix, competitions, topics = SOURCES, log } = options;
    const folder = join(dataDir, name);
    const names = topics.map((topic) => topicName(prefix, topic));
    const ids = Object.fromEntries(await topicIds(brokers, names));
    const states = [topicName(prefix, 'match-state')];
    const { length: partitions } = await topicBounds({ brokers, clientId: `touchline-${name}` }, states);
    const served = competitions === null ? 'all' : [...competitions].sort((a, b) => a - b).join(',');
    const source = { ...ids, competitions: served };
    const { views, fresh } = Views.open({
      folder,
      source,
      competitions,
      maxAgeMs: MAX_AGE_MS,
      boot: bootId(),
      now: Date.now(),
    });
    if (competitions !== null) log.info({ competitions: served }, 'serves some competitions only');
    if (fresh !== null) log.info({ why: fresh }, 'rebuilds the views');
    return new ViewFollower(options, { folder, views, partitions });
  }

  /** Whether all records that existed at the start are applied, and the views are intact. */
  get ready(): boolean {
    return this.#caughtUp;
  }

  /** Starts to follow the topics for services that listen. Returns them as one, which closes the views when they have stopped. */
  serve(services: readonly RunningService[]): RunningService {
    this.#start();
    return {
      ready: () => services.every((service) => service.ready()),
      stop: () => this.#close(Promise.all(services.map((service) => service.stop()))),
    };
  }

  /** Starts to apply the topics' records, and to delete messages of the feed that are older than their retention. */
  #start(): void {
    const { topics = SOURCES, feedRetentionMs, log } = this.#options;
    const startedAt = performance.now();
    this.#following = this.#read(topics, () => {
      this.views.caughtUp(this.#partitions);
      this.#caughtUp = true;
      log.info({ seconds: Math.round((performance.now() - startedAt) / 100) / 10 }, 'caught up');
    }).catch((error: unknown) => this.#fail(error));
    const sweep = (): void => {
      try {
        // A wall clock that is ahead for a moment must not delete what readers may still ask for.
        const now = Math.min(Date.now(), performance.timeOrigin + performance.now());
        const more = this.views.feed.sweep(now - feedRetentionMs);
        this.#nextSweep = setTimeout(sweep, more ? SWEEP_PAUSE_MS : SWEEP_MS);
      } catch (error) {
        this.#fail(error);
      }
    };
    if (topics.includes('normalized-messages')) sweep();
  }

  /** If only some competitions are served, reads first in which one each event is: events outside are then never written. */
  async #read(topics: readonly SourceTopic[], onCaughtUp: () => void): Promise<void> {
    const { competitions, signal } = this.#options;
    const stopping = AbortSignal.any([signal, this.#stopping.signal]);
    if (competitions !== null) {
      const first = topics.filter((topic) => TREE_TOPICS.has(topic));
      const treeRead = new AbortController();
      await this.#follow(first, AbortSignal.any([stopping, treeRead.signal]), () => treeRead.abort());
    }
    if (!stopping.aborted) await this.#follow(topics, stopping, onCaughtUp);
  }

  #follow(topics: readonly SourceTopic[], signal: AbortSignal, onCaughtUp: () => void): Promise<void> {
    const { prefix, registryUrl, name, metrics } = this.#options;
    return followSources({
      ...this.#options,
      topics,
      offsets: this.views.offsets(),
      epochs: this.views.epochs(),
      apply: (records, positions) => {
        this.#report(applyRecords(this.views, records, positions, Date.now()));
        this.#nextCommit ??= setTimeout(() => this.#commit(), COMMIT_MS);
        // The latency of records from before the start would measure the start.
        if (this.#caughtUp) metrics.applied(records, Date.now());
      },
      reader: `touchline-${name}`,
      registry: Registry.open({ url: registryUrl, prefix }),
      signal,
      onCaughtUp,
      onUpToDate: (topic, partition, at) => {
        if (topic === 'match-state') this.views.freshness.readToEnd(partition, at);
        if (topic === 'trading-halts') this.views.halts.table.readTo(at);
      },
      onUnreadable: (topic, { key, offset }) => {
        if (topic === 'trading-halts') this.views.halts.table.doubt(key ?? '', offset);
      },
    });
  }

  /** Logs that states of a partition were lost: once, however many matches or tables lost theirs. */
  #report(lost: readonly LostState[]): void {
    const { log, prefix } = this.#options;
    for (const { topic: name, partition, known, record } of lost) {
      const topic = topicName(prefix, name);
      const of = partitionKey({ topic, partition });
      if (this.#lostStates.has(of)) continue;
      this.#lostStates.add(of);
      const [until, processor] = LOST[name];
      log.error(
        { code: 'VERSION_WENT_BACK', topic, partition, version: record.version, known },
        `${wentBackText(name, known, record)}; ${until} until it has that version again; ` +
          `derive all with ${rebuildCommand(processor)}`,
      );
    }
  }

  #commit(): void {
    this.#nextCommit = undefined;
    try {
      this.views.commit();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#options.fail(isUnwritable(error) ? new FolderError('DATA_DIR', this.#folder, error) : error);
  }

  /** Call with the error of a failed request: if the views are damaged, calls `fail`. */
  onFailure(error: unknown): void {
    if (!isBroken(error)) return;
    // The next query of damaged views may succeed with wrong rows.
    this.#caughtUp = false;
    this.#options.fail(error);
  }

  /** Stops following, then closes the views when `requestsDone` resolves. Deletes damaged or incomplete views. */
  async #close(requestsDone: Promise<unknown>): Promise<void> {
    const { log, signal } = this.#options;
    clearTimeout(this.#nextSweep);
    clearTimeout(this.#nextCommit);
    this.#stopping.abort();
    await Promise.all([requestsDone, this.#following]);
    try {
      this.views.close();
    } catch (error) {
      log.warn(
        { err: error },
        'the last changes of the views were not stored: the next start reads them again',
      );
    }
    const isIncomplete = INCOMPLETE_VIEWS.some((kind) => signal.reason instanceof kind);
    if (!isBroken(signal.reason) && !isIncomplete) return;
    removeViews(this.#folder);
    log.warn('the next start rebuilds the views');
  }
}
