/** Measures the cost of one more goal and one more match as a season grows: a part of the bench of standings. */
import { SeasonTables } from '#domain/standings/season-tables.ts';
import { rulesOf } from '#domain/standings/testing/results.ts';
import type { MatchResult } from '#records/types.ts';
import { type BenchContext, median } from './context.ts';
import { sizeOf } from './size.ts';
import { MATCHES, resultOf } from './standings-season.ts';

/** Numbers of matches at the beginning and at the end of a season, and of one twice as long. */
const LENGTHS = [0.1, 1, 2].map((share) => Math.round(MATCHES * share));
/** Maximum ratio of a cost that counts as constant. */
const FLAT = 1.2;
const KIB = 1_024;
const ROUNDS = sizeOf(null, 150, 2);
const WARM_UP_ROUNDS = sizeOf(null, 50, 1);

/**
 * Measures the cost of one more goal and one more match as the season grows, in this process: deriving the tables, and
 * their bytes. A goal changes only the live table. The end of a match changes all tables; those of persons grow with
 * the number of persons, so one of two seasons has none, and for the other the cost of a KiB is measured too.
 */
export function growth(context: BenchContext): void {
  const seasons = LENGTHS.map((matches) => ({
    matches,
    persons: new GrowingSeason(matches, true),
    teams: new GrowingSeason(matches, false),
  }));
  // In turns, so that other load of the machine affects all alike.
  for (let round = 0; round < ROUNDS + WARM_UP_ROUNDS; round++)
    for (const { persons, teams } of seasons)
      for (const season of [persons, teams]) season.play(round, round >= WARM_UP_ROUNDS);
  const [first, ...longer] = seasons as [Seasons, ...Seasons[]];
  for (const season of longer)
    for (const [name, costOf, target] of COSTS)
      context.figure({
        name: `one more ${name}, after ${season.matches}`,
        ours: costOf(season),
        beside: { name: `after ${first.matches} matches`, value: costOf(first) },
        unit: 'µs',
        better: 'less',
        ...(target === null ? {} : { target }),
      });
}

type Seasons = { readonly matches: number; readonly persons: GrowingSeason; readonly teams: GrowingSeason };

/** The costs, with the maximum of their ratios. */
const COSTS: readonly (readonly [name: string, of: (seasons: Seasons) => number, target: number | null])[] = [
  ['goal', ({ persons }) => micros(persons.goal), FLAT],
  ['match, without persons', ({ teams }) => micros(teams.over), FLAT],
  ['match, with persons', ({ persons }) => micros(persons.over), null],
  ['match, with persons, a KiB', ({ persons }) => (micros(persons.over) * KIB) / persons.over.bytes, FLAT],
];

/** Time of each derivation, and the size of the derived tables. */
type Cost = { readonly micros: number[]; bytes: number };

const micros = (cost: Cost) => median(cost.micros);

/** A season with a number of matches, and one more match that is played repeatedly. */
class GrowingSeason {
  readonly goal: Cost = { micros: [], bytes: 0 };
  readonly over: Cost = { micros: [], bytes: 0 };
  readonly #tables: SeasonTables;
  readonly #resultOf: (state: Parameters<typeof resultOf>[2]) => MatchResult;
  #version = 3;

  constructor(matches: number, persons: boolean) {
    const nobody = persons ? {} : { goals: null, cards: null };
    this.#tables = new SeasonTables(1, 1, rulesOf());
    for (let match = 0; match < matches; match++) {
      this.#tables.apply({ ...resultOf(0, match, 'over'), ...nobody });
    }
    this.#resultOf = (state) => ({ ...resultOf(0, matches, state), ...nobody });
  }

  /** Adds a goal to the match in play, and ends the match. */
  play(round: number, counts: boolean): void {
    const playing = this.#resultOf('playing');
    this.#apply(playing, null);
    this.#apply({ ...playing, score: { home: 1 + (round % 8), away: 0 } }, counts ? this.goal : null);
    this.#apply(this.#resultOf('over'), counts ? this.over : null);
  }

  #apply(result: MatchResult, cost: Cost | null): void {
    this.#version += 1;
    const started = performance.now();
    this.#tables.apply({ ...result, version: this.#version });
    const tables = this.#tables.derive();
    const took = (performance.now() - started) * 1_000;
    if (cost === null) return;
    cost.micros.push(took);
    cost.bytes = tables.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
  }
}
