import { courseOf } from '#story/course.ts';
import { feedPast } from '#story/feed-past.ts';
import { type Halt, haltsOf, type ReasonTotal, reasonTotals } from '#story/halts.ts';
import { isOver } from '#tradability/trading.ts';
import type { ShownState } from '#views/store/board-view.ts';
import { boardMatch, boardStates } from './board-match.ts';
import type { ReadView } from './scoped-view.ts';
import { type BoardMatch, phaseOf } from './shown/match.ts';

/** The time that the page of the halts covers, milliseconds. */
const COVERED_MS = 24 * 3_600_000;
/** Maximum number of halts that the page shows. */
const MAX_HALTS = 300;
/** Maximum number of matches that are over whose halts are remembered. */
const MAX_KNOWN = 2_000;

/** A halt with its match. */
export type MatchHalt = Halt & { readonly match: BoardMatch };

/** The content of the page of the halts. */
export type Halts = {
  /** The newest first, those that go on before all others. */
  readonly halts: readonly MatchHalt[];
  /** Number of halts that are left out. */
  readonly omitted: number;
  readonly totals: readonly ReasonTotal[];
  /** Number of live matches, and of those that are halted now. */
  readonly live: number;
  readonly haltedNow: number;
};

/** Returns the halts of the last 24 hours of all matches on the board. Remembers those of matches that are over. */
export class HaltReader {
  /** By event id: they cannot change while the version is the same. */
  readonly #known = new Map<number, { readonly version: number; readonly halts: readonly Halt[] }>();
  readonly #size: number;

  /** `size`: maximum number of matches on the board. */
  constructor(size: number) {
    this.#size = size;
  }

  /** `now`: Unix seconds. */
  read(view: ReadView, now: number): Halts {
    const since = now * 1000 - COVERED_MS;
    const states = boardStates(view, this.#size, now).filter(
      ({ status_type, cause }) => status_type !== 'scheduled' && cause.received_at > since,
    );
    const found = states.flatMap((state) => {
      const halts = this.#haltsOf(state, view, now).filter(({ to }) => to === null || to > since);
      if (halts.length === 0) return [];
      const match = boardMatch(state, view, now);
      return halts.map((halt) => ({ ...halt, match }));
    });
    const open = ({ to }: Halt): number => (to === null ? 0 : 1);
    const ordered = found.sort(
      (a, b) => open(a) - open(b) || b.from - a.from || a.match.event_id - b.match.event_id,
    );
    return {
      halts: ordered.slice(0, MAX_HALTS),
      omitted: Math.max(0, ordered.length - MAX_HALTS),
      totals: reasonTotals(ordered, now * 1000),
      live: states.filter((state) => phaseOf(state) === 'live').length,
      haltedNow: ordered.filter(({ to }) => to === null).length,
    };
  }

  #haltsOf(state: ShownState, view: ReadView, now: number): readonly Halt[] {
    const { event_id, version, status_type } = state;
    const over = isOver(status_type);
    const known = this.#known.get(event_id);
    if (over && known?.version === version) return known.halts;
    const course = courseOf(
      view.story(event_id),
      feedPast(view.healthPast(event_id), now * 1000),
      now * 1000,
    );
    const halts = course === null ? [] : haltsOf(course, 0, over);
    this.#known.delete(event_id);
    if (!over) return halts;
    this.#known.set(event_id, { version, halts });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_KNOWN) break;
      this.#known.delete(oldest);
    }
    return halts;
  }
}
