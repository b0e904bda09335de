/** Measures subjects in turns, and compares the medians of their rounds. */
import { type BenchContext, type Figure, median } from './context.ts';
import { FIRST_ROUND, roundName } from './size.ts';

/** What is measured, and how. */
export type TurnsOptions<S, M> = {
  /** Number of rounds that count. */
  readonly rounds: number;
  readonly subjects: readonly S[];
  measure(subject: S, round: number): Promise<M>;
  /** Describes a measurement for the rounds of the record. */
  describe(measured: M): string;
  afterRound?(round: number): Promise<void>;
};

/** A figure without its values, and how a measurement has its value. */
export type Comparison<M> = Omit<Figure, 'ours' | 'beside'> & { readonly of: (measured: M) => number };

/** The measurements of all subjects. */
export class Turns<S extends { readonly name: string }, M> {
  readonly #context: BenchContext;
  readonly #measured: ReadonlyMap<S, M[]>;

  private constructor(context: BenchContext, subjects: readonly S[]) {
    this.#context = context;
    this.#measured = new Map(subjects.map((subject) => [subject, []]));
  }

  /**
   * Measures every subject once in each round, so that other load of the machine affects all alike. The first round warms up and does
   * not count.
   */
  static async take<S extends { readonly name: string }, M>(
    context: BenchContext,
    { rounds, subjects, measure, describe, afterRound }: TurnsOptions<S, M>,
  ): Promise<Turns<S, M>> {
    const turns = new Turns<S, M>(context, subjects);
    for (let round = FIRST_ROUND; round <= rounds; round++) {
      for (const [subject, counted] of turns.#measured) {
        const measured = await measure(subject, round);
        if (round > 0) counted.push(measured);
        context.print(`${roundName(round)} ${subject.name}: ${describe(measured)}`);
      }
      await afterRound?.(round);
    }
    return turns;
  }

  /** Adds a figure: the median of `ours` beside that of `peer`. */
  compare(ours: S, peer: S, { of, ...figure }: Comparison<M>): void {
    const medianOf = (subject: S) => median((this.#measured.get(subject) ?? []).map(of));
    const beside = { name: peer.name, value: medianOf(peer) };
    this.#context.figure({ ...figure, ours: medianOf(ours), beside });
  }
}
