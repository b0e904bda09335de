/**
 * The tables of a replica's views. Views that were created with a different schema text are rebuilt from the topics, so a
 * change here needs no migration. Raise RENDERING when rendered records change.
 */
import { hash } from 'node:crypto';
import { INCIDENT } from '#soccer/soccer.ts';

const RENDERING = 9;

/** Which incidents are yellow cards that stand; the same in queries and in their index, else SQLite does not use it. */
export const STANDING_YELLOW = `incident_id = ${INCIDENT.yellowCard} AND removed = 0 AND confirmation IS NOT 'cancelled'`;

export const SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- epoch: leader epoch of the record before next.
CREATE TABLE offsets (key TEXT PRIMARY KEY, next INTEGER NOT NULL, epoch INTEGER) WITHOUT ROWID;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,
  -- Unix seconds of this service's clock.
  changed INTEGER NOT NULL,
  -- When its last message was received, Unix milliseconds.
  received_at INTEGER NOT NULL,
  hidden INTEGER NOT NULL,
  sport_id INTEGER, competition_id INTEGER, season_id INTEGER, stage_id INTEGER, group_id INTEGER,
  -- YYYY-MM-DD HH:MM:SS
  start TEXT NOT NULL,
  status_id INTEGER, status_type TEXT,
  home_id INTEGER, away_id INTEGER,
  -- JSON: the event with all fields, the event without details and statistics, the state for the board.
  full TEXT NOT NULL, plain TEXT NOT NULL, state TEXT NOT NULL
);

-- Events of competitions that are not served; dropped: whether records of the event were left out.
CREATE TABLE outside (event_id INTEGER PRIMARY KEY, dropped INTEGER NOT NULL);

-- The sides of each event; folded: the name as searches compare it.
CREATE TABLE sides (
  event_id INTEGER NOT NULL, counter INTEGER NOT NULL, team_id INTEGER NOT NULL, name TEXT NOT NULL, folded TEXT NOT NULL,
  PRIMARY KEY (event_id, counter)
) WITHOUT ROWID;

CREATE TABLE incidents (
  event_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  removed INTEGER NOT NULL,
  incident_id INTEGER NOT NULL,
  participant_id INTEGER,
  confirmation TEXT,
  event_status_id INTEGER,
  -- Seconds of match time.
  event_time INTEGER,
  parent_id TEXT,
  ut INTEGER NOT NULL,
  -- Unix milliseconds.
  received_at INTEGER NOT NULL,
  important INTEGER NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (event_id, id)
) WITHOUT ROWID;
CREATE TABLE updated_incidents (event_id INTEGER, id TEXT, PRIMARY KEY (event_id, id)) WITHOUT ROWID;
-- first: time of the first delivery of an incident, Unix milliseconds.
CREATE TABLE deliveries (
  event_id INTEGER NOT NULL, id TEXT NOT NULL, first INTEGER NOT NULL, PRIMARY KEY (event_id, id)
) WITHOUT ROWID;
-- changed: as in events; class and subject: as in changes.ts.
CREATE TABLE stories (
  event_id INTEGER, version INTEGER, n INTEGER, changed INTEGER NOT NULL, class TEXT NOT NULL, subject TEXT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (event_id, version, n)
) WITHOUT ROWID;

CREATE TABLE feed (
  id INTEGER PRIMARY KEY,
  partition INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  -- Digest of the text: a message that came twice is stored once.
  digest BLOB NOT NULL UNIQUE,
  -- Time received, Unix milliseconds, never less than that of the previous message in its partition.
  at INTEGER NOT NULL,
  ut INTEGER NOT NULL,
  -- Time at which it became visible, Unix seconds of this service's clock.
  changed INTEGER NOT NULL,
  event_id INTEGER NOT NULL,
  competition_id INTEGER,
  incident INTEGER NOT NULL,
  important INTEGER NOT NULL,
  for_trader INTEGER NOT NULL,
  UNIQUE (partition, offset)
);
-- A table of its own, so that filters read no texts, each of which fills a page.
CREATE TABLE feed_texts (id INTEGER PRIMARY KEY, json TEXT NOT NULL);
-- Sweeps need it while the views are built.
CREATE INDEX feed_by_arrival ON feed (at);

CREATE TABLE catalogue (
  kind TEXT NOT NULL, id TEXT NOT NULL, number INTEGER, parent_id TEXT, ut INTEGER NOT NULL,
  -- As in events.
  changed INTEGER NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE INDEX catalogue_by_parent ON catalogue (kind, parent_id);

-- Competitions, seasons, stages and groups. changed: the last change of a node or of one below it.
CREATE TABLE tree (
  level TEXT NOT NULL, id INTEGER NOT NULL, changed INTEGER NOT NULL, PRIMARY KEY (level, id)
) WITHOUT ROWID;

-- derived: whether it is a record of standings, else of provider-standings. entry: that of the list of tables.
CREATE TABLE standings (
  id INTEGER PRIMARY KEY, version INTEGER NOT NULL, changed INTEGER NOT NULL, sport_id INTEGER NOT NULL,
  competition_id INTEGER, season_id INTEGER, object_type TEXT NOT NULL, object_id INTEGER NOT NULL,
  deleted INTEGER NOT NULL, derived INTEGER NOT NULL, entry TEXT NOT NULL, json TEXT NOT NULL
);
CREATE INDEX standings_by_object ON standings (object_type, object_id);
CREATE INDEX standings_by_season ON standings (season_id);
-- The records of matches on feed-health. deleted: whether the monitor deleted it, a day after the end of the match.
CREATE TABLE health (
  key TEXT PRIMARY KEY, event_id INTEGER NOT NULL, deleted INTEGER NOT NULL, json TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX health_of_event ON health (event_id);
`;

const FEED_BY_EVENT = 'feed_by_event ON feed (event_id)';

/** Finds the messages of an event that is left out: views of some competitions need it while they are built. */
export const FEED_BY_EVENT_INDEX = `CREATE INDEX IF NOT EXISTS ${FEED_BY_EVENT}`;

/** The indexes of tables that grow with events. Views get them once they are built: one pass over a table costs less than an entry for each row. */
export const INDEXES = [
  'events_by_start ON events (start, id)',
  'events_by_status ON events (status_type, start)',
  'events_by_season ON events (season_id, start)',
  'events_by_stage ON events (stage_id, start)',
  'events_by_competition ON events (competition_id, start)',
  'events_by_home ON events (home_id, start)',
  'events_by_away ON events (away_id, start)',
  'events_by_change ON events (changed)',
  'stories_by_change ON stories (changed)',
  'feed_by_ut ON feed (ut)',
  'feed_by_change ON feed (changed)',
  FEED_BY_EVENT,
  `yellow_cards ON incidents (event_id, participant_id) WHERE ${STANDING_YELLOW}`,
].map((index) => `CREATE INDEX IF NOT EXISTS ${index}`);

/** Identifies the schema and the rendering of the stored records. */
export const SCHEMA_ID = hash('sha256', [RENDERING, SCHEMA, ...INDEXES].join(), 'hex');
