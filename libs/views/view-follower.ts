import { join } from 'node:path';
import { topicBounds, topicIds } from '#cluster/logs.ts';
import { FolderError } from '#security/folders.ts';
import type { RunningService } from '#service/run-service.ts';
import { PositionLostError } from '#streams/read/follow.ts';
import { Registry } from '#topics/registry.ts';
import type { RegistryUrl } from '#topics/registry-http.ts';
import { topicName } from '#topics/topics.ts';
import { Ingest, type IngestOptions } from './ingest.ts';
import { VIEW_TOPICS, type ViewTopic } from './records.ts';
import { EventMovedInError } from './store/coverage.ts';
import { bootId, isBroken, isUnwritable, removeViews, ViewsLostError } from './store/database.ts';
import { COMMIT_MS, Views } from './store/views.ts';

/** Views that were unused for longer are rebuilt: brokers delete tombstones after a day. */
const MAX_AGE_MS = 12 * 3_600_000;
const SWEEP_MS = 10_000;
/** Pause between two parts of a sweep, in which requests are served. */
const SWEEP_PAUSE_MS = 20;

/** Errors after which the views lack records, so that the next start rebuilds them. */
const INCOMPLETE_VIEWS = [PositionLostError, EventMovedInError, ViewsLostError];

/** The folder of the views, and the topics that they are built from. */
type ViewFollowerOptions = Pick<
  IngestOptions,
  'brokers' | 'prefix' | 'competitions' | 'feedRetentionMs' | 'urgentPaceMs' | 'metrics' | 'log' | 'signal'
> & {
  /** Name of the service; its views are in the folder of that name in `dataDir`. */
  readonly name: string;
  readonly dataDir: string;
  readonly registryUrl: RegistryUrl;
  /** Default: all of `VIEW_TOPICS`. */
  readonly topics?: readonly ViewTopic[];
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
    const { name, dataDir, brokers, prefix, competitions, topics = VIEW_TOPICS, log } = options;
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
    const { name, prefix, registryUrl, topics = VIEW_TOPICS, feedRetentionMs, log, signal } = this.#options;
    const startedAt = performance.now();
    const ingest = new Ingest({
      ...this.#options,
      views: this.views,
      topics,
      reader: `touchline-${name}`,
      registry: Registry.open({ url: registryUrl, prefix }),
      signal: AbortSignal.any([signal, this.#stopping.signal]),
      onApplied: () => {
        this.#nextCommit ??= setTimeout(() => this.#commit(), COMMIT_MS);
      },
      onCaughtUp: () => {
        this.views.caughtUp(this.#partitions);
        this.#caughtUp = true;
        log.info({ seconds: Math.round((performance.now() - startedAt) / 100) / 10 }, 'caught up');
      },
    });
    this.#following = ingest.run().catch((error: unknown) => this.#fail(error));
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
