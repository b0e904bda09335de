/** Finds out when live matches become stale or are halted by hand, and when that ends. Pure. */
import type { TradingHalt } from '#records/types.ts';
import type { FeedStatus } from '#trading/feed-status.ts';
import type { HandHalts } from '#trading/halts.ts';

/** Interval between checks for changes: a heartbeat is valid for 1.75 s, and every reader must notice its end within 2 s. */
export const STALE_CHECK_MS = 50;

/** The feed status and the halts by hand of a match. */
export type MatchNow = {
  readonly eventId: number;
  readonly feed: FeedStatus;
  readonly halts: HandHalts<TradingHalt>;
};

/** The kinds of changes that each process finds by its own clock: at the begin of an episode, and at its end. */
export const EPISODE_KINDS = { match_stale: 'match_recovered', match_halted: 'match_resumed' } as const;
type EpisodeKind = keyof typeof EPISODE_KINDS;

/** The begin or the end of an episode of a match. */
type EpisodeChange = {
  readonly kind: EpisodeKind | (typeof EPISODE_KINDS)[EpisodeKind];
  readonly eventId: number;
  /** When it began, Unix milliseconds: the same in both changes of one episode. */
  readonly since: number;
  /** At the begin why: state of the feed with its delay, or who halted it. At the end what still is against trading. */
  readonly reasons: readonly string[];
};

/** States that are neither stale nor recovered: the match is over, or has no record. */
const IGNORED_STATES: ReadonlySet<FeedStatus['state']> = new Set(['ended', 'unknown']);

/** Episodes that are open, each with the time when it began, Unix milliseconds, by `episodeKey`. */
export type OpenEpisodes = Map<string, number>;

export function episodeKey(kind: EpisodeKind, eventId: number): string {
  return `${kind}/${eventId}`;
}

/** The stale matches, and those that are halted by hand. */
export class StaleMatches {
  readonly #open: OpenEpisodes;

  /** `open`: episodes that are already reported, from then on those of this object. */
  constructor(open: OpenEpisodes = new Map()) {
    this.#open = open;
  }

  /** Returns the changes since the last call: each episode begins once, however its reasons change, and ends once. */
  changes(matches: Iterable<MatchNow>): EpisodeChange[] {
    return [...matches].flatMap((match) => [...this.#feedChange(match), ...this.#haltChange(match)]);
  }

  #feedChange({ eventId, feed, halts }: MatchNow): EpisodeChange[] {
    const { believed, state, since } = feed;
    if (IGNORED_STATES.has(state)) {
      this.#open.delete(episodeKey('match_stale', eventId));
      return [];
    }
    if (!believed) return this.#begin('match_stale', eventId, since ?? 0, reasonsOf(feed));
    return this.#end('match_stale', eventId, halts.standing.length > 0 ? ['halted_by_hand'] : []);
  }

  #haltChange({ eventId, feed, halts }: MatchNow): EpisodeChange[] {
    if (!halts.isRead) return [];
    const orders = halts.standing.flatMap((halt) => halt.orders.at(-1)?.order ?? []);
    const [first] = orders.toSorted((a, b) => a.at - b.at);
    if (first !== undefined)
      return this.#begin('match_halted', eventId, first.at, [`by ${first.user}`, first.reason]);
    return this.#end('match_halted', eventId, feed.believed ? [] : [`feed_${feed.state}`]);
  }

  #begin(kind: EpisodeKind, eventId: number, since: number, reasons: readonly string[]): EpisodeChange[] {
    const key = episodeKey(kind, eventId);
    if (this.#open.has(key)) return [];
    this.#open.set(key, since);
    return [{ kind, eventId, since, reasons }];
  }

  #end(kind: EpisodeKind, eventId: number, reasons: readonly string[]): EpisodeChange[] {
    const key = episodeKey(kind, eventId);
    const since = this.#open.get(key);
    if (since === undefined) return [];
    this.#open.delete(key);
    return [{ kind: EPISODE_KINDS[kind], eventId, since, reasons }];
  }
}

function reasonsOf({ state, reason, delay }: FeedStatus): string[] {
  const by = state === 'delayed' && delay !== null ? [`${Math.round(delay / 1_000)} s`] : [];
  return [state, ...(reason === null ? [] : [reason]), ...by];
}
