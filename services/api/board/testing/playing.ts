/** Matches for the tests of the board: applies the provider's messages with the real rules to real views. */
import type { FeedHealth, NormalizedMessage } from '#records/types.ts';
import type { ViewRecord } from '#views/records.ts';
import { catalogueRecord, rankingRecord, shownTable } from '#views/testing/records.ts';
import { normalized, ViewsWorld } from '#views/testing/world.ts';

type Fields = Readonly<Record<string, unknown>>;
type Team = readonly [id: number, name: string];

/** Competition, season, stage and group of the tests' matches. */
export const LEVEL_IDS = { competition_id: 31, season_id: 312, stage_id: 3121, group_id: 31211 } as const;

/** A match of a test. `event`: more fields of the event record. */
export type FixtureMatch = {
  readonly id: number;
  readonly home: Team;
  readonly away: Team;
  readonly event?: Fields;
};

/** Views that a test publishes to. They are closed after the test. */
export class PlayedViews extends ViewsWorld {
  /** The provider's own scores as last published, by event. */
  readonly #reported = new Map<number, readonly [number, number]>();
  #messages = 0;

  constructor() {
    super();
    this.views.caughtUp();
    this.name('competition', LEVEL_IDS.competition_id, null, 'World Cup');
    this.name('season', LEVEL_IDS.season_id, LEVEL_IDS.competition_id, 'World Cup 2018');
    this.name('stage', LEVEL_IDS.stage_id, LEVEL_IDS.season_id, 'Group stage');
    this.name('group', LEVEL_IDS.group_id, LEVEL_IDS.stage_id, 'Group E');
  }

  /** Applies records as if they were written now. */
  override give(...records: readonly ViewRecord[]) {
    this.now = Date.now();
    return super.give(...records);
  }

  /** Publishes the name of a competition, season, stage or group. `more`: other fields of the record. */
  name(kind: string, id: number, parent: number | null, name: string, more: Fields = {}): void {
    this.give(catalogueRecord(kind, id, parent, { id, name, ...more }, 1));
  }

  /** Publishes the health of the webhook source, which never expires by default, or of a match. */
  override health(eventId: number | null, changes: Partial<FeedHealth> = {}): void {
    const valid_until = eventId === null ? Number.MAX_SAFE_INTEGER : null;
    super.health(eventId, { valid_until, ...changes });
  }

  /** Publishes a table. `body`: `data.standings`. */
  table(
    standingsId: number,
    typeId: number,
    typeName: string,
    body: Fields,
    version = 1,
    stageId: number = LEVEL_IDS.stage_id,
  ): void {
    const { competition_id, season_id } = LEVEL_IDS;
    const ranked = { object_type: 'stage', object_id: stageId, competition_id, season_id };
    const names = { name: typeName, type_name: typeName, object_name: 'Group stage' };
    this.give(shownTable(standingsId, body, { ...ranked, ...names, version, type_id: typeId, ut: 1 }));
  }

  /** Publishes a ranking of the provider. `body`: `data.standings`. */
  ranking(body: Fields): void {
    this.give(rankingRecord(body));
  }

  /**
   * Publishes an event message of a match that the provider wrote at `ut`, Unix seconds, or an incident message if `incident` is
   * given. It is received at once; one of the future now.
   */
  publish(fixture: FixtureMatch, ut: number, event: Fields, incident?: Fields): void {
    this.take({
      ...this.message(fixture, ut, event, incident),
      received_at: Math.min(Date.now(), ut * 1000),
    });
  }

  /** Returns such a message without publishing it. */
  message(fixture: FixtureMatch, ut: number, event: Fields, incident?: Fields): NormalizedMessage {
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
      ...LEVEL_IDS,
      ...fixture.event,
      ...fields,
      participants: [side(home, 1, reported?.[0]), side(away, 2, reported?.[1])],
    };
    this.#messages += 1;
    const message = {
      id: `${id}-${ut}-${this.#messages}`,
      type: incident === undefined ? 'event' : 'incident',
      source: 1,
      ut,
      data: { event: record, ...(incident === undefined ? {} : { incident }) },
    };
    return normalized(message, Math.max(Date.now(), ut * 1000));
  }
}
