import { applyMessage, matchIncident, matchResult, matchState, stampOf } from '#domain/match.ts';
import { resultChanges, resultKey } from '#domain/match-result.ts';
import { PoisonError } from '#streams/runtime/processor.ts';
import type { Cause, NormalizedMessage } from '#topics/generated/types.ts';
import { MAX_RECORD_BYTES } from '#topics/topics.ts';
import { copyOf, type LoadedMatch } from './loaded-match.ts';
import type { MatchCodecs } from './match-codecs.ts';

/** By how many times its own bytes a message makes a record larger at most: fields stand in a state up to four times. */
const GROWTH = 4;

/**
 * Whether a message of so many bytes may make a record of the match too large, by what is known of its size without
 * encoding it: if so, `checkSizes` has to look.
 */
export function mayOutgrow(
  { stateBytes, resultBytes, idBytes, pendingBytes }: LoadedMatch,
  messageBytes: number,
): boolean {
  return GROWTH * (stateBytes + resultBytes + idBytes + pendingBytes + messageBytes) > MAX_RECORD_BYTES;
}

/**
 * Applies a message to a copy of its match and throws `PoisonError` state_too_large where a record that would be
 * published of it is larger than its topic takes.
 */
export function checkSizes(
  codecs: MatchCodecs,
  loaded: LoadedMatch,
  message: NormalizedMessage,
  cause: Cause,
): void {
  const copy = copyOf(loaded);
  const { transitions, incidents } = applyMessage(copy, message, cause);
  if (transitions.length === 0) return;
  const event = String(copy.eventId);
  for (const transition of transitions) {
    checkSize('match-transitions', event, codecs['match-transitions'].encode(transition));
  }
  for (const id of incidents) {
    checkSize(
      'match-incidents',
      incidentKey(copy.eventId, id),
      codecs['match-incidents'].encode(matchIncident(copy, id)),
    );
  }
  checkSize('match-state', event, codecs['match-state'].encode(matchState(copy)));
  for (const change of resultChanges(loaded.published, matchResult(copy), stampOf(copy))) {
    checkSize('match-results', resultKey(change), codecs['match-results'].encode(change));
  }
}

/** Throws `PoisonError` state_too_large for a record that is larger than its topic takes. */
export function checkSize(topic: string, key: string, value: Buffer): void {
  const bytes = Buffer.byteLength(key) + value.length;
  if (bytes <= MAX_RECORD_BYTES) return;
  throw new PoisonError(
    'state_too_large',
    `${topic} ${key.slice(0, 100)}: the record would take ${bytes} bytes, ${MAX_RECORD_BYTES} are the limit`,
  );
}

/** The key of an incident on match-incidents. */
export function incidentKey(eventId: number, incidentId: string): string {
  return `${eventId}/${incidentId}`;
}
