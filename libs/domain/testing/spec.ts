import type { MatchIncident, MatchState, MatchTransition, NormalizedMessage } from '#records/types.ts';
import { applyMessage, type Match, matchIncident, matchState, newMatch } from '../match.ts';
import { causeOf, EVENT_ID } from './messages.ts';

/** The effect of a message on a match, for tests. */
export type AppliedOutcome = {
  readonly transitions: readonly MatchTransition[];
  readonly kinds: readonly string[];
  readonly incidents: readonly string[];
  readonly state: MatchState;
  incident(id: string): MatchIncident;
};

/** `given(…messages).when(message)` returns the effect of a message on a match to which the given ones were applied. */
export function given(...messages: readonly NormalizedMessage[]) {
  return {
    when(message: NormalizedMessage): AppliedOutcome {
      const match = played(messages);
      const { transitions, incidents } = applyMessage(match, message, causeOf(message, messages.length));
      return {
        transitions,
        kinds: transitions.map(({ kind }) => kind),
        incidents,
        state: matchState(match),
        incident: (id) => matchIncident(match, id),
      };
    },
    /** The state after the given messages. */
    get state(): MatchState {
      return matchState(played(messages));
    },
  };
}

/** Returns a match to which these messages were applied. */
export function played(messages: readonly NormalizedMessage[]): Match {
  const match = newMatch(EVENT_ID);
  messages.forEach((message, offset) => {
    applyMessage(match, message, causeOf(message, offset));
  });
  return match;
}
