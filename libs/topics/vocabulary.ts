/** The closed lists of words that stand on topics as text, each with its meaning for a reader of docs/reference/topics.md. */

/** What a match-transitions record reports, in the order in which a version emits them. */
export const TRANSITION_KINDS = {
  incident_added: 'An incident was reported for the first time, with whatever confirmation it has.',
  incident_reinstated: 'A removed incident was reported again.',
  incident_removed: 'An incident was deleted by the provider, or is no longer in its list.',
  incident_confirmed: 'An incident’s confirmation became `confirmed`.',
  incident_cancelled: 'An incident’s confirmation became `cancelled`.',
  incident_amended: 'An incident’s record changed in another field, e.g. the scorer’s name.',
  incident_deleted_unseen: 'The provider deleted an incident that it had not sent before.',
  goal_cancelled:
    'A goal stopped counting: removed, cancelled, or named by a goal-cancelled incident. Emitted once, in however many ways the provider reports it. `score` has before and after.',
  goal_reinstated: 'A goal that had been cancelled counts again; `score` has before and after.',
  score_changed:
    'The current score changed; `score` has before and after, `goals` the goals that count since.',
  firm_score_changed: 'The firm score changed; `score` has before and after.',
  status_changed: 'The match’s status changed; `value` has id and type, e.g. `34 live`.',
  clock_changed:
    'The clock was started, stopped or set; `value` has seconds and status, e.g. `2700 stopped`. A clock that just runs emits nothing.',
  bet_status_changed: 'The provider’s bet status changed; `value` has before and after.',
  result_verified: 'The provider’s flag of a verified result changed; `value` has it as JSON text.',
  event_amended: 'Other fields of the event changed; `fields` names them.',
  snapshot_applied:
    'The event’s whole incident list was compared; what it removed or brought back has kinds of its own.',
  guard_changed: 'The trading guard changed; `guard` is the new one.',
};

export type TransitionKind = keyof typeof TRANSITION_KINDS;

/** Why trading may not act on a score, in the order in which a guard lists them. */
export const GUARD_REASONS = {
  under_review: 'A goal that counts, or a disallowance that names one, awaits confirmation.',
  possible_goal: 'A possible goal was reported and is not decided yet.',
  possible_card: 'A possible card was reported and is not decided yet.',
  possible_penalty: 'A possible penalty was reported and is not decided yet.',
  possible_var: 'A video review is possible or under way.',
  game_break: 'An incident interrupts play, e.g. a penalty or half-time.',
  bet_suspended: 'The provider suspended betting.',
  score_differs: 'The score derived from the incidents differs from the result that the provider reports.',
  interrupted: 'The match is interrupted or abandoned.',
};

export type GuardReason = keyof typeof GUARD_REASONS;
