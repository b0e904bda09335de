import { compareOrder, type Game } from './games.ts';
import type { Team } from './types.ts';

/**
 * Something that is made of games one by one and unmade in the same way: after games came and went it tells what it
 * would tell had they never come. So it counts in whole numbers, or keeps the games themselves.
 */
export type View<T> = {
  readonly empty: () => T;
  /** Changes a view by a game that comes (1), or goes (-1). */
  readonly change: (of: T, game: Game, times: 1 | -1) => void;
};

type CachedView = { readonly of: unknown; readonly change: (game: Game, times: 1 | -1) => void };

/** A view of some games that are in no set. */
export function viewOf<T>({ empty, change }: View<T>, games: Iterable<Game>): T {
  const of = empty();
  for (const game of games) change(of, game, 1);
  return of;
}

/** The games of a set for which something holds. */
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
 * Games in order, each once, with the views that were asked for: these are made of all games the first time, and
 * changed with each game from then on. So a game costs the same in a long season as in a short one.
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

  #addTo({ id }: Team, game: Game): void {
    const own = this.#ofTeam.get(id);
    if (own === undefined) this.#ofTeam.set(id, [game]);
    else insertInOrder(own, game);
  }

  #removeFrom({ id }: Team, game: Game): void {
    const own = this.#ofTeam.get(id) ?? [];
    removeInOrder(own, game);
    if (own.length === 0) this.#ofTeam.delete(id);
  }

  /** A view of the games as they are now, for reading. */
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

  /** The newest game that is not among some. */
  last(without?: ReadonlySet<Game>): Game | undefined {
    return this.#games.findLast((game) => !without?.has(game));
  }

  /** The games that begin at a time (as in `Game.start`) or later. */
  from(start: string): Game[] {
    return this.#games.slice(this.#games.findLastIndex((game) => game.start < start) + 1);
  }

  /** Every team by id, as it was told last. */
  teams(): Map<number, Team> {
    const teams = new Map<number, Team>();
    for (const [id, games] of this.#ofTeam) {
      const named = games.findLast((game) => sideOf(game, id).name !== null) ?? games[0];
      if (named !== undefined) teams.set(id, sideOf(named, id));
    }
    return teams;
  }
}

function sideOf({ home, away }: Game, id: number): Team {
  return home.id === id ? home : away;
}

/** What has a place in the order of games. */
type InOrder = Pick<Game, 'start' | 'eventId'>;

/** Puts an item in its place in a list that is in order, after what is of the same game. */
export function insertInOrder<T extends InOrder>(list: T[], item: T): void {
  const last = list.at(-1);
  // Most of what comes is the newest.
  if (last === undefined || compareOrder(last, item) <= 0) list.push(item);
  else list.splice(placeOf(list, item), 0, item);
}

/** Takes the item of a game out of a list that is in order. */
export function removeInOrder(list: InOrder[], item: InOrder): void {
  list.splice(placeOf(list, item) - 1, 1);
}

/** Where the items after one begin. */
function placeOf(list: readonly InOrder[], item: InOrder): number {
  let from = 0;
  let to = list.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const at = list[middle];
    if (at !== undefined && compareOrder(at, item) <= 0) from = middle + 1;
    else to = middle;
  }
  return from;
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
