import { randomUUID } from 'node:crypto';
import { toWholeNumber } from '#contract/values.ts';
import type { Logger } from '#streams/log.ts';
import type { MachineClock } from '#timing/clock.ts';
import type { CatalogueRecord, PollerCheckpoint } from '#topics/generated/types.ts';
import { Catalogue } from '../catalogue/catalogue.ts';
import { CATALOGUES, catalogueResource, Lists } from '../catalogue/lists.ts';
import { Rankings } from '../catalogue/rankings.ts';
import { FEED, FeedFollower, type FeedSettings, feedWaitMs } from '../feed/feed.ts';
import { FeedReporter } from '../feed/feed-reporter.ts';
import { PollStatus } from '../feed/poll-status.ts';
import type { PollerMetrics } from '../metrics.ts';
import type { ProviderClient } from '../provider/provider.ts';
import type { Raw } from '../provider/tree.ts';
import { EventPublisher } from '../publish/events.ts';
import type { TopicWriter } from '../publish/topic-writer.ts';
import { FINISHED, Reconciler } from '../reconcile/reconcile.ts';
import { MatchWatch, type WatchSettings } from '../reconcile/watch.ts';
import { type RepeatContext, type Repeated, repeat } from './repeat.ts';

/** Scope and periods (milliseconds) of a poller. */
export type PollerSettings = {
  readonly sports: ReadonlySet<number>;
  /** Empty: all. */
  readonly competitions: ReadonlySet<number>;
  /** Empty: the current ones. */
  readonly seasons: ReadonlySet<number>;
  readonly feed: FeedSettings;
  readonly watch: Omit<WatchSettings, 'follows'>;
  readonly feedMs: number;
  readonly boardMs: number;
  readonly scheduleMs: number;
  readonly catalogueMs: number;
  readonly standingsMs: number;
  /** Concurrent checks. */
  readonly concurrency: number;
};

/** Records restored from the topics, also those of an earlier poller. */
type RestoredRecords = {
  readonly catalogue: ReadonlyMap<string, CatalogueRecord>;
  readonly checkpoints: ReadonlyMap<string, PollerCheckpoint>;
};

/** Dependencies of a poller. */
export type PollerOptions = {
  readonly settings: PollerSettings;
  readonly provider: ProviderClient;
  readonly topicWriter: TopicWriter;
  readonly restored: RestoredRecords;
  readonly clock: MachineClock;
  readonly context: RepeatContext;
  readonly metrics: PollerMetrics;
  readonly log: Logger;
};

/** Prefix of the resource of a season. */
const SEASON = 'season/';
/** Prefix of the resource of a ranking. */
const RANKING = 'ranking/';
/** Longest pause between looks for seasons to follow and for due checks. */
const LOOK_MS = 1_000;

/**
 * Polls from the checkpoints until `signal` is aborted. Resolves when all its reads have ended. Rejects with any error
 * that is not the provider's, e.g. the broker's, once all other reads have ended.
 */
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
  readonly #signal: AbortSignal;
  readonly #failed = new AbortController();
  /** Aborted when the term is over or a read has failed for good. */
  readonly #working: AbortSignal;
  readonly #readings: Promise<void>[] = [];
  readonly #catalogue: Catalogue;
  readonly #watch: MatchWatch;
  readonly #eventPublisher: EventPublisher;
  readonly #lists: Lists;

  constructor(options: PollerOptions, signal: AbortSignal) {
    const { settings, provider, topicWriter, restored, clock, context } = options;
    this.#options = options;
    this.#signal = signal;
    this.#working = AbortSignal.any([signal, this.#failed.signal]);
    this.#catalogue = new Catalogue(restored.catalogue.values(), topicWriter, () => context.contract.widen());
    this.#watch = new MatchWatch({ ...settings.watch, follows: followed(settings) }, verifiedOf(restored));
    this.#eventPublisher = new EventPublisher(topicWriter, clock);
    this.#lists = new Lists({
      provider,
      catalogue: this.#catalogue,
      eventPublisher: this.#eventPublisher,
      topicWriter,
      onEvents: (events, time) => {
        for (const event of events) this.#watch.onEvent(event, time, clock.monotonic());
      },
    });
  }

  followFeed(): void {
    const { settings, provider, topicWriter, clock, metrics, log, context } = this.#options;
    const status = new PollStatus(randomUUID(), settings.feed.settle);
    let messageAt = clock.monotonic();
    const follower = new FeedFollower({
      ...settings.feed,
      position: this.#positionOf(FEED),
      time: () => provider.time(),
      page: (query, during) => provider.get({ operation: 'feed.index', query, first: true }, during),
      topicWriter,
      clock,
      onMessage: (message) => {
        messageAt = clock.monotonic();
        // Of the feed alone: what lists say was received before, or is as old as the match.
        metrics.stages.provider_to_received(message.received_at - message.ut * 1_000);
        this.#watch.onMessage(message, messageAt);
      },
      onClockBack: (position, now) => log.warn({ position, now }, 'the clock of the provider went back'),
      onGap: (from, to) => {
        log.error({ from, to }, 'the provider refuses this part of the feed, skips it');
        status.skipped(from, to);
      },
    });
    metrics.lagIs(() => {
      const time = provider.estimatedTime();
      return time === null || follower.position === null ? null : Math.max(0, time - follower.position);
    });
    const reporter = new FeedReporter({ status, topicWriter, clock });
    const reading = () => ({
      position: follower.position,
      providerNow: provider.estimatedTime() ?? clock.unix() / 1000,
    });
    status.begin(reading());
    this.#begin(reporter.run(this.#working));
    const periodMs = () =>
      feedWaitMs(settings.feedMs, {
        live: this.#watch.counts().live,
        silentMs: clock.monotonic() - messageAt,
      });
    const read: Repeated['read'] = (signal) => reporter.during(() => follower.read(signal), reading);
    this.#begin(repeat({ resource: FEED, periodMs, read }, context, this.#working));
  }

  readBoards(): void {
    const { sports, boardMs } = this.#options.settings;
    for (const sport of sports) {
      this.#repeat(`livescore/${sport}`, boardMs, async (signal) => {
        this.#watch.onBoard(sport, await this.#lists.readBoard(sport, signal));
        return 'done';
      });
    }
  }

  readCatalogues(): void {
    const { sports, catalogueMs } = this.#options.settings;
    for (const kind of CATALOGUES) {
      for (const sport of kind.bySport ? sports : [0]) {
        const resource = catalogueResource(kind, sport);
        // A checkpoint without records means that the catalogue topic was recreated: read all.
        let since = this.#catalogue.has(kind.kind) ? this.#positionOf(resource) : null;
        this.#repeat(resource, catalogueMs, async (signal) => {
          since = await this.#lists.readCatalogue(kind, sport, since, signal);
          return 'done';
        });
      }
    }
  }

  /** Reads the events of each followed season while it is current. */
  readSeasons(): void {
    const { scheduleMs } = this.#options.settings;
    const begun = new Set<number>();
    let wanted: ReadonlySet<number> = new Set();
    this.#repeat('seasons', Math.min(LOOK_MS, scheduleMs), async () => {
      wanted = this.#seasonsToFollow();
      for (const season of wanted) {
        if (begun.has(season)) continue;
        begun.add(season);
        this.#repeat(`${SEASON}${season}`, scheduleMs, async (signal) => {
          if (wanted.has(season)) {
            await this.#lists.readSeason(season, signal);
            return 'done';
          }
          begun.delete(season);
          return 'end';
        });
      }
      this.#countWatched();
      return 'done';
    });
  }

  /** Reads the rankings that the catalogue of standings lists, each until it is deleted. */
  readRankings(): void {
    const { sports, standingsMs } = this.#options.settings;
    const rankings = new Rankings(this.#options);
    const begun = new Set<number>();
    for (const sport of sports) {
      // All of it when a poller starts: no checkpoint lists the rankings.
      let since: number | null = null;
      this.#repeat(`standings/${sport}`, standingsMs, async (signal) => {
        const { ids, time } = await rankings.readList(sport, since, signal);
        since = time;
        for (const id of ids) {
          if (begun.has(id)) continue;
          begun.add(id);
          // A deleted ranking is read again when the catalogue lists it again.
          const ended = () => begun.delete(id);
          this.#repeat(`${RANKING}${id}`, standingsMs, (during) => rankings.read(id, during), ended);
        }
        return 'done';
      });
    }
  }

  reconcile(): void {
    const { settings } = this.#options;
    const { unconfirmedMs, silenceMs } = settings.watch;
    const reconciler = new Reconciler({
      ...this.#options,
      watch: this.#watch,
      eventPublisher: this.#eventPublisher,
      catalogue: this.#catalogue,
    });
    const pauseMs = Math.min(LOOK_MS, unconfirmedMs, silenceMs) / 4;
    for (let at = 0; at < settings.concurrency; at++) {
      this.#begin(reconciler.run(pauseMs, this.#working));
    }
  }

  /** Resolves or rejects when all has ended. */
  async ended(): Promise<void> {
    const { metrics } = this.#options;
    // Reads add further reads while they run.
    for (const reading of this.#readings) await reading;
    metrics.lagIs(() => null);
    metrics.watched.reset();
    if (this.#failed.signal.aborted && !this.#signal.aborted) throw this.#failed.signal.reason;
  }

  #repeat(resource: string, periodMs: number, read: Repeated['read'], ended: () => void = () => {}): void {
    const oneOfMany = resource.startsWith(SEASON) || resource.startsWith(RANKING);
    const reading = { resource, periodMs: () => periodMs, oneOfMany, read };
    this.#begin(repeat(reading, this.#options.context, this.#working).finally(ended));
  }

  #begin(reading: Promise<void>): void {
    this.#readings.push(reading.catch((error: unknown) => this.#failed.abort(error)));
  }

  #positionOf(resource: string): number | null {
    return this.#options.restored.checkpoints.get(resource)?.position ?? null;
  }

  #seasonsToFollow(): ReadonlySet<number> {
    const { seasons, sports, competitions } = this.#options.settings;
    return seasons.size > 0 ? seasons : new Set(this.#catalogue.actualSeasons(sports, competitions));
  }

  #countWatched(): void {
    const { live, finished } = this.#watch.counts();
    this.#options.metrics.watched.set({ state: 'live' }, live);
    this.#options.metrics.watched.set({ state: 'finished' }, finished);
  }
}

function followed({ sports, competitions, seasons }: PollerSettings): (event: Raw) => boolean {
  const holds = (wanted: ReadonlySet<number>, id: unknown): boolean =>
    wanted.size === 0 || wanted.has(toWholeNumber(id) ?? -1);
  return (event) =>
    holds(sports, event.sport_id) &&
    holds(competitions, event.competition_id) &&
    holds(seasons, event.season_id);
}

function* verifiedOf({ checkpoints }: RestoredRecords): Generator<[id: number, position: number]> {
  for (const [resource, { position }] of checkpoints) {
    if (resource.startsWith(FINISHED)) yield [Number(resource.slice(FINISHED.length)), position];
  }
}
