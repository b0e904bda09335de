import { randomUUID } from 'node:crypto';
import { toWholeNumber } from '#json/values.ts';
import type { CatalogueRecord, PollerCheckpoint } from '#records/types.ts';
import { Catalogue } from '../catalogue/catalogue.ts';
import { CATALOGUES, catalogueResource, Lists } from '../catalogue/lists.ts';
import { Rankings, readLeagues } from '../catalogue/standings.ts';
import type { PollerConfig } from '../config.ts';
import { FEED, FeedFollower, feedWaitMs } from '../feed/feed.ts';
import { feedReporter, PollStatus } from '../feed/poll-status.ts';
import type { PollerMetrics } from '../metrics.ts';
import type { ProviderClient } from '../provider/provider.ts';
import { EventPublisher } from '../publish/events.ts';
import type { TopicWriter } from '../publish/topic-writer.ts';
import { MissingEvents } from '../reconcile/missing-events.ts';
import { FINISHED, MISSING, Reconciler } from '../reconcile/reconcile.ts';
import { MatchWatch, type WatchSettings } from '../reconcile/watch.ts';
import { ContractScope, type RepeatContext, type Repeated, repeat } from './repeat.ts';

/** The last record of each key of the poller's topics. */
type RestoredRecords = {
  readonly catalogue: ReadonlyMap<string, CatalogueRecord>;
  readonly checkpoints: ReadonlyMap<string, PollerCheckpoint>;
};

type PollerOptions = {
  readonly config: PollerConfig;
  readonly provider: ProviderClient;
  readonly topicWriter: TopicWriter;
  readonly restored: RestoredRecords;
  readonly metrics: PollerMetrics;
} & Omit<RepeatContext, 'contract' | 'metrics'>;

/** Prefixes of resources: the live board of a sport, a season, its league tables, a ranking. */
const BOARD = 'livescore/';
const SEASON = 'season/';
const LEAGUES = 'leagues/';
const RANKING = 'ranking/';
/** Maximum interval between searches for seasons to follow, and for due checks. */
const SEARCH_MS = 1_000;

/** Polls from the checkpoints until `signal`. Rejects with the first error that is no `ProviderError`, once all reads have ended. */
export async function poll(options: PollerOptions, signal: AbortSignal): Promise<void> {
  const polling = new Polling(options, signal);
  polling.followFeed();
  polling.readBoards();
  polling.readCatalogues();
  polling.readSeasons();
  polling.readRankings();
  polling.reconcile();
  await polling.ended();
}

/** The repeated reads of one term, and their shared state. */
class Polling {
  readonly #options: PollerOptions;
  readonly #context: RepeatContext;
  readonly #sports: ReadonlySet<number>;
  readonly #signal: AbortSignal;
  readonly #failed = new AbortController();
  /** Aborted when the term ends or a read fails permanently. */
  readonly #working: AbortSignal;
  readonly #readings: Promise<void>[] = [];
  /** The resources that are read repeatedly. */
  readonly #repeated = new Set<string>();
  readonly #catalogue: Catalogue;
  readonly #watch: MatchWatch;
  readonly #missing: MissingEvents;
  readonly #lists: Lists;
  readonly #reconciler: Reconciler;

  constructor(options: PollerOptions, signal: AbortSignal) {
    const { config, topicWriter, restored, clock } = options;
    this.#options = options;
    this.#context = { ...options, contract: new ContractScope(options) };
    this.#sports = new Set(config.FOLLOW_SPORTS);
    this.#signal = signal;
    this.#working = AbortSignal.any([signal, this.#failed.signal]);
    const catalogue = new Catalogue(restored.catalogue.values(), topicWriter);
    this.#catalogue = catalogue;
    const watch = new MatchWatch(watchSettings(config), positionsOf(restored, FINISHED));
    this.#watch = watch;
    const absences = positionsOf(restored, MISSING);
    const missing = new MissingEvents(absences, this.#listsOf(restored), clock.monotonic());
    this.#missing = missing;
    for (const id of missing.ids()) watch.suspect(id, clock.monotonic());
    const eventPublisher = new EventPublisher(topicWriter, clock);
    this.#lists = new Lists({ ...options, catalogue, watch, eventPublisher });
    const shared = { catalogue, watch, missing, eventPublisher, context: this.#context };
    this.#reconciler = new Reconciler({ ...options, ...shared });
  }

  followFeed(): void {
    const { config, provider, topicWriter, clock, metrics, log } = this.#options;
    const settle = config.FEED_SETTLE_SECONDS;
    const status = new PollStatus(randomUUID(), settle, () => this.#watch.refusedLists());
    let messageAt = clock.monotonic();
    const follower = new FeedFollower({
      window: config.FEED_WINDOW_SECONDS,
      settle,
      initial: config.FEED_INITIAL_SECONDS,
      position: this.#positionOf(FEED),
      time: () => provider.time(),
      page: (query, during) => provider.get({ operation: 'feed.index', query, first: true }, during),
      topicWriter,
      clock,
      onMessage: (message) => {
        const { event_id, unreadable, received_at, ut } = message;
        messageAt = clock.monotonic();
        // Only for the feed: messages made from lists were received before, or are as old as the match.
        if (unreadable === null) metrics.stages.provider_to_received(received_at - ut * 1_000);
        this.#watch.onMessage(message, messageAt);
        if (this.#missing.onMessage(event_id, messageAt)) this.#watch.suspect(event_id, messageAt);
      },
      onCounts: (counts) => status.received(counts, clock.unix()),
      onClockBack: (position, now) => log.warn({ position, now }, 'the clock of the provider was set back'),
      onGap: (from, to) => {
        log.error({ from, to }, 'the provider refuses this part of the feed, skips it');
        status.skipped(from, to);
      },
    });
    const reading = () => ({
      position: follower.position,
      providerNow: provider.estimatedTime() ?? clock.unix() / 1000,
    });
    metrics.setLag(() => {
      const time = provider.estimatedTime();
      return time === null || follower.position === null ? null : Math.max(0, time - follower.position);
    });
    const reporter = feedReporter(status, topicWriter, clock);
    status.begin(reading());
    this.#track(reporter.run(this.#working));
    const periodMs = () =>
      feedWaitMs(config.FEED_PERIOD_MS, this.#watch.counts().live, clock.monotonic() - messageAt);
    const read: Repeated['read'] = (signal) => reporter.during(() => follower.read(signal), reading);
    this.#track(repeat({ resource: FEED, periodMs, read }, this.#context, this.#working));
  }

  readBoards(): void {
    for (const sport of this.#sports) {
      const board = `${BOARD}${sport}`;
      this.#repeat(board, this.#options.config.LIVESCORE_PERIOD_MS, async (signal) => {
        const listed = await this.#lists.readBoard(sport, signal);
        this.#watch.onBoard(sport, listed);
        await this.#onList(board, listed);
      });
    }
  }

  readCatalogues(): void {
    for (const kind of CATALOGUES) {
      for (const sport of kind.bySport ? this.#sports : [0]) {
        const resource = catalogueResource(kind, sport);
        // A checkpoint without records means that the catalogue topic was recreated: everything is read.
        let since = this.#catalogue.has(kind.kind) ? this.#positionOf(resource) : null;
        this.#repeat(resource, this.#options.config.CATALOGUE_PERIOD_MS, async (signal) => {
          since = await this.#lists.readCatalogue(kind, sport, since, signal);
        });
      }
    }
  }

  /** Reads the events and the provider's league tables of each followed season while it is current. */
  readSeasons(): void {
    const { config, provider, topicWriter } = this.#options;
    const { SCHEDULE_PERIOD_MS, STANDINGS_PERIOD_MS } = config;
    let wanted: ReadonlySet<number> = new Set();
    const readEvents = async (list: string, season: number, signal: AbortSignal): Promise<unknown> => {
      if (!wanted.has(season)) {
        this.#missing.forget(list);
        await topicWriter.forget(list);
        return 'end';
      }
      const listed = await this.#lists.readSeason(season, signal);
      // An empty list proves nothing (law 3): a season does not lose all its matches at once.
      return listed.size > 0 && this.#onList(list, listed);
    };
    this.#repeat('seasons', Math.min(SEARCH_MS, SCHEDULE_PERIOD_MS), async () => {
      wanted = this.#seasonsToFollow();
      for (const season of wanted) {
        const list = `${SEASON}${season}`;
        this.#repeat(list, SCHEDULE_PERIOD_MS, (signal) => readEvents(list, season, signal));
        this.#repeat(`${LEAGUES}${season}`, STANDINGS_PERIOD_MS, async (signal) =>
          wanted.has(season) ? readLeagues(provider, this.#catalogue, season, signal) : 'end',
        );
      }
      this.#countWatched();
    });
  }

  /** Reads the rankings that the catalogue of standings lists, each until it is deleted; again when it is listed again. */
  readRankings(): void {
    const { STANDINGS_PERIOD_MS: periodMs } = this.#options.config;
    const rankings = new Rankings(this.#options);
    for (const sport of this.#sports) {
      // A starting poller reads the whole catalogue: no checkpoint lists the rankings.
      let since: number | null = null;
      this.#repeat(`standings/${sport}`, periodMs, async (signal) => {
        const { ids, time } = await rankings.readList(sport, since, signal);
        since = time;
        for (const id of ids)
          this.#repeat(`${RANKING}${id}`, periodMs, (during) => rankings.read(id, during));
      });
    }
  }

  reconcile(): void {
    const { UNCONFIRMED_PERIOD_MS, SILENCE_MS, REQUEST_CONCURRENCY } = this.#options.config;
    const pauseMs = Math.min(SEARCH_MS, UNCONFIRMED_PERIOD_MS, SILENCE_MS) / 4;
    for (let at = 0; at < REQUEST_CONCURRENCY; at++)
      this.#track(this.#reconciler.run(pauseMs, this.#working));
  }

  /** Throws the error that ended all reads. */
  async ended(): Promise<void> {
    const { setLag, stopped, watched, refusedLists } = this.#options.metrics;
    // Reads add further reads to the list while they run.
    for (const reading of this.#readings) await reading;
    setLag(() => null);
    for (const gauge of [stopped, watched, refusedLists]) gauge.reset();
    if (this.#failed.signal.aborted && !this.#signal.aborted) throw this.#failed.signal.reason;
  }

  /** Repeats a read of a resource that is not read repeatedly yet. */
  #repeat(resource: string, periodMs: number, read: Repeated['read']): void {
    if (this.#repeated.has(resource)) return;
    this.#repeated.add(resource);
    const reading = { resource, periodMs: () => periodMs, untilMissing: resource.startsWith(RANKING), read };
    const ended = repeat(reading, this.#context, this.#working);
    this.#track(ended.finally(() => this.#repeated.delete(resource)));
  }

  /** Makes the events due that the lists no longer have, or have again. */
  async #onList(list: string, listed: ReadonlySet<number>): Promise<void> {
    const { clock, provider, topicWriter } = this.#options;
    const now = clock.monotonic();
    for (const id of this.#missing.onList(list, listed, now)) this.#watch.suspect(id, now);
    const unsaved = this.#missing.unsaved(list);
    if (unsaved !== null) await topicWriter.checkpoint(list, await provider.time(), unsaved);
  }

  /** Returns the events of the lists that this poller reads, as the last one knew them. */
  #listsOf({ checkpoints }: RestoredRecords): [list: string, events: readonly number[]][] {
    const read = new Set([
      ...Array.from(this.#sports, (sport) => `${BOARD}${sport}`),
      ...Array.from(this.#seasonsToFollow(), (season) => `${SEASON}${season}`),
    ]);
    return [...checkpoints].flatMap(([list, { events }]) => (read.has(list) ? [[list, events]] : []));
  }

  /** Adds a running read. When it fails, all others end. */
  #track(reading: Promise<void>): void {
    this.#readings.push(reading.catch((error: unknown) => this.#failed.abort(error)));
  }

  #positionOf(resource: string): number | null {
    return this.#options.restored.checkpoints.get(resource)?.position ?? null;
  }

  #seasonsToFollow(): ReadonlySet<number> {
    const { FOLLOW_SEASONS: seasons, FOLLOW_COMPETITIONS: competitions } = this.#options.config;
    return new Set(
      seasons.length > 0 ? seasons : this.#catalogue.actualSeasons(this.#sports, new Set(competitions)),
    );
  }

  #countWatched(): void {
    const { watched, refusedLists } = this.#options.metrics;
    for (const [state, count] of Object.entries(this.#watch.counts())) watched.set({ state }, count);
    refusedLists.reset();
    for (const { reason } of this.#watch.refusedLists()) refusedLists.inc({ reason });
  }
}

function watchSettings(config: PollerConfig): WatchSettings {
  const matches = (wanted: readonly number[], id: unknown): boolean =>
    wanted.length === 0 || wanted.includes(toWholeNumber(id) ?? -1);
  return {
    unconfirmedMs: config.UNCONFIRMED_PERIOD_MS,
    silenceMs: config.SILENCE_MS,
    verifyMs: config.VERIFY_PERIOD_MS,
    settleMs: config.FEED_SETTLE_SECONDS * 1000,
    verifyWithin: config.VERIFY_DAYS * 86_400,
    follows: (event) =>
      matches(config.FOLLOW_SPORTS, event.sport_id) &&
      matches(config.FOLLOW_COMPETITIONS, event.competition_id) &&
      matches(config.FOLLOW_SEASONS, event.season_id),
  };
}

function positionsOf({ checkpoints }: RestoredRecords, prefix: string): [id: number, position: number][] {
  return [...checkpoints]
    .filter(([resource]) => resource.startsWith(prefix))
    .map(([resource, { position }]) => [Number(resource.slice(prefix.length)), position]);
}
