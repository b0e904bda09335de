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

/** A match in memory, with what is known of its published records. */
export type LoadedMatch = {
  readonly match: Match;
  /** Incidents that changed since the last flush. */
  touched: Set<string>;
  /** Its incidents as they were last published, by key: to encode all of them again for spilling costs more. */
  readonly incidents: Map<string, Buffer>;
  /** Bytes of `incidents`, of the ids in them, and of the state and the result as they were last published. */
  incidentBytes: number;
  idBytes: number;
  stateBytes: number;
  resultBytes: number;
  /** Bytes of the messages applied since the last flush. */
  pendingBytes: number;
  /** When it was last used: by the clock of receipt, milliseconds, and counted in messages. */
  usedAt: number;
  turn: number;
  /** It is being played, as its state was last published: more messages are to be expected. */
  live: boolean;
  /** The result that was last published of it. */
  published: TableResult | null;
  /** `published` may be of another state than the match is in. */
  stale: boolean;
  /** Nothing was published of it since the partition was claimed. */
  restored: boolean;
};

/** Key of an empty record that a match is spilled with once something was published of it since the claim. */
const PUBLISHED = '';

/** What a loaded match takes beside its records, bytes: an estimate, on the safe side. */
const OBJECT_BYTES = 8 * 1024;
/** How many times its encoded bytes a decoded record takes: an estimate too. */
const DECODED = 3;

/** About how much memory a match takes, bytes. */
export function weightOf({ stateBytes, incidentBytes }: LoadedMatch): number {
  return OBJECT_BYTES + DECODED * (stateBytes + incidentBytes);
}

/** A match that nothing is known of. */
export function newLoaded(codecs: MatchCodecs, eventId: number): LoadedMatch {
  return loadedOf(codecs, newMatch(eventId), new Map(), 0, false);
}

/** The match of these records, whole; a promise only where the schema of one was not met before. */
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

/** The records of a match that has no changes to publish, as `load` takes them; none where nothing was ever published. */
export function spilled(codecs: MatchCodecs, loaded: LoadedMatch): { key: Buffer; value: Buffer }[] {
  const { match, incidents, stateBytes, restored } = loaded;
  if (stateBytes === 0) return [];
  const records = Array.from(incidents, ([key, value]) => ({ key: Buffer.from(key), value }));
  if (!restored) records.push({ key: Buffer.from(PUBLISHED), value: Buffer.alloc(0) });
  const state = codecs['match-state'].encode(matchState(match));
  records.push({ key: Buffer.from(String(match.eventId)), value: state });
  return records;
}

/** A match of its own that is as this one is now. */
export function copyOf({ match, incidents, touched, stateBytes, pendingBytes }: LoadedMatch): Match {
  if (stateBytes === 0 && pendingBytes === 0) return newMatch(match.eventId);
  const ids = new Set(touched);
  for (const key of incidents.keys()) ids.add(incidentIdOf(key));
  return restoreMatch(
    matchState(match),
    Array.from(ids, (id) => matchIncident(match, id)),
  );
}

/** Whether a match is being played. */
export function isLive({ status_type }: MatchState): boolean {
  return status_type === 'live';
}

/** Takes an incident as published. */
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
