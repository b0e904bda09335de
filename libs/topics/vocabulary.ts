/**
 * The closed lists of words that stand on topics as text, each with its meaning for a reader of docs/topics.md.
 * The types they are checked against belong to those who write them: a word without a meaning does not compile.
 */

import type { GuardReason } from '#domain/guard.ts';
import type { TransitionKind } from '#domain/transitions.ts';
import type { DeliveryFaultCode } from '#ingestion/delivery.ts';

/** Why a record of a topic was given up. */
export type RecordFaultCode =
  | 'no_value'
  | 'undecodable'
  | 'state_too_large'
  | 'cause_missing'
  | 'commit_failed'
  | 'processing_failed';

/** Why something is in dead-letters. */
export type DeadLetterCode = DeliveryFaultCode | RecordFaultCode;

export const DEAD_LETTER_CODES: Readonly<Record<DeadLetterCode, string>> = {
  not_utf8: 'The body of a delivery is not valid UTF-8.',
  not_json: 'The body of a delivery is not valid JSON.',
  not_array: 'The body of a delivery is JSON, but not an array of messages.',
  too_many: 'The body of a delivery holds more messages than are read at once.',
  unknown_shape:
    'A message lacks a known field, or has one of another type than the contract says; `reason` names it.',
  too_deep: 'A message nests deeper than any record does.',
  too_large: 'A message is larger than the topics of match state take.',
  no_value: 'A record of `normalized-messages` has no value.',
  undecodable: 'A record is not Avro of a schema that can be read as that of its topic.',
  state_too_large:
    'A message would make a record of its match larger than 800 KiB: the match stays as it was, and goes on with the next message.',
  cause_missing:
    'The message that a transition came of is no longer on `normalized-messages`: nobody is sent it by webhook.',
  commit_failed:
    'A record was read, and what it leads to could not be written: larger than a topic takes, or not of its schema.',
  processing_failed: 'A record was read, and processing it failed twice; the service’s log has the error.',
};

/** What a match-transitions record tells. */
export const TRANSITION_KINDS: Readonly<Record<TransitionKind, string>> = {
  incident_added: 'An incident is there for the first time, with whatever confirmation it has.',
  incident_reinstated: 'An incident that was removed is back.',
  incident_removed: 'An incident was deleted by the provider, or is no longer in its list.',
  incident_confirmed: 'An incident’s confirmation became `confirmed`.',
  incident_cancelled: 'An incident’s confirmation became `cancelled`.',
  incident_amended: 'An incident’s record changed in something else, e.g. the scorer’s name.',
  incident_deleted_unseen: 'The provider deleted an incident that it had not sent before.',
  goal_cancelled:
    'A goal stopped counting: removed, cancelled, or named by a goal-cancelled incident. Told once, in however many ways the provider says it.',
  goal_reinstated: 'A goal that had been cancelled counts again.',
  score_changed: 'The score as it stands changed; `score` has before and after.',
  firm_score_changed: 'The firm score changed; `score` has before and after.',
  status_changed: 'The match’s status changed; `value` has id and type, e.g. `34 live`.',
  clock_changed:
    'The clock was started, stopped or set; `value` has seconds and status, e.g. `2700 stopped`. A clock that just runs is not told.',
  bet_status_changed: 'The provider’s bet status changed; `value` has before and after.',
  result_verified: 'The provider’s flag of a verified result changed; `value` has it as JSON text.',
  event_amended: 'Other fields of the event changed; `fields` names them.',
  snapshot_applied:
    'The event’s whole incident list was compared; what it removed or brought back is told by its own kinds.',
  guard_changed: 'The trading guard changed; `guard` is the new one.',
};

/** Why trading may not act on a score. */
export const GUARD_REASONS: Readonly<Record<GuardReason, string>> = {
  under_review: 'A goal that counts is not confirmed yet, or a disallowance that names one is not.',
  possible_goal: 'A possible goal was told and not decided yet.',
  possible_card: 'A possible card was told and not decided yet.',
  possible_penalty: 'A possible penalty was told and not decided yet.',
  possible_var: 'A video review is possible or under way.',
  game_break: 'Play is interrupted by an incident that says so, e.g. a penalty or half-time.',
  bet_suspended: 'The provider suspended betting.',
  score_differs: 'The score derived from the incidents is not the result that the provider reports.',
  interrupted: 'The match is interrupted or abandoned.',
};
