import type { ResultTeam } from '#records/types.ts';
import { compareOrder, type Game } from './games.ts';

/** Games, oldest first, and what tables read of them. */
export class GameSet {
  readonly #games: readonly Game[];
  readonly #ofTeam = new Map<number, Game[]>();
  readonly #views = new Map<unknown, unknown>();

  constructor(games: Iterable<Game> = []) {
    this.#games = [...games].sort(compareOrder);
    for (const game of this.#games) {
      for (const { id } of [game.home, game.away]) {
        const own = this.#ofTeam.get(id);
        if (own === undefined) this.#ofTeam.set(id, [game]);
        else own.push(game);
      }
    }
  }

  get size(): number {
    return this.#games.length;
  }

  [Symbol.iterator](): Iterator<Game> {
    return this.#games.values();
  }

  /** Returns what `read` returns for the games, which it reads once. */
  view<T>(read: (games: GameSet) => T): T {
    if (!this.#views.has(read)) this.#views.set(read, read(this));
    return this.#views.get(read) as T;
  }

  teamIds(): Iterable<number> {
    return this.#ofTeam.keys();
  }

  ofTeam(id: number): readonly Game[] {
    return this.#ofTeam.get(id) ?? [];
  }

  last(): Game | undefined {
    return this.#games.at(-1);
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

const subset = (holds: (game: Game) => boolean) => (games: GameSet) => new GameSet([...games].filter(holds));

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
