import type { ResultTeam } from '#records/types.ts';
import { lowerBound } from '../sorted.ts';
import { compareOrder, type Game } from './games.ts';

/** An aggregate of games. Adding and removing a game leaves the one before: so it counts in whole numbers, or holds the games. */
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

/** Games in order, each once, with views that are updated with each game: one costs the same in a long season. */
export class GameSet {
  readonly #games: Game[] = [];
  readonly #ofTeam = new Map<number, Game[]>();
  readonly #views = new Map<unknown, CachedView>();

  get size(): number {
    return this.#games.length;
  }

  add(game: Game): void {
    insertInOrder(this.#games, game);
    this.#addTo(game.home, game);
    this.#addTo(game.away, game);
    for (const { change } of this.#views.values()) change(game, 1);
  }

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
    const own = this.#ofTeam.get(id) as Game[];
    removeInOrder(own, game);
    if (own.length === 0) this.#ofTeam.delete(id);
  }

  /** Returns a view of the current games, to be read only. `rules`: those that define it; two views never share them. */
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

  teamIds(): Iterable<number> {
    return this.#ofTeam.keys();
  }

  ofTeam(id: number): readonly Game[] {
    return this.#ofTeam.get(id) ?? [];
  }

  last(without?: ReadonlySet<Game>): Game | undefined {
    return this.#games.findLast((game) => !without?.has(game));
  }

  /** Returns the games that begin at a time (as in `Game.start`) or later. */
  from(start: string): Game[] {
    return this.#games.slice(this.#games.findLastIndex((game) => game.start < start) + 1);
  }

  teams(): Map<number, ResultTeam> {
    const teams = new Map<number, ResultTeam>();
    for (const [id, games] of this.#ofTeam) {
      const named = games.findLast((game) => sideOf(game, id).name !== null) ?? (games[0] as Game);
      teams.set(id, sideOf(named, id));
    }
    return teams;
  }
}

function sideOf({ home, away }: Game, id: number): ResultTeam {
  return home.id === id ? home : away;
}

type InOrder = Pick<Game, 'start' | 'eventId'>;

/** Inserts an item into an ordered list, after the items of the same game. */
export function insertInOrder<T extends InOrder>(list: T[], item: T): void {
  list.splice(indexAfter(list, item), 0, item);
}

/** Removes the item of a game from an ordered list. */
export function removeInOrder(list: InOrder[], item: InOrder): void {
  list.splice(indexAfter(list, item) - 1, 1);
}

function indexAfter(list: readonly InOrder[], item: InOrder): number {
  return lowerBound(list, (other) => compareOrder(other, item) <= 0);
}

/** The games up to a point: all but the newest in `without`. `day`: that of the corrections in force; null: all are. */
export type SeasonCutoff = {
  readonly games: GameSet;
  readonly without: ReadonlySet<Game>;
  readonly day: string | null;
};

/** Scheduled games. */
export const TO_COME = subset(({ state }) => state === 'to_come');
/** The games in play, including those whose score is unknown. */
export const PLAYING = subset(({ state }) => state === 'playing');
/** The games that count in the live table. */
export const KNOWN = subset(({ score }) => score !== null);
/** The games that count in all other tables. */
export const PLAYED = subset(({ state, score }) => state === 'played' && score !== null);
/** The games that have begun. */
export const BEGUN = subset(({ state }) => state === 'played' || state === 'playing');
