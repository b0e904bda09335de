/** Matches for the tests of the board: applies the provider's messages with the real rules to real views. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyMessage, type Match, matchIncident, matchState, newMatch } from '#domain/match.ts';
import { providerTable } from '#domain/standings/provider-table.ts';
import { normalizeMessage } from '#ingestion/normalize.ts';
import type { FeedHealth, NormalizedMessage, Standings, StandingsEntry } from '#topics/generated/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import type { ViewRecord } from '#views/ingest/records.ts';
import { applyRecords } from '#views/render/apply.ts';
import { openViews } from '#views/store/database.ts';
import { Views } from '#views/store/views.ts';

type Fields = Readonly<Record<string, unknown>>;
type Team = readonly [id: number, name: string];

/** Competition, season, stage and group of the tests' matches. */
export const PLACE = { competition_id: 31, season_id: 312, stage_id: 3121, group_id: 31211 } as const;

/** A match of a test. `event`: more fields of the event record. */
export type FixtureMatch = {
  readonly id: number;
  readonly home: Team;
  readonly away: Team;
  readonly event?: Fields;
};

/** Views in a temporary folder, and methods that publish to them. The caller calls `close`. */
export class PlayedViews {
  readonly views: Views;
  readonly #folder: string;
  readonly #matches = new Map<number, Match>();
  /** The provider's own scores as last published, by event. */
  readonly #reported = new Map<number, readonly [number, number]>();
  #offset = 0;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'touchline-board-'));
    const options = { folder: this.#folder, source: {}, maxAgeMs: 86_400_000, now: Date.now() };
    this.views = new Views(openViews(options).database);
    this.views.caughtUp();
    this.name('competition', PLACE.competition_id, null, 'World Cup');
    this.name('season', PLACE.season_id, PLACE.competition_id, 'World Cup 2018');
    this.name('stage', PLACE.stage_id, PLACE.season_id, 'Group stage');
    this.name('group', PLACE.group_id, PLACE.stage_id, 'Group E');
  }

  close(): void {
    this.views.close();
    rmSync(this.#folder, { recursive: true });
  }

  /** Publishes the name of a competition, season, stage or group. `more`: other fields of the record. */
  name(kind: string, id: number, parent: number | null, name: string, more: Fields = {}): void {
    const value = {
      kind,
      id: String(id),
      parent_id: parent === null ? null : String(parent),
      ut: 1,
      body: JSON.stringify({ id, name, ...more }),
    };
    this.#apply([{ topic: 'catalogue', key: `${kind}/${id}`, value }]);
  }

  /** Publishes the health of the webhook source, which never expires by default, or of a match. */
  health(eventId: number | null, changes: Partial<FeedHealth> = {}): void {
    const value: FeedHealth = {
      ...sampleOf('feed-health'),
      source: 'webhook',
      event_id: eventId,
      state: 'alive',
      reason: null,
      term: 1,
      valid_until: eventId === null ? Number.MAX_SAFE_INTEGER : null,
      ...changes,
    };
    this.#apply([{ topic: 'feed-health', key: eventId === null ? 'webhook' : `webhook/${eventId}`, value }]);
  }

  /** Publishes a table. `body`: `data.standings`. */
  table(
    standingsId: number,
    typeId: number,
    typeName: string,
    body: Fields,
    version = 1,
    stageId: number = PLACE.stage_id,
  ): void {
    const at = {
      standings_id: standingsId,
      version,
      type_id: typeId,
      object_type: 'stage',
      object_id: stageId,
      competition_id: PLACE.competition_id,
      season_id: PLACE.season_id,
      ut: 1,
      cause: null,
    };
    const entry = {
      ...at,
      name: typeName,
      type_name: typeName,
      subtype: 'standings',
      object_name: 'Group stage',
      item_status: 'active',
      sport_id: 5,
    };
    this.#publish(entry, { ...at, body: JSON.stringify(body) });
  }

  /** Publishes a ranking of the provider. `body`: `data.standings`. */
  ranking(body: Fields): void {
    const records = providerTable(body, 1);
    if (records === null) throw new Error('no ranking');
    this.#publish(records.entry, records.table);
  }

  #publish(entry: StandingsEntry, table: Standings): void {
    const key = String(table.standings_id);
    this.#apply([
      { topic: 'standings-catalogue', key, value: entry },
      { topic: 'standings', key, value: table },
    ]);
  }

  /** Publishes an event message of a match at `ut`, Unix seconds, or an incident message if `incident` is given. */
  publish(fixture: FixtureMatch, ut: number, event: Fields, incident?: Fields): void {
    const { id, home, away } = fixture;
    const side = ([team, name]: Team, counter: number, goals: unknown) => ({
      id: team,
      counter,
      name,
      short_name: name,
      acronym: name.slice(0, 3).toUpperCase(),
      results: goals === undefined ? [] : [{ id: 2, value: goals }],
    });
    const { reported = this.#reported.get(id), ...fields } = event as {
      reported?: readonly [number, number];
    };
    if (reported !== undefined) this.#reported.set(id, reported);
    const record = {
      id,
      action: 'update',
      name: `${home[1]} - ${away[1]}`,
      sport_id: 5,
      ...PLACE,
      ...fixture.event,
      ...fields,
      participants: [side(home, 1, reported?.[0]), side(away, 2, reported?.[1])],
    };
    this.#take(id, {
      id: `${id}-${ut}-${this.#offset}`,
      type: incident === undefined ? 'event' : 'incident',
      source: 1,
      ut,
      data: { event: record, ...(incident === undefined ? {} : { incident }) },
    });
  }

  #take(eventId: number, provided: unknown): void {
    const normalized = normalizeMessage(provided, {
      origin: 'webhook',
      deliveryId: 'd',
      receivedAt: Date.now(),
    });
    if (normalized.kind !== 'normalized') throw new Error(JSON.stringify(normalized));
    this.apply(eventId, normalized.message);
  }

  /** Applies a message like the match processor, and its output like a replica. */
  apply(eventId: number, message: NormalizedMessage): void {
    const match = this.#matches.get(eventId) ?? newMatch(eventId);
    this.#matches.set(eventId, match);
    const { transitions, incidents } = applyMessage(match, message, {
      topic: 'normalized-messages',
      partition: 0,
      offset: this.#offset,
      ut: message.ut,
      received_at: message.received_at,
      message_id: message.message_id,
    });
    if (transitions.length === 0) return;
    const key = String(eventId);
    this.#apply([
      ...incidents.map((id) => ({
        topic: 'match-incidents' as const,
        key: `${key}/${id}`,
        value: matchIncident(match, id),
      })),
      ...transitions.map((value) => ({ topic: 'match-transitions' as const, key, value })),
      { topic: 'match-state', key, value: matchState(match) },
    ]);
  }

  #apply(records: readonly Unplaced<ViewRecord>[]): void {
    const placed = records.map(
      (record) => ({ ...record, partition: 0, offset: this.#offset++ }) as ViewRecord,
    );
    applyRecords(this.views, placed, [{ key: 'test/0', next: this.#offset, epoch: null }], Date.now());
  }
}

type Unplaced<R> = R extends ViewRecord ? Omit<R, 'partition' | 'offset'> : never;
