import type { Participant, Score, TradingHalt, TradingOrder } from '#records/types.ts';
import type { FeedStatus } from '#trading/feed-status.ts';
import type { HandHalts } from '#trading/halts.ts';
import { ABANDONED_MS } from '#trading/trading.ts';
import type { LevelNames, ShownState } from '#views/store/board-view.ts';
import type { StatusWords } from './words.ts';

/** Fields of match state that the board shows unchanged. */
export const SHOWN_FIELDS = [
  'event_id',
  'version',
  'start_date',
  'status_id',
  'status_type',
  'clock',
  'clock_rule',
  'periods',
  'score',
  'firm',
  'shoot_out',
  'source',
  'derived',
  'reported',
  'agreement',
  'under_review',
  'guard',
  'competition_id',
  'season_id',
  'stage_id',
  'group_id',
] as const satisfies readonly (keyof ShownState)[];

/** The names of a side of a match; null: unknown. */
export type BoardSide = Readonly<Pick<Participant, 'name' | 'short_name' | 'acronym'>>;

/** A goal that counts. */
export type BoardGoal = {
  readonly side: 'home' | 'away';
  /** Null: unknown. */
  readonly player: string | null;
  /** As shown, e.g. 45+2; null: unknown. */
  readonly minute: string | null;
  readonly kind: 'goal' | 'penalty' | 'own_goal';
};

/** A halt by hand as it is shown: its scope, when it ends, and its last order. */
export type ShownHalt = Readonly<
  Pick<TradingHalt, 'scope' | 'until'> & Pick<TradingOrder['order'], 'user' | 'reason' | 'at'>
>;

/** A match as the board shows it: `match` of `/board/matches/{id}`. */
export type BoardMatch = Readonly<Pick<ShownState, (typeof SHOWN_FIELDS)[number]>> & {
  /** The provider's name of the status and its short form in another sport than soccer, whose statuses the page knows; else null. */
  readonly status_words: StatusWords | null;
  readonly home: BoardSide;
  readonly away: BoardSide;
  /** The goals of the score, without those of the shoot-out. */
  readonly goals: readonly BoardGoal[];
  /** The score at half-time; null in the first half, and where it is unknown. */
  readonly half_time: Score | null;
  /** Number of cards that were not cancelled or removed. */
  readonly red_cards: Score;
  readonly yellow_cards: Score;
  /** The health of the match's feed. */
  readonly feed: Pick<FeedStatus, 'believed' | 'state' | 'reason' | 'delay'>;
  /** Since when guard or feed halt it, Unix milliseconds; null of a match that is not halted, and where it is not known. */
  readonly halted_since: number | null;
  /** What operators have halted by hand. */
  readonly halts: Pick<HandHalts, 'isRead'> & { readonly standing: readonly ShownHalt[] };
  readonly levels: LevelNames;
  /** The provider's time of the last change, Unix seconds. */
  readonly ut: number;
  /** When the message of the last change was received, Unix milliseconds. */
  readonly received_at: number;
};

/** The phase of a match, by which the board sorts matches. */
export type Phase = 'live' | 'upcoming' | 'finished' | 'other';

/** Returns the phase of a match at `now`, Unix seconds. An interrupted match counts as live; one without a word for six hours does not. */
export function phaseOf(
  match: Pick<BoardMatch, 'status_type' | 'received_at'> | Pick<ShownState, 'status_type' | 'cause'>,
  now: number,
): Phase {
  const { status_type } = match;
  const { received_at } = 'cause' in match ? match.cause : match;
  if (status_type === 'live' || status_type === 'interrupted')
    return now * 1000 - received_at < ABANDONED_MS ? 'live' : 'other';
  if (status_type === 'scheduled') return 'upcoming';
  return status_type === 'finished' ? 'finished' : 'other';
}

/** Whether a match has not begun, and its score is unknown or 0–0. */
export function hasNoScoreYet(match: Pick<BoardMatch, 'status_type' | 'score'>): boolean {
  const { home = 0, away = 0 } = match.score ?? {};
  return match.status_type === 'scheduled' && home === 0 && away === 0;
}

/** Returns the name of a side for people. */
export function nameOf(side: Pick<BoardSide, 'name' | 'short_name'>): string {
  return side.name ?? side.short_name ?? 'Unknown team';
}

/** Returns the names of both sides for people. */
export function matchName({ home, away }: Pick<BoardMatch, 'home' | 'away'>): string {
  return `${nameOf(home)} – ${nameOf(away)}`;
}
