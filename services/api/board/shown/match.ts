import type { Participant, Score } from '#topics/generated/types.ts';
import type { FeedStatus } from '#tradability/feed-status.ts';
import type { PlaceNames, ShownState } from '#views/store/board-view.ts';

/** What the board shows of a match state as it is there. */
export const SHOWN_FIELDS = [
  'event_id',
  'version',
  'start_date',
  'status_id',
  'status_type',
  'clock',
  'score',
  'firm',
  'shoot_out',
  'reported',
  'agreement',
  'under_review',
  'guard',
  'competition_id',
  'season_id',
  'stage_id',
  'group_id',
] as const satisfies readonly (keyof ShownState)[];

/** A side of a match; null is unknown. */
export type BoardSide = Readonly<Pick<Participant, 'name' | 'short_name'>>;

/** What the board shows of a match: the data of a `match` event of `/board/events`. */
export type BoardMatch = Readonly<Pick<ShownState, (typeof SHOWN_FIELDS)[number]>> & {
  readonly home: BoardSide;
  readonly away: BoardSide;
  /** Red cards that stand. */
  readonly red_cards: Score;
  /** Whether all this may be believed now. */
  readonly feed: Pick<FeedStatus, 'believed' | 'state' | 'reason'>;
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

export function nameOf(side: BoardSide): string {
  return side.name ?? side.short_name ?? 'Unknown team';
}

export function isSameScore(a: Score | null, b: Score | null): boolean {
  return a?.home === b?.home && a?.away === b?.away;
}
