import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { boardMatch } from '#story/board-match.ts';
import { feedPast, type Halt, haltsOf, matchCourse, reasonTotals } from '#story/course.ts';
import { type BoardMatch, phaseOf } from '#story/match.ts';
import { isOver } from '#trading/trading.ts';
import type { ShownState } from '#views/store/board-view.ts';
import { boardStates } from './board-states.ts';
import type { ReadView } from './scoped-view.ts';

/** The time that the page of the halts covers, milliseconds. */
const COVERED_MS = 24 * 3_600_000;
const MAX_HALTS = 300;
const MAX_KNOWN = 2_000;
/** How long the halts of a match in play are used again, seconds, for many readers at once. */
const REMEMBERED_SECONDS = 2;

export type MatchHalt = Halt & { readonly match: BoardMatch };

/** The content of the page of the halts. */
export type Halts = Awaited<ReturnType<HaltReader['read']>>;

/** The halts of a match as of a version, the orders by hand, and a time, Unix seconds. */
type Known = {
  readonly version: number;
  readonly orders: number;
  readonly at: number;
  readonly halts: readonly Halt[];
};

/** Returns the halts of the last 24 hours of all matches on the board. Remembers those of matches that are over. */
export class HaltReader {
  /** By event id. */
  readonly #known = new LRUCache<number, Known>({ max: MAX_KNOWN });
  readonly #size: number;

  /** `size`: maximum number of matches on the board. */
  constructor(size: number) {
    this.#size = size;
  }

  /** `now`: Unix seconds. Other requests are answered between two stories: those of an evening take a second together. */
  async read(view: ReadView, now: number) {
    const since = now * 1000 - COVERED_MS;
    const states = boardStates(view, this.#size, now).filter(
      ({ status_type, cause }) => status_type !== 'scheduled' && cause.received_at > since,
    );
    const found: MatchHalt[] = [];
    for (const state of states) {
      const all = this.#knownHalts(state, view, now) ?? (await this.#readHalts(state, view, now));
      const halts = all.filter(({ to }) => to === null || to > since);
      if (halts.length === 0) continue;
      const match = boardMatch(state, view, now);
      for (const halt of halts) found.push({ ...halt, match });
    }
    const open = ({ to }: Halt): number => (to === null ? 0 : 1);
    const ordered = found.sort(
      (a, b) => open(a) - open(b) || b.from - a.from || a.match.event_id - b.match.event_id,
    );
    return {
      /** The newest first, those that go on before all others. */
      halts: ordered.slice(0, MAX_HALTS),
      omitted: Math.max(0, ordered.length - MAX_HALTS),
      totals: reasonTotals(ordered, now * 1000),
      /** Number of live matches, and of those that are halted now. */
      live: states.filter((state) => phaseOf(state, now) === 'live').length,
      haltedNow: ordered.filter(({ to }) => to === null).length,
    };
  }

  #knownHalts(state: ShownState, view: ReadView, now: number): readonly Halt[] | null {
    const { event_id, version, status_type } = state;
    const known = this.#known.get(event_id);
    if (known === undefined || known.orders !== orderCount(state, view)) return null;
    const isCurrent = isOver(status_type) ? known.version === version : now - known.at < REMEMBERED_SECONDS;
    return isCurrent ? known.halts : null;
  }

  async #readHalts(state: ShownState, view: ReadView, now: number): Promise<readonly Halt[]> {
    const { event_id, version, status_type } = state;
    await nextTurn();
    const past = {
      feed: feedPast(view.health.past(event_id), now * 1000),
      halts: view.halts.records(state),
    };
    const course = matchCourse(view.incidentLog.story(event_id), past, now * 1000);
    const halts = course === null ? [] : haltsOf(course, isOver(status_type));
    this.#known.set(event_id, { version, orders: orderCount(state, view), at: now, halts });
    return halts;
  }
}

function orderCount(state: ShownState, view: ReadView): number {
  return view.halts.records(state).reduce((sum, { version }) => sum + version, 0);
}
