/** Short words for the reasons of a guard, for every surface that people read. Apart from `guard.ts`, as browsers load it. */
import type { GuardReason } from './guard.ts';

/** By reason, e.g. `possible goal`: a part of a sentence. `GUARD_REASONS` says at length what each means. */
export const GUARD_WORDS: Readonly<Record<GuardReason, string>> = {
  under_review: 'score under review',
  possible_goal: 'possible goal',
  possible_card: 'possible card',
  possible_penalty: 'possible penalty',
  possible_var: 'video review',
  game_break: 'play is stopped',
  bet_suspended: 'betting suspended',
  score_differs: 'score differs from the provider’s',
  interrupted: 'match interrupted',
  missing_from_list: 'not on the provider’s latest list',
  unread_message: 'a message could not be read',
  score_unknown: 'score unknown',
  status_went_back: 'the match was reported as not started again',
  unexplained_cancellation: 'unclear which goal was cancelled',
  event_missing: 'the provider no longer has the match',
};
