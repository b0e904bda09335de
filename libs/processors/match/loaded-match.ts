import {
  applyMessage,
  countAfter,
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
import type { Cause, MatchState, NormalizedMessage } from '#records/types.ts';
import type { CodecsOf } from '#topics/registry.ts';

/** The topics that the match processor reads and writes. */
export const VALUES = [
  'normalized-messages',
  'match-incidents',
  'match-state',
  'match-transitions',
  'match-results',
] as const;

export type MatchCodecs = CodecsOf<(typeof VALUES)[number]>;

/** Maximum size of key and value of a record, to fit into a batch of 1 MiB. A message that would exceed it becomes a dead letter. */
export const MAX_RECORD_BYTES = 800 * 1024;

/** Maximum incidents of a match, removed ones included; a real one has up to some 1,500. A further one becomes a dead letter. */
export const MAX_INCIDENTS = 3_000;

/** Maximum goals, cancellations and cards: each message derives all anew, 17 ms for 3,000 goals. A real match has dozens. */
export const MAX_DECISIVE = 500;

/** Maximum growth of a record by a message, as a multiple of the message's bytes: a state has a field up to four times. */
const GROWTH = 4;

/** Maximum bytes of a match's messages in a transaction: above it `checkSizes` would copy the match for each further one. */
export const MAX_PENDING_BYTES = 150 * 1024;

/** Throws `PoisonError` for a message that would give a match more than `MAX_INCIDENTS`, or `MAX_DECISIVE` of them. */
export function checkIncidents(match: Match, message: NormalizedMessage): void {
  const { incidents, decisive } = countAfter(match, message);
  if (incidents <= MAX_INCIDENTS && decisive <= MAX_DECISIVE) return;
  throw new PoisonError(
    'TOO_MANY_INCIDENTS',
    `match ${match.eventId}: it would have ${incidents} incidents, ${decisive} of them goals, cancellations and cards; the limits ` +
      `are ${MAX_INCIDENTS} and ${MAX_DECISIVE}`,
  );
}

/** Returns the mark of a message that its match refused (law 0): it closes the guard, and reports nothing else. */
export function refusedMessage(message: NormalizedMessage, { published }: PoisonError): NormalizedMessage {
  return {
    ...message,
    type: 'event',
    event: null,
    reported: null,
    clock: null,
    incident: null,
    snapshot: null,
    other: {},
    unread: [],
    unreadable: published,
    deleted: [],
    absence: null,
  };
}

/** Whether a message may make a record of the match too large, by an estimate that encodes nothing: `checkSizes` decides then. */
export function mayOutgrow(
  { stateBytes, resultBytes, idBytes, pendingBytes }: LoadedMatch,
  messageBytes: number,
): boolean {
  return stateBytes + resultBytes + GROWTH * (idBytes + pendingBytes + messageBytes) > MAX_RECORD_BYTES;
}

/** Applies a message to a copy of its match. Throws `PoisonError` when one of the resulting records is too large. */
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
  for (const change of resultChanges(loaded.publishedResult, matchResult(copy), stampOf(copy))) {
    checkSize('match-results', resultKey(change), codecs['match-results'].encode(change));
  }
}

/** Throws `PoisonError` for a record above `MAX_RECORD_BYTES`. */
export function checkSize(topic: string, key: string, value: Buffer): void {
  const bytes = Buffer.byteLength(key) + value.length;
  if (bytes <= MAX_RECORD_BYTES) return;
  throw new PoisonError(
    'STATE_TOO_LARGE',
    `${topic} ${key.slice(0, 100)}: the record would have ${bytes} bytes, the limit is ${MAX_RECORD_BYTES}`,
  );
}

/** Returns the key of an incident on match-incidents. */
export function incidentKey(eventId: number, incidentId: string): string {
  return `${eventId}/${incidentId}`;
}

/** The flags of a match whose state may be wrong: laws 8 (agreement), 6 (orphans) and 5 (anomalies). */
export const MATCH_FLAGS = ['score_differs', 'orphan', 'anomaly'] as const;

type MatchFlag = (typeof MATCH_FLAGS)[number];

/** Numbers of matches by flag. */
export type FlagCounts = Record<MatchFlag, number>;

/** Returns the flags of a match. */
export function flagsOf({ agreement, orphans, anomalies }: MatchState): readonly MatchFlag[] {
  const flags: MatchFlag[] = [];
  if (agreement === 'differs') flags.push('score_differs');
  if (orphans.length > 0) flags.push('orphan');
  if (anomalies.length > 0) flags.push('anomaly');
  return flags;
}

/** A match in memory, with the content and sizes of its published records. */
export type LoadedMatch = {
  readonly match: Match;
  /** Incidents that changed since the last flush. */
  touched: Set<string>;
  /** Its last published incidents, encoded, by key: to spill the match they need not be encoded again. */
  readonly incidents: Map<string, Buffer>;
  /** Bytes of the values of `incidents`, of their keys, and of the last published state and result. */
  incidentBytes: number;
  idBytes: number;
  stateBytes: number;
  resultBytes: number;
  /** Bytes of the messages applied since the last flush. */
  pendingBytes: number;
  /** Its flags, by its last published state. */
  flags: readonly MatchFlag[];
  /** Its last published result; null if it had none. */
  publishedResult: TableResult | null;
  /** Whether `publishedResult` may belong to an earlier state. */
  isResultStale: boolean;
  /** Whether nothing of it was published since the partition was claimed. */
  restored: boolean;
};

/** Key of an empty record that marks a spilled match as published since the claim. */
const PUBLISHED = '';

/** Estimated memory of a loaded match beside its records, bytes: rather too much. */
const OBJECT_BYTES = 8 * 1024;
/** Estimated memory of a decoded record, as a multiple of its encoded bytes. */
const DECODED = 3;

/** Returns the estimated memory of a match, bytes. */
export function weightOf({ stateBytes, incidentBytes }: LoadedMatch): number {
  return OBJECT_BYTES + DECODED * (stateBytes + incidentBytes);
}

/** Returns a new match. */
export function newLoaded(codecs: MatchCodecs, eventId: number): LoadedMatch {
  return loadedOf(codecs, newMatch(eventId), 0, false);
}

/** Returns the match of the records that `spilled` returned or a changelog has. */
export function load(codecs: MatchCodecs, eventId: number, records: Map<string, Buffer>): LoadedMatch {
  const stateKey = String(eventId);
  const encoded = records.get(stateKey);
  const restored = !records.delete(PUBLISHED);
  if (encoded === undefined) return { ...newLoaded(codecs, eventId), restored };
  records.delete(stateKey);
  const state = codecs['match-state'].decode(encoded);
  const incidents = Array.from(records.values(), (bytes) => codecs['match-incidents'].decode(bytes));
  const loaded = loadedOf(codecs, restoreMatch(state, incidents), encoded.length, restored);
  for (const [key, value] of records) setIncident(loaded, key, value);
  return { ...loaded, flags: flagsOf(state) };
}

/** Returns the records of a match without pending changes, for `load`; none if nothing of it was ever published. */
export function spilled(codecs: MatchCodecs, loaded: LoadedMatch): { key: Buffer; value: Buffer }[] {
  const { match, incidents, stateBytes, restored } = loaded;
  if (stateBytes === 0) return [];
  const records = Array.from(incidents, ([key, value]) => ({ key: Buffer.from(key), value }));
  if (!restored) records.push({ key: Buffer.from(PUBLISHED), value: Buffer.alloc(0) });
  const state = codecs['match-state'].encode(matchState(match));
  records.push({ key: Buffer.from(String(match.eventId)), value: state });
  return records;
}

function copyOf({ match, incidents, touched, stateBytes, pendingBytes }: LoadedMatch): Match {
  if (stateBytes === 0 && pendingBytes === 0) return newMatch(match.eventId);
  const ids = new Set(touched);
  for (const key of incidents.keys()) ids.add(key.slice(key.indexOf('/') + 1));
  return restoreMatch(
    matchState(match),
    Array.from(ids, (id) => matchIncident(match, id)),
  );
}

/** Notes the published record of an incident. */
export function setIncident(loaded: LoadedMatch, key: string, value: Buffer): void {
  const before = loaded.incidents.get(key);
  if (before === undefined) loaded.idBytes += key.length;
  loaded.incidentBytes += value.length - (before?.length ?? 0);
  loaded.incidents.set(key, value);
}

function loadedOf(codecs: MatchCodecs, match: Match, stateBytes: number, restored: boolean): LoadedMatch {
  const result = matchResult(match);
  return {
    match,
    touched: new Set(),
    incidents: new Map(),
    incidentBytes: 0,
    idBytes: 0,
    stateBytes,
    resultBytes:
      result === null
        ? 0
        : codecs['match-results'].encode({ ...result, removed: false, ...stampOf(match) }).length,
    pendingBytes: 0,
    flags: [],
    publishedResult: result,
    isResultStale: false,
    restored,
  };
}
