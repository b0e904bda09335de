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

/** Follows the views, and notifies subscribers. Call `close` at the end. */
export class ChangeNotifier {
  readonly #context: ServerContext;
  readonly #view: Views;
  /** Each subscriber with the last keys of its lists; null while its client has no contract. */
  readonly #subscribers = new Map<Subscriber, ListKeys | null>();
  /** Competitions of changed matches, by event id; null if unknown. */
  readonly #matches = new Map<number, number | null>();
  /** Seasons with changed tables; null stands for tables without a season. */
  readonly #seasons = new Set<number | null>();
  #batchTimer: NodeJS.Timeout | undefined;
  /** State and reason of each match's feed at the last check, with its halts by hand, by event id. */
  #feeds = new Map<number, string>();
  readonly #checks: readonly NodeJS.Timeout[];

  constructor(context: ServerContext, view: Views) {
    this.#context = context;
    this.#view = view;
    view.events.on('match', this.#onMatch).on('table', this.#onTable);
    this.#checks = [
      setInterval(() => this.#checkFeeds(), FEEDS_EVERY_MS).unref(),
      setInterval(() => this.#checkLists(), LISTS_EVERY_MS).unref(),
    ];
  }

  readonly #onMatch = ({ event_id, competition_id }: ShownState): void => {
    if (this.#scheduleBatch()) this.#matches.set(event_id, competition_id);
  };

  readonly #onTable = (seasonId: number | null): void => {
    if (this.#scheduleBatch()) this.#seasons.add(seasonId);
  };

  /** Notifies a subscriber of every later change, until the returned function is called. */
  subscribe(subscriber: Subscriber): () => void {
    if (this.#subscribers.size === 0) this.#feeds = this.#currentFeeds();
    const access = this.#context.accessOf(subscriber.clientId);
    this.#subscribers.set(subscriber, access === undefined ? null : this.#listsOf(access));
    return () => void this.#subscribers.delete(subscriber);
  }

  close(): void {
    this.#view.events.off('match', this.#onMatch).off('table', this.#onTable);
    clearTimeout(this.#batchTimer);
    for (const timer of this.#checks) clearInterval(timer);
    this.#subscribers.clear();
  }

  #scheduleBatch(): boolean {
    if (this.#subscribers.size === 0) return false;
    this.#batchTimer ??= setTimeout(() => this.#notify(), BATCH_MS);
    return true;
  }

  #notify(): void {
    this.#batchTimer = undefined;
    for (const [id, competitionId] of this.#matches) this.#sendMatch(id, competitionId);
    const { standings } = this.#view;
    for (const seasonId of this.#seasons) {
      const tables = seasonId === null ? standings.rankings() : standings.ofSeason(seasonId);
      const competitionId = seasonId === null ? null : this.#context.queries.competitionOf(seasonId);
      for (const { standings_id } of tables)
        this.#send(tableUri(standings_id), competitionId, ['standings.show']);
    }
    this.#matches.clear();
    this.#seasons.clear();
  }

  /** Notifies at once of matches whose feed changed, such as to stale or back. */
  #checkFeeds(): void {
    if (this.#subscribers.size === 0) return;
    const before = this.#feeds;
    this.#feeds = this.#currentFeeds();
    for (const [id, feed] of this.#feeds)
      if (before.get(id) !== feed) this.#sendMatch(id, this.#competitionOf(id));
  }

  #currentFeeds(): Map<number, string> {
    const view = this.#view;
    const at = this.#context.now();
    return new Map(
      view.health.matches().map((id) => {
        const { state, reason } = view.matchHealth(id, at);
        const competition_id = this.#competitionOf(id);
        const { isRead, standing } = view.halts.standing(at, { event_id: id, competition_id });
        const byHand = standing.map(({ scope, version }) => `${scope} ${version}`);
        return [id, `${state} ${reason} ${isRead} ${byHand}`];
      }),
    );
  }

  #competitionOf(matchId: number): number | null {
    return this.#view.matches.state(matchId)?.competition_id ?? null;
  }

  #sendMatch(id: number, competitionId: number | null): void {
    this.#send(matchUri(id), competitionId, getMatch.operations);
  }

  /** Notifies of changed lists. Reads the lists of a contract once for all of its subscribers. */
  #checkLists(): void {
    const read = new Map<Access, ListKeys>();
    for (const [subscriber, before] of this.#subscribers) {
      const access = this.#context.accessOf(subscriber.clientId);
      if (access === undefined) continue;
      const after = read.get(access) ?? this.#listsOf(access);
      read.set(access, after);
      this.#subscribers.set(subscriber, after);
      if (before === null) continue;
      for (const kind of ['tools', 'prompts', 'resources'] as const)
        if (before[kind] !== after[kind]) subscriber.send({ kind: `${kind}_list_changed` });
    }
  }

  #listsOf(access: Access): ListKeys {
    const scope = scopeOf(this.#context, access);
    // Counts tables, as listing thousands every second is expensive; `nameVersion` covers renamed ones.
    const tables = covers(access, getStandings.operations)
      ? scope.data.standingsList({ limit: 1, page: 1 }, access).total
      : 0;
    const names = (of: readonly { readonly name: string }[]): string[] => of.map(({ name }) => name);
    const readable = names(readableDocuments(this.#context.documents, access));
    return {
      tools: names(toolsOf(access)).join(),
      prompts: names(promptsOf(access)).join(),
      resources: [...readable, ...names(liveResources(scope)), tables, this.#view.nameVersion].join(),
    };
  }

  /** Notifies subscribers of a changed resource whose contract covers its operations and its competition. */
  #send(uri: string, competitionId: number | null, operations: readonly OperationName[]): void {
    for (const subscriber of this.#subscribers.keys()) {
      const access = this.#context.accessOf(subscriber.clientId);
      if (access !== undefined && covers(access, operations) && isCovered(access, competitionId))
        subscriber.send({ kind: 'resource_updated', uri });
    }
  }
}

type ListKind = 'tools' | 'prompts' | 'resources';

/** A text for each list, which changes with the list. */
type ListKeys = Readonly<Record<ListKind, string>>;
