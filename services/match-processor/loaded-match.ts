import {
  type Match,
  matchIncident,
  matchResult,
  matchState,
  newMatch,
  restoreMatch,
  stampOf,
} from '#domain/match.ts';
import type { TableResult } from '#domain/match-result.ts';
import type { MatchIncident, MatchState } from '#topics/generated/types.ts';
import type { MatchCodecs } from './match-codecs.ts';

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
  /** Last use: by the clock of receipt, milliseconds, and by the number of messages. */
  usedAt: number;
  turn: number;
  /** In play, by its last published state: more messages are expected. */
  live: boolean;
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

/** The whole match of these records; a promise only for the first record of a new schema. */
export function load(
  codecs: MatchCodecs,
  eventId: number,
  records: Map<string, Buffer>,
): LoadedMatch | Promise<LoadedMatch> {
  const stateKey = String(eventId);
  const encoded = records.get(stateKey);
  const restored = !records.delete(PUBLISHED);
  if (encoded === undefined) return { ...newLoaded(codecs, eventId), restored };
  records.delete(stateKey);
  const state = codecs['match-state'].decode(encoded);
  const incidents = Array.from(records.values(), (bytes) => codecs['match-incidents'].decode(bytes));
  const whole = (ready: MatchState, all: readonly MatchIncident[]): LoadedMatch => ({
    ...loadedOf(codecs, restoreMatch(ready, all), records, encoded.length, restored),
    live: isLive(ready),
  });
  if (state instanceof Promise || incidents.some((incident) => incident instanceof Promise)) {
    return Promise.all([state, Promise.all(incidents)]).then(([ready, all]) => whole(ready, all));
  }
  return whole(state, incidents as MatchIncident[]);
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
export function copyOf({ match, incidents, touched, stateBytes, pendingBytes }: LoadedMatch): Match {
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
    turn: 0,
    live: false,
    published,
    stale: false,
    restored,
  };
}

function incidentIdOf(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}
