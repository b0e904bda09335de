import type { ResultTeam } from '#records/types.ts';
import { lowerBound } from '../sorted.ts';
import { compareOrder, type Game } from './games.ts';

/**
 * The definition of an aggregate over games, to which a game can be added and removed. After both, the aggregate equals the
 * one before: so it counts in whole numbers, or holds the games themselves.
 */
export type GameView<T> = {
  readonly empty: () => T;
  /** Adds a game to a view (1), or removes it (-1). */
  readonly change: (value: T, game: Game, times: 1 | -1) => void;
};

type CachedView = { readonly value: unknown; readonly change: (game: Game, times: 1 | -1) => void };

/** Returns a view of some games. */
export function viewOf<T>({ empty, change }: GameView<T>, games: Iterable<Game>): T {
  const value = empty();
  for (const game of games) change(value, game, 1);
  return value;
}

/** Defines the view of the games that match a predicate. */
export function subset(holds: (game: Game) => boolean): GameView<GameSet> {
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
 * Games in order, each once, with incremental views. A view is built from all games on first use, then updated with
 * each game: a game costs the same in a long season as in a short one.
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

  /**
   * Returns a view of the current games, to be read only. `rules`: those that the view is defined by, if any; two views never
   * share them.
   */
  view<T>(view: GameView<T>, rules: object = view): T {
    const cached = this.#views.get(rules);
    if (cached !== undefined) return cached.value as T;
    const value = viewOf(view, this.#games);
    this.#views.set(rules, { value, change: (game, times) => view.change(value, game, times) });
    return value;
  }

  /** Iterates over the games, oldest first. */
  [Symbol.iterator](): Iterator<Game> {
    return this.#games.values();
  }

  /** Returns the ids of the teams that have a game. */
  teamIds(): Iterable<number> {
    return this.#ofTeam.keys();
  }

  /** Returns the games of a team, oldest first. */
  ofTeam(id: number): readonly Game[] {
    return this.#ofTeam.get(id) ?? [];
  }

  /** Returns the newest game that is not in `without`. */
  last(without?: ReadonlySet<Game>): Game | undefined {
    return this.#games.findLast((game) => !without?.has(game));
  }

  /** Returns the games that begin at a time (as in `Game.start`) or later. */
  from(start: string): Game[] {
    return this.#games.slice(this.#games.findLastIndex((game) => game.start < start) + 1);
  }

  /** Returns every team by id, as last reported with a name. */
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

/** The fields that decide the order of games. */
type InOrder = Pick<Game, 'start' | 'eventId'>;

/** Inserts an item into an ordered list, after the items of the same game. */
export function insertInOrder<T extends InOrder>(list: T[], item: T): void {
  const last = list.at(-1);
  // Most items are the newest.
  if (last === undefined || compareOrder(last, item) <= 0) list.push(item);
  else list.splice(indexAfter(list, item), 0, item);
}

/** Removes the item of a game from an ordered list. */
export function removeInOrder(list: InOrder[], item: InOrder): void {
  list.splice(indexAfter(list, item) - 1, 1);
}

/** Returns the index after the item. */
function indexAfter(list: readonly InOrder[], item: InOrder): number {
  return lowerBound(list, (other) => compareOrder(other, item) <= 0);
}

/**
 * The games up to a point in the season: all games but those in `without`, which are few since they are the newest. `day`: the
 * day whose corrections are in force; null: all corrections are.
 */
export type SeasonCutoff = {
  readonly games: GameSet;
  readonly without: ReadonlySet<Game>;
  readonly day: string | null;
};
