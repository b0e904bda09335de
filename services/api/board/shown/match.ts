import type { Agreement, Clock, Guard, Score } from '#topics/generated/types.ts';
import type { FeedStatus } from '#tradability/feed-status.ts';
import type { PlaceNames } from '#views/store/board-view.ts';

/** A side of a match; null is unknown. */
export type BoardSide = { readonly name: string | null; readonly short_name: string | null };

/** What the board shows of a match: the data of a `match` event of `/board/events`. */
export type BoardMatch = {
  readonly event_id: number;
  /** Counts the changes of the match; the higher one is the newer. */
  readonly version: number;
  readonly home: BoardSide;
  readonly away: BoardSide;
  /** YYYY-MM-DD HH:MM, as the provider gives it. */
  readonly start_date: string | null;
  readonly status_id: number | null;
  readonly status_type: string | null;
  readonly clock: Clock | null;
  /** As it stands; null is unknown, never zero. */
  readonly score: Score | null;
  /** Without goals still to be confirmed. */
  readonly firm: Score | null;
  readonly shoot_out: Score | null;
  /** Red cards that stand. */
  readonly red_cards: Score;
  /** The provider's own score. */
  readonly reported: Score | null;
  readonly agreement: Agreement;
  readonly under_review: boolean;
  readonly guard: Guard;
  /** Whether all this may be believed now. */
  readonly feed: Pick<FeedStatus, 'believed' | 'state' | 'reason'>;
  readonly competition_id: number | null;
  readonly season_id: number | null;
  readonly stage_id: number | null;
  readonly group_id: number | null;
  readonly place: PlaceNames;
  /** The provider's time of the last change, Unix seconds. */
  readonly ut: number;
  /** When the message of the last change was received, Unix milliseconds. */
  readonly received_at: number;
};

/** Where in its life a match is, as the board sorts matches. */
export type Phase = 'live' | 'upcoming' | 'finished' | 'other';

/** An interrupted match counts as live. */
export function phaseOf({ status_type }: Pick<BoardMatch, 'status_type'>): Phase {
  if (status_type === 'live' || status_type === 'interrupted') return 'live';
  if (status_type === 'scheduled') return 'upcoming';
  return status_type === 'finished' ? 'finished' : 'other';
}

/** Whether a match did not begin and has no score, or that of its beginning. */
export function isBeforeScore(match: Pick<BoardMatch, 'status_type' | 'score'>): boolean {
  const { home = 0, away = 0 } = match.score ?? {};
  return phaseOf(match) === 'upcoming' && home === 0 && away === 0;
}

/** The full name of a side. */
export function nameOf(side: BoardSide): string {
  return side.name ?? side.short_name ?? 'Unknown team';
}

export function isSameScore(a: Score | null, b: Score | null): boolean {
  return a?.home === b?.home && a?.away === b?.away;
}
