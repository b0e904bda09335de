import {
  applyMessage,
  type Match,
  matchIncident,
  matchResult,
  matchState,
  newMatch,
  restoreMatch,
  stampOf,
} from '#domain/match.ts';
import { resultChanges, resultKey, type TableResult } from '#domain/match-result.ts';
import { PoisonError } from '#errors/touchline-error.ts';
import type { Cause, MatchState, NormalizedMessage } from '#topics/generated/types.ts';
import type { CodecsOf } from '#topics/registry.ts';
import { flagsOf, type MatchFlag } from './match-flags.ts';

/** The topics of the match processor, in and out. */
export const VALUES = [
  'normalized-messages',
  'match-incidents',
  'match-state',
  'match-transitions',
  'match-results',
] as const;

export type MatchCodecs = CodecsOf<(typeof VALUES)[number]>;

/**
 * Largest key and value together of a record of this processor: with the overhead of runtime and broker it still
 * fits into a record batch of 1 MiB. A message that would exceed it becomes a dead letter.
 */
export const MAX_RECORD_BYTES = 800 * 1024;

/** The most a message enlarges a record, as a multiple of its own bytes: a field is up to four times in a state. */
const GROWTH = 4;

/**
 * Most bytes of messages of one match in a transaction: beyond it each further message would have its sizes checked on a copy of
 * the match, which costs more the longer the match is.
 */
export const MAX_PENDING_BYTES = 150 * 1024;

/**
 * Whether a message of this many bytes may make a record of the match too large, estimated without encoding it: if so,
 * `checkSizes` decides.
 */
export function mayOutgrow(
  { stateBytes, resultBytes, idBytes, pendingBytes }: LoadedMatch,
  messageBytes: number,
): boolean {
  return GROWTH * (stateBytes + resultBytes + idBytes + pendingBytes + messageBytes) > MAX_RECORD_BYTES;
}

/**
 * Applies a message to a copy of its match. Throws `PoisonError` where one of the resulting records is larger than its
 * topic allows.
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

/** Throws `PoisonError` for a record that is larger than its topic allows. */
export function checkSize(topic: string, key: string, value: Buffer): void {
  const bytes = Buffer.byteLength(key) + value.length;
  if (bytes <= MAX_RECORD_BYTES) return;
  throw new PoisonError(
    'STATE_TOO_LARGE',
    `${topic} ${key.slice(0, 100)}: the record would take ${bytes} bytes, ${MAX_RECORD_BYTES} are the limit`,
  );
}

/** The key of an incident on match-incidents. */
export function incidentKey(eventId: number, incidentId: string): string {
  return `${eventId}/${incidentId}`;
}

/** The most that one message moves the clock, milliseconds. */
const STEP_MS = 60_000;

/**
 * Elapsed time by the times of receipt of messages, without reading a clock. A message far ahead moves it by one minute,
 * and one far behind resets its base, so that neither a step of a receiver's clock nor its correction stops it.
 * Differences of seconds between receivers do not count.
 */
export class ReceivedClock {
  #elapsedMs = 0;
  #at: number | null = null;

  /** Milliseconds since the first message; less after a long silence. */
  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  /** Advances to the time of receipt of the next message, Unix milliseconds. */
  follow(receivedAt: number): void {
    const ahead = receivedAt - (this.#at ?? receivedAt);
    if (ahead > 0) this.#elapsedMs += Math.min(ahead, STEP_MS);
    if (this.#at === null || ahead > 0 || ahead < -STEP_MS) this.#at = receivedAt;
  }
}

/** A match in memory, with the state of its published records. */
export type LoadedMatch = {
  readonly match: Match;
  /** Incidents that changed since the last flush. */
  touched: Set<string>;
  /** Its last published incidents, by key: encoding all of them again to spill the match costs more. */
  readonly incidents: Map<string, Buffer>;
  /** Bytes of `incidents`, of their ids, and of the last published state and result. */
  incidentBytes: number;
  idBytes: number;
  stateBytes: number;
  resultBytes: number;
  /** Bytes of the messages applied since the last flush. */
  pendingBytes: number;
  /** Last use, by the clock of receipt, milliseconds. */
  usedAt: number;
  /** In play, by its last published state: more messages are expected. */
  live: boolean;
  /** What is wrong with it, by its last published state. */
  flags: readonly MatchFlag[];
  /** Its last published result. */
  published: TableResult | null;
  /** `published` may belong to an earlier state. */
  stale: boolean;
  /** Nothing of it was published since the partition was claimed. */
  restored: boolean;
};

/** Key of an empty record that marks a spilled match as published since the claim. */
const PUBLISHED = '';

/** Memory of a loaded match beside its records, bytes: an estimate, on the safe side. */
const OBJECT_BYTES = 8 * 1024;
/** Memory of a decoded record as a multiple of its encoded bytes: an estimate too. */
const DECODED = 3;

/** Estimated memory of a match, bytes. */
export function weightOf({ stateBytes, incidentBytes }: LoadedMatch): number {
  return OBJECT_BYTES + DECODED * (stateBytes + incidentBytes);
}

/** A new match. */
export function newLoaded(codecs: MatchCodecs, eventId: number): LoadedMatch {
  return loadedOf(codecs, newMatch(eventId), new Map(), 0, false);
}

/** The whole match of these records. */
export function load(codecs: MatchCodecs, eventId: number, records: Map<string, Buffer>): LoadedMatch {
  const stateKey = String(eventId);
  const encoded = records.get(stateKey);
  const restored = !records.delete(PUBLISHED);
  if (encoded === undefined) return { ...newLoaded(codecs, eventId), restored };
  records.delete(stateKey);
  const state = codecs['match-state'].decode(encoded);
  const incidents = Array.from(records.values(), (bytes) => codecs['match-incidents'].decode(bytes));
  return {
    ...loadedOf(codecs, restoreMatch(state, incidents), records, encoded.length, restored),
    live: isLive(state),
    flags: flagsOf(state),
  };
}

/** The records of a match without changes to publish, in the shape of `load`; none where nothing was ever published. */
export function spilled(codecs: MatchCodecs, loaded: LoadedMatch): { key: Buffer; value: Buffer }[] {
  const { match, incidents, stateBytes, restored } = loaded;
  if (stateBytes === 0) return [];
  const records = Array.from(incidents, ([key, value]) => ({ key: Buffer.from(key), value }));
  if (!restored) records.push({ key: Buffer.from(PUBLISHED), value: Buffer.alloc(0) });
  const state = codecs['match-state'].encode(matchState(match));
  records.push({ key: Buffer.from(String(match.eventId)), value: state });
  return records;
}

/** An independent copy of a match. */
function copyOf({ match, incidents, touched, stateBytes, pendingBytes }: LoadedMatch): Match {
  if (stateBytes === 0 && pendingBytes === 0) return newMatch(match.eventId);
  const ids = new Set(touched);
  for (const key of incidents.keys()) ids.add(incidentIdOf(key));
  return restoreMatch(
    matchState(match),
    Array.from(ids, (id) => matchIncident(match, id)),
  );
}

/** Whether a match is in play. */
export function isLive({ status_type }: MatchState): boolean {
  return status_type === 'live';
}

/** Marks an incident as published. */
export function setIncident(loaded: LoadedMatch, key: string, value: Buffer): void {
  const before = loaded.incidents.get(key);
  if (before === undefined) loaded.idBytes += key.length;
  loaded.incidentBytes += value.length - (before?.length ?? 0);
  loaded.incidents.set(key, value);
}

function loadedOf(
  codecs: MatchCodecs,
  match: Match,
  incidents: Map<string, Buffer>,
  stateBytes: number,
  restored: boolean,
): LoadedMatch {
  let incidentBytes = 0;
  let idBytes = 0;
  for (const [key, value] of incidents) {
    incidentBytes += value.length;
    idBytes += key.length;
  }
  const published = matchResult(match);
  return {
    match,
    touched: new Set(),
    incidents,
    incidentBytes,
    idBytes,
    stateBytes,
    resultBytes:
      published === null
        ? 0
        : codecs['match-results'].encode({ ...published, removed: false, ...stampOf(match) }).length,
    pendingBytes: 0,
    usedAt: 0,
    live: false,
    flags: [],
    published,
    stale: false,
    restored,
  };
}

function incidentIdOf(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}
