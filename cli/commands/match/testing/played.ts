/** A short match with the records that each of its versions publishes. */

import { applyMessage, matchIncident, matchState, newMatch } from '#domain/match.ts';
import {
  AWAY,
  causeOf,
  EVENT_ID,
  eventFields,
  eventMessage,
  incident,
  incidentMessage,
  START,
} from '#domain/testing/messages.ts';
import type {
  Incident,
  MatchIncident,
  MatchState,
  MatchTransition,
  NormalizedMessage,
} from '#records/types.ts';

/** Milliseconds between two versions. */
const EVERY_MS = 10_000;
/** Returns the time at which a version is written, Unix milliseconds. */
export const writtenAt = (version: number): number => START * 1000 + version * EVERY_MS;

/** Returns the message of an incident with the name of its player, as providers send it. */
function by(player: string, one: Incident): NormalizedMessage {
  return incidentMessage({ ...one, subparticipant_name: player });
}

/** A confirmed goal, a goal of the other side that an incident cancels, and another goal. */
const MESSAGES: readonly NormalizedMessage[] = [
  eventMessage(START, eventFields()),
  incidentMessage(incident('5-001', 429, { ut: START + 1, participant_id: null, event_time: 0 })),
  by('Kane', incident('5-010', 413, { ut: START + 2, confirmation: 'tbd', event_time: 1_080 })),
  by('Kane', incident('5-010', 413, { ut: START + 3, event_time: 1_080 })),
  by('Son', incident('5-020', 413, { ut: START + 4, participant_id: AWAY, event_time: 2_400 })),
  incidentMessage(
    incident('5-021', 424, { ut: START + 5, participant_id: AWAY, event_time: 2_460, parent_id: '5-020' }),
  ),
  by('Kane', incident('5-030', 413, { ut: START + 6, event_time: 2_745 })),
];

/** A version and the records that it publishes. */
export type PlayedVersion = {
  readonly version: number;
  readonly written: number;
  readonly state: MatchState;
  readonly transitions: readonly MatchTransition[];
  readonly incidents: readonly MatchIncident[];
};

/** Applies messages to a match. Returns its versions. */
export function played(messages: readonly NormalizedMessage[] = MESSAGES): PlayedVersion[] {
  const match = newMatch(EVENT_ID);
  return messages.flatMap((message, offset) => {
    const received = { ...message, received_at: writtenAt(offset + 1) - 5 };
    const { transitions, incidents } = applyMessage(match, received, causeOf(received, offset));
    if (transitions.length === 0) return [];
    const state = matchState(match);
    return [
      {
        version: state.version,
        written: writtenAt(state.version),
        state,
        transitions,
        incidents: incidents.map((id) => matchIncident(match, id)),
      },
    ];
  });
}
