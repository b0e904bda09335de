/** Notifies subscribers of changed resources, each only of those its contract covers at that time. */
import { isCovered } from '#views/queries/access.ts';
import type { BoardView } from '#views/store/board-view.ts';
import type { AccessOf } from './caller.ts';
import { getMatch } from './tools/match.ts';
import { covers } from './tools.ts';
import { matchUri, tableUri } from './uris.ts';

/** A subscriber. */
export type Subscriber = {
  readonly clientId: number;
  /** The resource has changed; subscribed or not. Must not throw. */
  changed(uri: string): void;
};

export type ChangesOptions = {
  readonly view: Pick<BoardView, 'onChange' | 'onTable' | 'tables' | 'rankings'>;
  readonly accessOf: AccessOf;
  /** The competition of a season; null where it is not known. */
  readonly competitionOf: (seasonId: number) => number | null;
};

/** Changes are gathered for so long before a notification, milliseconds: a goal is several messages at once. */
const GATHER_MS = 250;

/** Follows the views. `close` it. */
export class Changes {
  readonly #options: ChangesOptions;
  readonly #subscribers = new Set<Subscriber>();
  readonly #stopFollowing: readonly (() => void)[];
  /** The competition of each match that has changed, by event. */
  readonly #matches = new Map<number, number | null>();
  /** Seasons whose tables have changed; null is the tables of none. */
  readonly #seasons = new Set<number | null>();
  #gathering: NodeJS.Timeout | undefined;

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
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  close(): void {
    for (const stop of this.#stopFollowing) stop();
    clearTimeout(this.#gathering);
    this.#subscribers.clear();
  }

  /** Whether there are subscribers. */
  #gather(): boolean {
    if (this.#subscribers.size === 0) return false;
    this.#gathering ??= setTimeout(() => this.#notify(), GATHER_MS);
    return true;
  }

  #notify(): void {
    this.#gathering = undefined;
    const changed = [...this.#changedMatches(), ...this.#changedTables()];
    this.#matches.clear();
    this.#seasons.clear();
    for (const subscriber of this.#subscribers) {
      const access = this.#options.accessOf(subscriber.clientId);
      if (access === undefined) continue;
      for (const { uri, competitionId, isTable } of changed) {
        const operations = isTable ? (['standings.show'] as const) : getMatch.operations;
        if (covers(access, operations) && isCovered(access, competitionId)) subscriber.changed(uri);
      }
    }
  }

  *#changedMatches() {
    for (const [id, competitionId] of this.#matches)
      yield { uri: matchUri(id), competitionId, isTable: false };
  }

  *#changedTables() {
    const { view, competitionOf } = this.#options;
    for (const seasonId of this.#seasons) {
      const tables = seasonId === null ? view.rankings() : view.tables(seasonId);
      const competitionId = seasonId === null ? null : competitionOf(seasonId);
      for (const { standings_id } of tables)
        yield { uri: tableUri(standings_id), competitionId, isTable: true };
    }
  }
}
