import { randomUUID } from 'node:crypto';
import { toWholeNumber } from '#json/values.ts';
import type { CatalogueRecord, PollerCheckpoint } from '#records/types.ts';
import { createCatalogue } from '../catalogue/catalogue.ts';
import { CATALOGUES, catalogueResource, listsReader } from '../catalogue/lists.ts';
import { rankingsReader, readLeagues } from '../catalogue/standings.ts';
import type { PollerConfig } from '../config.ts';
import { FEED, feedFollower, feedWaitMs } from '../feed/feed.ts';
import { feedReporter, pollStatus } from '../feed/poll-status.ts';
import type { PollerMetrics } from '../metrics.ts';
import type { ProviderClient } from '../provider/provider.ts';
import { createEventPublisher } from '../publish/events.ts';
import type { TopicWriter } from '../publish/topic-writer.ts';
import { missingEvents } from '../reconcile/missing-events.ts';
import { FINISHED, MISSING, reconciler } from '../reconcile/reconcile.ts';
import { MatchWatch, type WatchSettings } from '../reconcile/watch.ts';
import { contractScope, type RepeatContext, type Repeated, repeat } from './repeat.ts';

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

/** Resources: the live board of a sport, a season; prefixes of those of its league tables, and of a ranking. */
const boardOf = (sport: number): string => `livescore/${sport}`;
const seasonOf = (season: number): string => `season/${season}`;
const LEAGUES = 'leagues/';
const RANKING = 'ranking/';
/** Maximum interval between searches for seasons to follow, and for due checks. */
const SEARCH_MS = 1_000;

/** Polls from the checkpoints until `signal`. Rejects with the first error that is no `ProviderError`, once all reads have ended. */
export async function poll(options: PollerOptions, signal: AbortSignal): Promise<void> {
  const term = beginTerm(options, signal);
  for (const begin of [followFeed, readBoards, readCatalogues, readSeasons, readRankings, reconcile])
    begin(term);
  // Reads add further reads to the list while they run.
  for (const reading of term.readings) await reading;
  const { setLag, stopped, watched, refusedLists } = options.metrics;
  setLag(() => null);
  for (const gauge of [stopped, watched, refusedLists]) gauge.reset();
  if (term.failed.aborted && !signal.aborted) throw term.failed.reason;
}

type PollingTerm = ReturnType<typeof beginTerm>;

/** Returns the shared state of the repeated reads of one term. */
function beginTerm(options: PollerOptions, signal: AbortSignal) {
  const { config, provider, topicWriter, restored, clock } = options;
  const { FOLLOW_SPORTS, FOLLOW_SEASONS, FOLLOW_COMPETITIONS } = config;
  const context: RepeatContext = { ...options, contract: contractScope(options) };
  const sports = new Set(FOLLOW_SPORTS);
  const catalogue = createCatalogue(restored.catalogue.values(), topicWriter);
  const seasonsToFollow = () =>
    FOLLOW_SEASONS.length > 0
      ? FOLLOW_SEASONS
      : catalogue.actualSeasons(sports, new Set(FOLLOW_COMPETITIONS));
  const watch = new MatchWatch(watchSettings(config), positionsOf(restored, FINISHED));
  const read = new Set([...sports].map(boardOf).concat(seasonsToFollow().map(seasonOf)));
  // The events of the lists that this poller reads, as the last one knew them.
  const saved = [...restored.checkpoints.values()].filter(({ resource }) => read.has(resource));
  const missing = missingEvents(
    positionsOf(restored, MISSING),
    saved.map(({ resource, events }) => [resource, events]),
    clock.monotonic(),
  );
  for (const id of missing.ids()) watch.suspect(id, clock.monotonic());
  const eventPublisher = createEventPublisher(topicWriter, clock);
  const failed = new AbortController();
  /** Aborted when the term ends or a read fails permanently. */
  const working = AbortSignal.any([signal, failed.signal]);
  const readings: Promise<void>[] = [];
  const repeated = new Set<string>();
  /** Adds a running read. When it fails, all others end. */
  const track = (reading: Promise<void>): void => {
    readings.push(reading.catch((error: unknown) => failed.abort(error)));
  };
  return {
    ...options,
    context,
    sports,
    catalogue,
    seasonsToFollow,
    watch,
    missing,
    lists: listsReader({ ...options, catalogue, watch, eventPublisher }),
    reconciler: reconciler({ ...options, catalogue, watch, missing, eventPublisher, context }),
    failed: failed.signal,
    working,
    readings,
    track,
    /** Repeats a read of a resource that is not read repeatedly yet. */
    repeat(resource: string, periodMs: number, readOnce: Repeated['read']): void {
      if (repeated.has(resource)) return;
      repeated.add(resource);
      const untilMissing = resource.startsWith(RANKING);
      const reading = { resource, periodMs: () => periodMs, untilMissing, read: readOnce };
      track(repeat(reading, context, working).finally(() => repeated.delete(resource)));
    },
    /** Makes the events due that the lists no longer have, or have again. */
    async onList(list: string, listed: ReadonlySet<number>): Promise<void> {
      const now = clock.monotonic();
      for (const id of missing.onList(list, listed, now)) watch.suspect(id, now);
      const unsaved = missing.unsaved(list);
      if (unsaved !== null) await topicWriter.checkpoint(list, await provider.time(), unsaved);
    },
    positionOf: (resource: string): number | null => restored.checkpoints.get(resource)?.position ?? null,
  };
}

function followFeed(term: PollingTerm): void {
  const { config, provider, topicWriter, clock, metrics, log, watch, missing, context, working } = term;
  const settle = config.FEED_SETTLE_SECONDS;
  const status = pollStatus(randomUUID(), settle, () => watch.refusedLists());
  let messageAt = clock.monotonic();
  const follower = feedFollower({
    window: config.FEED_WINDOW_SECONDS,
    settle,
    initial: config.FEED_INITIAL_SECONDS,
    position: term.positionOf(FEED),
    time: () => provider.time(),
    page: (query, during) => provider.get({ operation: 'feed.index', query, first: true }, during),
    topicWriter,
    clock,
    onMessage: (message) => {
      const { event_id, unreadable, received_at, ut } = message;
      messageAt = clock.monotonic();
      // Only for the feed: messages made from lists were received before, or are as old as the match.
      if (unreadable === null) metrics.stages.provider_to_received(received_at - ut * 1_000);
      watch.onMessage(message, messageAt);
      if (missing.onMessage(event_id, messageAt)) watch.suspect(event_id, messageAt);
    },
    onCounts: (counts) => status.received(counts, clock.unix()),
    onClockBack: (position, now) => log.warn({ position, now }, 'the clock of the provider was set back'),
    onGap: (from, to) => {
      log.error({ from, to }, 'the provider refuses this part of the feed, skips it');
      status.skipped(from, to);
    },
  });
  const reading = () => ({
    position: follower.position(),
    providerNow: provider.estimatedTime() ?? clock.unix() / 1000,
  });
  metrics.setLag(() => {
    const time = provider.estimatedTime();
    const position = follower.position();
    return time === null || position === null ? null : Math.max(0, time - position);
  });
  const reporter = feedReporter(status, topicWriter, clock);
  status.begin(reading());
  term.track(reporter.run(working));
  const periodMs = () =>
    feedWaitMs(config.FEED_PERIOD_MS, watch.counts().live, clock.monotonic() - messageAt);
  const read: Repeated['read'] = (signal) => reporter.during(() => follower.read(signal), reading);
  term.track(repeat({ resource: FEED, periodMs, read }, context, working));
}

function readBoards({ sports, config, lists, watch, repeat: begin, onList }: PollingTerm): void {
  for (const sport of sports)
    begin(boardOf(sport), config.LIVESCORE_PERIOD_MS, async (signal) => {
      const listed = await lists.readBoard(sport, signal);
      watch.onBoard(sport, listed);
      await onList(boardOf(sport), listed);
    });
}

function readCatalogues({ sports, config, lists, catalogue, repeat: begin, positionOf }: PollingTerm): void {
  for (const kind of CATALOGUES)
    for (const sport of kind.bySport ? sports : [0]) {
      const resource = catalogueResource(kind, sport);
      // A checkpoint without records means that the catalogue topic was recreated: everything is read.
      let since = catalogue.has(kind.kind) ? positionOf(resource) : null;
      begin(resource, config.CATALOGUE_PERIOD_MS, async (signal) => {
        since = await lists.readCatalogue(kind, sport, since, signal);
      });
    }
}

/** Reads the events and the provider's league tables of each followed season while it is current. */
function readSeasons(term: PollingTerm): void {
  const { config, provider, topicWriter, missing, lists, catalogue, watch, metrics } = term;
  const { SCHEDULE_PERIOD_MS, STANDINGS_PERIOD_MS } = config;
  let wanted: ReadonlySet<number> = new Set();
  const readEvents = async (list: string, season: number, signal: AbortSignal): Promise<unknown> => {
    if (!wanted.has(season)) {
      missing.forget(list);
      await topicWriter.forget(list);
      return 'end';
    }
    const listed = await lists.readSeason(season, signal);
    // An empty list proves nothing (law 3): a season does not lose all its matches at once.
    return listed.size > 0 && term.onList(list, listed);
  };
  term.repeat('seasons', Math.min(SEARCH_MS, SCHEDULE_PERIOD_MS), async () => {
    wanted = new Set(term.seasonsToFollow());
    for (const season of wanted) {
      const list = seasonOf(season);
      term.repeat(list, SCHEDULE_PERIOD_MS, (signal) => readEvents(list, season, signal));
      term.repeat(`${LEAGUES}${season}`, STANDINGS_PERIOD_MS, async (signal) =>
        wanted.has(season) ? readLeagues(provider, catalogue, season, signal) : 'end',
      );
    }
    for (const [state, count] of Object.entries(watch.counts())) metrics.watched.set({ state }, count);
    metrics.refusedLists.reset();
    for (const { reason } of watch.refusedLists()) metrics.refusedLists.inc({ reason });
  });
}

/** Reads the rankings that the catalogue of standings lists, each until it is deleted; again when it is listed again. */
function readRankings(term: PollingTerm): void {
  const { STANDINGS_PERIOD_MS: periodMs } = term.config;
  const rankings = rankingsReader(term);
  for (const sport of term.sports) {
    // A starting poller reads the whole catalogue: no checkpoint lists the rankings.
    let since: number | null = null;
    term.repeat(`standings/${sport}`, periodMs, async (signal) => {
      const { ids, time } = await rankings.readList(sport, since, signal);
      since = time;
      for (const id of ids) term.repeat(`${RANKING}${id}`, periodMs, (during) => rankings.read(id, during));
    });
  }
}

function reconcile({ config, reconciler, track, working }: PollingTerm): void {
  const { UNCONFIRMED_PERIOD_MS, SILENCE_MS, REQUEST_CONCURRENCY } = config;
  const pauseMs = Math.min(SEARCH_MS, UNCONFIRMED_PERIOD_MS, SILENCE_MS) / 4;
  for (let at = 0; at < REQUEST_CONCURRENCY; at++) track(reconciler.run(pauseMs, working));
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
