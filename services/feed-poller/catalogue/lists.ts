import { formatDate } from '#contract/rest/parameters.ts';
import { type CatalogueItem, readCatalogueItem } from '#ingestion/catalogue.ts';
import type { MachineClock } from '#timing/clock.ts';
import type { FeedAnswer } from '../provider/answer.ts';
import { readPages } from '../provider/paging.ts';
import type { ProviderClient, ProviderRequest } from '../provider/provider.ts';
import { idOf, type Raw, readList, readTree } from '../provider/tree.ts';
import type { EventPublisher } from '../publish/events.ts';
import type { TopicWriter } from '../publish/topic-writer.ts';
import type { MatchWatch } from '../reconcile/watch.ts';
import type { Catalogue } from './catalogue.ts';

/** Maximum page sizes of catalogues and of events (spec, "Limits"). */
const CATALOGUE_PAGE = 500;
const EVENT_PAGE = 150;
/** Range of start times on the live board around now, seconds. It allows for a provider whose days are not UTC's. */
const BOARD_BACK_SECONDS = 86_400;
const BOARD_AHEAD_SECONDS = 43_200;

type ListsOptions = {
  readonly provider: Pick<ProviderClient, 'get' | 'time'>;
  readonly catalogue: Catalogue;
  readonly eventPublisher: EventPublisher;
  readonly topicWriter: Pick<TopicWriter, 'checkpoint'>;
  readonly watch: MatchWatch;
  readonly clock: Pick<MachineClock, 'monotonic'>;
};

type CatalogueKind = (typeof CATALOGUES)[number];

/** The catalogues, each after those that it refers to. `list`: its name in `data`; null when that is a tree of competitions. */
export const CATALOGUES = [
  { kind: 'sport', operation: 'sports.index', list: 'sports', bySport: false },
  { kind: 'area', operation: 'areas.index', list: 'areas', bySport: false },
  { kind: 'language', operation: 'languages.index', list: 'languages', bySport: false },
  { kind: 'status', operation: 'statuses.index', list: 'statuses', bySport: false },
  { kind: 'incident', operation: 'incidents.index', list: 'incidents', bySport: true },
  { kind: 'standings_type', operation: 'standings-types.index', list: 'standings_types', bySport: true },
  { kind: 'competition', operation: 'competitions.index', list: null, bySport: true },
  { kind: 'stage', operation: 'stages.index', list: null, bySport: true },
] as const;

export function catalogueResource({ kind, bySport }: CatalogueKind, sport: number): string {
  return bySport ? `catalogue/${kind}/${sport}` : `catalogue/${kind}`;
}

/** Reads the provider's lists and publishes their changes. All methods throw `ProviderError` and `PublishError`. */
export function listsReader(options: ListsOptions) {
  const { provider, catalogue, eventPublisher, topicWriter, watch, clock } = options;
  const readEvents = async (request: ProviderRequest, signal: AbortSignal): Promise<ReadonlySet<number>> => {
    const entries: CatalogueItem[] = [];
    // Pages count events: a page may end inside a stage, and each page has a whole tree.
    const itemsOf = ({ data }: FeedAnswer): readonly Raw[] => {
      const tree = readTree(data);
      entries.push(...tree.entries);
      return tree.events;
    };
    const paging = { absenceCounts: false, idOf, itemsOf };
    const { timestamp, items } = await readPages(provider, request, paging, signal);
    await catalogue.publish(entries, timestamp);
    await eventPublisher.publish(items, { operation: request.operation, time: timestamp });
    for (const event of items) watch.onEvent(event, timestamp, clock.monotonic());
    return new Set(items.map(({ id }) => Number(id)));
  };
  return {
    /** Reads a catalogue's records since Unix seconds (null: all). Returns the next `since`. */
    async readCatalogue(
      catalogueKind: CatalogueKind,
      sport: number,
      since: number | null,
      signal: AbortSignal,
    ): Promise<number> {
      const { kind, operation, list, bySport } = catalogueKind;
      const query = {
        ...(bySport ? { sport_id: sport } : {}),
        ...(since === null ? {} : { timestamp: since }),
        limit: CATALOGUE_PAGE,
      };
      const parentId = kind === 'standings_type' ? String(sport) : null;
      const entries: CatalogueItem[] = [];
      const itemsOf = ({ data }: FeedAnswer): CatalogueItem[] => {
        const read =
          list === null
            ? readTree(data).entries
            : readList(data, list).flatMap((raw) => readCatalogueItem(kind, raw, parentId) ?? []);
        entries.push(...read);
        return read.filter((entry) => entry.kind === kind);
      };
      const paging = { absenceCounts: true, idOf: ({ id }: CatalogueItem) => id, itemsOf };
      const { timestamp } = await readPages(provider, { operation, query }, paging, signal);
      await catalogue.publish(entries, timestamp);
      await topicWriter.checkpoint(catalogueResource(catalogueKind, sport), timestamp);
      return timestamp;
    },
    /** Reads all events of a season. Returns their ids. */
    readSeason(seasonId: number, signal: AbortSignal): Promise<ReadonlySet<number>> {
      const query = { season_id: seasonId, limit: EVENT_PAGE };
      return readEvents({ operation: 'events.index', query }, signal);
    },
    /** Reads the live board of a sport. Returns the ids of its events. */
    async readBoard(sport: number, signal: AbortSignal): Promise<ReadonlySet<number>> {
      const now = await provider.time();
      const query = {
        sport_id: sport,
        events_details: 'yes',
        date_from: formatDate(Math.max(0, now - BOARD_BACK_SECONDS)),
        date_to: formatDate(now + BOARD_AHEAD_SECONDS),
        limit: EVENT_PAGE,
      };
      return readEvents({ operation: 'livescore.index', query }, signal);
    },
  };
}
