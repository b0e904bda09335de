import type { ServerEvent } from '@modelcontextprotocol/server';
import { covers, type OperationName } from '#contract/rest/operations.ts';
import type { Access } from '#contract/rest/provider.ts';
import { isCovered } from '#views/queries/access.ts';
import type { ShownState } from '#views/store/board-view.ts';
import type { Views } from '#views/store/views.ts';
import { promptsOf } from './prompts.ts';
import { liveResources, readableDocuments } from './resources.ts';
import { type ServerContext, scopeOf } from './server.ts';
import { getMatch } from './tools/match.ts';
import { getStandings } from './tools/standings.ts';
import { toolsOf } from './tools.ts';
import { matchUri, tableUri } from './uris.ts';

type Subscriber = {
  readonly clientId: number;
  /** Called for every changed resource, subscribed to or not, and for each changed list of the client. Must not throw. */
  readonly send: (event: ServerEvent) => void;
};

/** Time for which changes are collected, milliseconds: the messages of one goal follow each other. */
const BATCH_MS = 10;
/** Interval between checks of the feeds, milliseconds: a feed expires by time alone. */
const FEEDS_EVERY_MS = 100;
/** Interval between checks of the lists, milliseconds. */
const LISTS_EVERY_MS = 1_000;

export type ChangeNotifier = ReturnType<typeof changeNotifier>;

/** Follows the views, and notifies subscribers. Call `close` at the end. */
export function changeNotifier(context: ServerContext, view: Views) {
  const { accessOf, queries } = context;
  /** Each subscriber with the last keys of its lists; null while its client has no contract. */
  const subscribers = new Map<Subscriber, ListKeys | null>();
  /** Competitions of changed matches, by event id; null if unknown. */
  const matches = new Map<number, number | null>();
  /** Seasons with changed tables; null stands for tables without a season. */
  const seasons = new Set<number | null>();
  let batchTimer: NodeJS.Timeout | undefined;
  /** State and reason of each match's feed at the last check, with its halts by hand, by event id. */
  let feeds = new Map<number, string>();

  /** Notifies subscribers of a changed resource whose contract covers its operations and its competition. */
  const send = (uri: string, competitionId: number | null, operations: readonly OperationName[]): void => {
    for (const subscriber of subscribers.keys()) {
      const access = accessOf(subscriber.clientId);
      if (access !== undefined && covers(access, operations) && isCovered(access, competitionId))
        subscriber.send({ kind: 'resource_updated', uri });
    }
  };
  const sendMatch = (id: number, competitionId: number | null): void =>
    send(matchUri(id), competitionId, getMatch.operations);
  const competitionOf = (id: number): number | null => view.matches.state(id)?.competition_id ?? null;

  const sendBatch = (): void => {
    batchTimer = undefined;
    for (const [id, competitionId] of matches) sendMatch(id, competitionId);
    for (const seasonId of seasons) {
      const tables = seasonId === null ? view.standings.rankings() : view.standings.ofSeason(seasonId);
      const competitionId = seasonId === null ? null : queries.competitionOf(seasonId);
      for (const { standings_id } of tables) send(tableUri(standings_id), competitionId, ['standings.show']);
    }
    matches.clear();
    seasons.clear();
  };
  const scheduleBatch = (): boolean => {
    if (subscribers.size === 0) return false;
    batchTimer ??= setTimeout(sendBatch, BATCH_MS);
    return true;
  };
  const onMatch = ({ event_id, competition_id }: ShownState): void => {
    if (scheduleBatch()) matches.set(event_id, competition_id);
  };
  const onTable = (seasonId: number | null): void => {
    if (scheduleBatch()) seasons.add(seasonId);
  };
  view.events.on('match', onMatch).on('table', onTable);

  const currentFeeds = (): Map<number, string> => {
    const at = context.now();
    return new Map(
      view.health.matches().map((id) => {
        const { state, reason } = view.matchHealth(id, at);
        const { isRead, standing } = view.halts.standing(at, {
          event_id: id,
          competition_id: competitionOf(id),
        });
        const byHand = standing.map(({ scope, version }) => `${scope} ${version}`);
        return [id, `${state} ${reason} ${isRead} ${byHand}`];
      }),
    );
  };
  /** Notifies at once of matches whose feed changed, such as to stale or back, or is no longer known. */
  const checkFeeds = (): void => {
    if (subscribers.size === 0) return;
    const before = feeds;
    feeds = currentFeeds();
    for (const id of new Set([...before.keys(), ...feeds.keys()]))
      if (before.get(id) !== feeds.get(id)) sendMatch(id, competitionOf(id));
  };
  /** Notifies of changed lists. Reads the lists of a contract once for all of its subscribers. */
  const checkLists = (): void => {
    const read = new Map<Access, ListKeys>();
    for (const [subscriber, before] of subscribers) {
      const access = accessOf(subscriber.clientId);
      if (access === undefined) continue;
      const after = read.get(access) ?? listsOf(access, context, view.nameVersion);
      read.set(access, after);
      subscribers.set(subscriber, after);
      if (before === null) continue;
      for (const kind of ['tools', 'prompts', 'resources'] as const)
        if (before[kind] !== after[kind]) subscriber.send({ kind: `${kind}_list_changed` });
    }
  };
  const checks = [setInterval(checkFeeds, FEEDS_EVERY_MS), setInterval(checkLists, LISTS_EVERY_MS)];
  for (const timer of checks) timer.unref();

  return {
    /** Notifies a subscriber of every later change, until the returned function is called. */
    subscribe(subscriber: Subscriber): () => void {
      if (subscribers.size === 0) feeds = currentFeeds();
      const access = accessOf(subscriber.clientId);
      subscribers.set(subscriber, access === undefined ? null : listsOf(access, context, view.nameVersion));
      return () => void subscribers.delete(subscriber);
    },
    close(): void {
      view.events.off('match', onMatch).off('table', onTable);
      clearTimeout(batchTimer);
      for (const timer of checks) clearInterval(timer);
      subscribers.clear();
    },
  };
}

/** A text for each list, which changes with the list. */
type ListKeys = ReturnType<typeof listsOf>;

function listsOf(access: Access, context: ServerContext, nameVersion: number) {
  const scope = scopeOf(context, access);
  // Counts tables, as listing thousands every second is expensive; `nameVersion` covers renamed ones.
  const tables = covers(access, getStandings.operations)
    ? scope.data.standingsList({ limit: 1, page: 1 }, access).total
    : 0;
  const names = (of: readonly { readonly name: string }[]): string[] => of.map(({ name }) => name);
  const readable = names(readableDocuments(context.documents, access));
  return {
    tools: names(toolsOf(access)).join(),
    prompts: names(promptsOf(access)).join(),
    resources: [...readable, ...names(liveResources(scope)), tables, nameVersion].join(),
  };
}
