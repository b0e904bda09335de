/** Notifies subscribers of changed resources, each only of those its contract covers at that time. */
import type { OperationName } from '#contract/rest/operations.ts';
import { isCovered } from '#views/queries/access.ts';
import type { BoardView } from '#views/store/board-view.ts';
import type { Views } from '#views/store/views.ts';
import type { AccessOf } from './caller.ts';
import { getMatch } from './tools/match.ts';
import { covers } from './tools.ts';
import { matchUri, tableUri } from './uris.ts';

export type Subscriber = {
  readonly clientId: number;
  /** The resource has changed; subscribed or not. Must not throw. */
  changed(uri: string): void;
};

export type ChangesOptions = {
  readonly view: Pick<BoardView, 'onChange' | 'onTable' | 'tables' | 'rankings' | 'matchHealth' | 'state'> &
    Pick<Views, 'judgedMatches'>;
  readonly accessOf: AccessOf;
  /** The competition of a season; null where it is not known. */
  readonly competitionOf: (seasonId: number) => number | null;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** A change is notified of at once, and those of the next milliseconds together: the messages of a goal follow each other. */
const GATHER_MS = 10;
/** How often the feeds are checked: they expire by time alone. Their notifications are not batched. */
const BELIEF_EVERY_MS = 100;

/** Follows the views. `close` it. */
export class ChangeNotifier {
  readonly #options: ChangesOptions;
  readonly #subscribers = new Set<Subscriber>();
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
  #looking: NodeJS.Timeout | undefined;

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
      this.#looking = setInterval(() => this.#look(), BELIEF_EVERY_MS).unref();
    }
    this.#subscribers.add(subscriber);
    return () => {
      this.#subscribers.delete(subscriber);
      if (this.#subscribers.size === 0) clearInterval(this.#looking);
    };
  }

  close(): void {
    for (const stop of this.#stopFollowing) stop();
    clearTimeout(this.#gathering);
    clearInterval(this.#looking);
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

  /** Notifies of a changed resource whom its operations and its competition are open to. */
  #send(uri: string, competitionId: number | null, operations: readonly OperationName[]): void {
    for (const { clientId, changed } of this.#subscribers) {
      const access = this.#options.accessOf(clientId);
      if (access !== undefined && covers(access, operations) && isCovered(access, competitionId))
        changed(uri);
    }
  }
}
