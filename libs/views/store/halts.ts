import type { TradingHalt } from '#records/types.ts';
import { type HaltedMatch, HaltTable, type HandHalts, isAbout } from '#trading/halts.ts';

/**
 * What operators have halted by hand, of trading-halts and the reader's clock. Nothing is stored: each start reads the topic from its
 * beginning, and so finds the records again that it cannot read.
 */
export class HaltView {
  readonly #table = new HaltTable<TradingHalt>();
  /** Whether the topic is followed, so that its reading is checked. */
  #isFollowed = false;

  /** From now on the views may lack halts unless they report that the topic was read. */
  follow(): void {
    this.#isFollowed = true;
  }

  /** Records that the topic was read to the end that it had `at`, on the steady clock. */
  readToEnd(at: number): void {
    this.#table.readTo(at);
  }

  /** Applies the record of a scope, at an offset; null deletes it. */
  apply(scope: string, record: TradingHalt | null, offset: number): void {
    this.#table.apply(scope, record, offset);
  }

  /** Records that the record of a scope at an offset cannot be read. */
  doubt(scope: string, offset: number): void {
    this.#table.doubt(scope, offset);
  }

  /** Returns the halts of a match at `now`, Unix milliseconds; by default all. */
  standing(now: number, match: HaltedMatch | null = null): HandHalts<TradingHalt> {
    const halts = this.#table.standing({ wall: now, steady: performance.now() }, match);
    return this.#isFollowed ? halts : { ...halts, isRead: true };
  }

  /** Returns the record of each scope, standing or not; of a match: of each scope that it is in. */
  records(match?: HaltedMatch): TradingHalt[] {
    return this.#table.records().filter(({ scope }) => match === undefined || isAbout(scope, match));
  }
}
