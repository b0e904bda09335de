import type { ResultTeam } from '#topics/generated/types.ts';
import { lowerBound } from '../sorted.ts';
import { compareOrder, type Game } from './games.ts';

/**
 * An aggregate over games that supports adding and removing one game: after both it equals the aggregate without that
 * game. So it counts in whole numbers, or holds the games themselves.
 */
export type View<T> = {
  readonly empty: () => T;
  /** Adds a game to a view (1), or removes it (-1). */
  readonly change: (of: T, game: Game, times: 1 | -1) => void;
};

type CachedView = { readonly of: unknown; readonly change: (game: Game, times: 1 | -1) => void };

/** A view of games outside a set. */
export function viewOf<T>({ empty, change }: View<T>, games: Iterable<Game>): T {
  const of = empty();
  for (const game of games) change(of, game, 1);
  return of;
}

/** The games of a set that match a predicate. */
export function subset(holds: (game: Game) => boolean): View<GameSet> {
  return {
    empty: () => new GameSet(),
    change: (set, game, times) => {
      if (!holds(game)) return;
      if (times === 1) set.add(game);
      else set.remove(game);
    },
  };
}

/**
 * Games in order, each once, with incremental views: a view is built from all games on first use, then updated with
 * each game. So a game costs the same in a long season as in a short one.
 */
export class GameSet {
  readonly #games: Game[] = [];
  readonly #ofTeam = new Map<number, Game[]>();
  readonly #views = new Map<unknown, CachedView>();

  get size(): number {
    return this.#games.length;
  }

  /** Adds a game that is not in the set. */
  add(game: Game): void {
    insertInOrder(this.#games, game);
    this.#addTo(game.home, game);
    this.#addTo(game.away, game);
    for (const { change } of this.#views.values()) change(game, 1);
  }

  /** Removes a game that is in the set. */
  remove(game: Game): void {
    removeInOrder(this.#games, game);
    this.#removeFrom(game.home, game);
    this.#removeFrom(game.away, game);
    for (const { change } of this.#views.values()) change(game, -1);
  }

  #addTo({ id }: ResultTeam, game: Game): void {
    const own = this.#ofTeam.get(id);
    if (own === undefined) this.#ofTeam.set(id, [game]);
    else insertInOrder(own, game);
  }

  #removeFrom({ id }: ResultTeam, game: Game): void {
    const own = this.#ofTeam.get(id) ?? [];
    removeInOrder(own, game);
    if (own.length === 0) this.#ofTeam.delete(id);
  }

  /** A read-only view of the current games. */
  view<T>(view: View<T>): T {
    const cached = this.#views.get(view);
    if (cached !== undefined) return cached.of as T;
    const of = viewOf(view, this.#games);
    this.#views.set(view, { of, change: (game, times) => view.change(of, game, times) });
    return of;
  }

  /** Oldest first. */
  [Symbol.iterator](): Iterator<Game> {
    return this.#games.values();
  }

  /** The teams that have a game. */
  teamIds(): Iterable<number> {
    return this.#ofTeam.keys();
  }

  /** The games of a team, oldest first. */
  ofTeam(id: number): readonly Game[] {
    return this.#ofTeam.get(id) ?? [];
  }

  /** The newest game, except those in `without`. */
  last(without?: ReadonlySet<Game>): Game | undefined {
    return this.#games.findLast((game) => !without?.has(game));
  }

  /** The games that begin at a time (as in `Game.start`) or later. */
  from(start: string): Game[] {
    return this.#games.slice(this.#games.findLastIndex((game) => game.start < start) + 1);
  }

  /** Every team by id, as last reported. */
  teams(): Map<number, ResultTeam> {
    const teams = new Map<number, ResultTeam>();
    for (const [id, games] of this.#ofTeam) {
      const named = games.findLast((game) => sideOf(game, id).name !== null) ?? games[0];
      if (named !== undefined) teams.set(id, sideOf(named, id));
    }
    return teams;
  }
}

function sideOf({ home, away }: Game, id: number): ResultTeam {
  return home.id === id ? home : away;
}

/** An item with a place in the order of games. */
type InOrder = Pick<Game, 'start' | 'eventId'>;

/** Inserts an item into an ordered list, after the items of the same game. */
export function insertInOrder<T extends InOrder>(list: T[], item: T): void {
  const last = list.at(-1);
  // Most items are the newest.
  if (last === undefined || compareOrder(last, item) <= 0) list.push(item);
  else list.splice(placeOf(list, item), 0, item);
}

/** Removes the item of a game from an ordered list. */
export function removeInOrder(list: InOrder[], item: InOrder): void {
  list.splice(placeOf(list, item) - 1, 1);
}

/** The index after the item's place. */
function placeOf(list: readonly InOrder[], item: InOrder): number {
  return lowerBound(list, (other) => compareOrder(other, item) <= 0);
}

/**
 * Games up to somewhere in the season: all but those `without`, which are few, for they are the newest. `day`: whose
 * corrections are in force; null: all that are known.
 */
export type Stand = {
  readonly games: GameSet;
  readonly without: ReadonlySet<Game>;
  readonly day: string | null;
};
