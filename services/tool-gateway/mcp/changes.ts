/** Notifies subscribers of changed resources, each only of those its contract covers at that time. */
import type { OperationName } from '#contract/rest/operations.ts';
import type { Access } from '#contract/rest/provider.ts';
import { isCovered } from '#views/queries/access.ts';
import type { BoardView, Views } from '#views/store/views.ts';
import type { AccessOf } from './caller.ts';
import { changedLists, type ListKeys, type ListKind } from './list-watch.ts';
import { getMatch } from './tools/match.ts';
import { covers } from './tools.ts';
import { matchUri, tableUri } from './uris.ts';

export type Subscriber = {
  readonly clientId: number;
  /** The resource has changed; subscribed or not. Must not throw. */
  changed(uri: string): void;
  /** A list of the client has changed. Must not throw. */
  listChanged(kind: ListKind): void;
};

export type ChangesOptions = {
  readonly view: Pick<BoardView, 'onChange' | 'onTable' | 'tables' | 'rankings' | 'matchHealth' | 'state'> &
    Pick<Views, 'judgedMatches'>;
  readonly accessOf: AccessOf;
  /** What the lists of a contract have now. */
  readonly listsOf: (access: Access) => ListKeys;
  /** The competition of a season; null where it is not known. */
  readonly competitionOf: (seasonId: number) => number | null;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** A change is notified of at once, and those of the next milliseconds together: the messages of a goal follow each other. */
const GATHER_MS = 10;
/** How often the feeds are checked: they expire by time alone. Their notifications are not batched. */
const BELIEF_EVERY_MS = 100;
const LISTS_EVERY_MS = 1_000;

/** Follows the views. `close` it. */
export class ChangeNotifier {
  readonly #options: ChangesOptions;
  /** Each subscriber with the lists that it knows; null while it has no contract. */
  readonly #subscribers = new Map<Subscriber, ListKeys | null>();
  readonly #stopFollowing: readonly (() => void)[];
  /** The competition of each match that has changed, by event. */
  readonly #matches = new Map<number, number | null>();
  /** Seasons whose tables have changed; null is the tables of none. */
  readonly #seasons = new Set<number | null>();
  #gathering: NodeJS.Timeout | undefined;
  /** By `performance.now()`. */
  #notifiedAt = Number.NEGATIVE_INFINITY;
  /** State and reason of the feed of each match, by event, at the last check; checked while there are subscribers. */
  #feeds = new Map<number, string>();
  #looking: readonly NodeJS.Timeout[] = [];

  constructor(options: ChangesOptions) {
    this.#options = options;
    const { view } = options;
    this.#stopFollowing = [
      view.onChange(({ event_id, competition_id }) => {
        if (this.#gather()) this.#matches.set(event_id, competition_id);
      }),
      view.onTable((seasonId) => {
        if (this.#gather()) this.#seasons.add(seasonId);
      }),
    ];
  }

  /** Notifies a subscriber of every change from now on, until the returned function is called. */
  subscribe(subscriber: Subscriber): () => void {
    if (this.#subscribers.size === 0) {
      this.#feeds = this.#feedsNow();
      this.#looking = [
        setInterval(() => this.#look(), BELIEF_EVERY_MS).unref(),
        setInterval(() => this.#lookAtLists(), LISTS_EVERY_MS).unref(),
      ];
    }
    const access = this.#options.accessOf(subscriber.clientId);
    this.#subscribers.set(subscriber, access === undefined ? null : this.#options.listsOf(access));
    return () => {
      this.#subscribers.delete(subscriber);
      if (this.#subscribers.size === 0) this.#stopLooking();
    };
  }

  close(): void {
    for (const stop of this.#stopFollowing) stop();
    clearTimeout(this.#gathering);
    this.#stopLooking();
    this.#subscribers.clear();
  }

  /** Whether there are subscribers. */
  #gather(): boolean {
    if (this.#subscribers.size === 0) return false;
    const wait = Math.max(0, this.#notifiedAt + GATHER_MS - performance.now());
    this.#gathering ??= setTimeout(() => this.#notify(), wait);
    return true;
  }

  #notify(): void {
    this.#gathering = undefined;
    this.#notifiedAt = performance.now();
    for (const [id, competitionId] of this.#matches) this.#sendMatch(id, competitionId);
    const { view, competitionOf } = this.#options;
    for (const seasonId of this.#seasons) {
      const tables = seasonId === null ? view.rankings() : view.tables(seasonId);
      const competitionId = seasonId === null ? null : competitionOf(seasonId);
      for (const { standings_id } of tables)
        this.#send(tableUri(standings_id), competitionId, ['standings.show']);
    }
    this.#matches.clear();
    this.#seasons.clear();
  }

  /** Notifies of matches that become stale or recover. */
  #look(): void {
    const before = this.#feeds;
    this.#feeds = this.#feedsNow();
    for (const [id, feed] of this.#feeds)
      if (before.get(id) !== feed) this.#sendMatch(id, this.#options.view.state(id)?.competition_id ?? null);
  }

  #feedsNow(): Map<number, string> {
    const { view, now } = this.#options;
    const at = now();
    return new Map(
      view.judgedMatches().map((id) => {
        const { state, reason } = view.matchHealth(id, at);
        return [id, `${state} ${reason}`];
      }),
    );
  }

  #sendMatch(id: number, competitionId: number | null): void {
    this.#send(matchUri(id), competitionId, getMatch.operations);
  }

  /** Notifies of changed lists; a contract's are read once for all of its subscribers. */
  #lookAtLists(): void {
    const { accessOf, listsOf } = this.#options;
    const read = new Map<Access, ListKeys>();
    for (const [subscriber, before] of this.#subscribers) {
      const access = accessOf(subscriber.clientId);
      if (access === undefined) continue;
      const after = read.get(access) ?? listsOf(access);
      read.set(access, after);
      this.#subscribers.set(subscriber, after);
      if (before !== null) for (const kind of changedLists(before, after)) subscriber.listChanged(kind);
    }
  }

  #stopLooking(): void {
    for (const timer of this.#looking) clearInterval(timer);
    this.#looking = [];
  }

  /** Notifies of a changed resource whom its operations and its competition are open to. */
  #send(uri: string, competitionId: number | null, operations: readonly OperationName[]): void {
    for (const subscriber of this.#subscribers.keys()) {
      const access = this.#options.accessOf(subscriber.clientId);
      if (access !== undefined && covers(access, operations) && isCovered(access, competitionId))
        subscriber.changed(uri);
    }
  }
}
