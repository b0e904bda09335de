/** A short match as its topics have it, each version with the time of its writing. */
import { canonicalJson } from '#contract/canonical-json.ts';
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
} from '#topics/generated/types.ts';
import type { Written } from '../records.ts';

/** Milliseconds between two versions. */
export const EVERY_MS = 10_000;
/** When a version is written. */
export const writtenAt = (version: number): number => START * 1000 + version * EVERY_MS;

/** With the name of its player, as providers send it. */
function by(player: string, one: Incident): NormalizedMessage {
  const body = canonicalJson({ ...JSON.parse(one.body), subparticipant_name: player });
  return incidentMessage({ ...one, body });
}

/** A goal that is confirmed, one of the other side that an incident cancels, and another. */
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

/** What every version published. */
export type PlayedVersion = {
  readonly version: number;
  readonly written: number;
  readonly state: MatchState;
  readonly transitions: readonly MatchTransition[];
  readonly incidents: readonly MatchIncident[];
};

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

/** The states of these versions, as match-state has them. */
export function statesOf(versions: readonly PlayedVersion[]): Written<MatchState>[] {
  return versions.map(({ state: value, written }) => ({ value, written }));
}

/** Their changes, as match-transitions has them. */
export function transitionsOf(versions: readonly PlayedVersion[]): Written<MatchTransition>[] {
  return versions.flatMap(({ transitions, written }) => transitions.map((value) => ({ value, written })));
}
