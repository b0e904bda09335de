// Generated from schemas/ by `npm run generate`. Do not edit.

/** The cause of a record: the input record that produced it. */
export type Cause = {
  /** Input topic, without the prefix. */ topic: string;
  partition: number;
  offset: number;
  /** The provider's time of writing, Unix seconds. */ ut: number;
  /** When an ingress service received the message, Unix milliseconds. */ received_at: number;
  /** The provider's message identifier. */ message_id: string;
};

/** A reading of the match clock. */
export type Clock = {
  /** Seconds in the current period at `ut`. */ time: null | number;
  /** running, stopped. */ status: null | string;
  /** Unix seconds of the reading. */ ut: number;
};

/** A side of an event as reported (spec, "Event"). */
export type EventParticipant = {
  /** Null where only its results were sent. */ id: null | number;
  /** 1 is home, 2 away. */ counter: null | number;
  type: null | string;
  name: null | string;
  short_name: null | string;
  acronym: null | string;
  area_id: null | number;
  area_name: null | string;
  area_code: null | string;
  gender: null | string;
  /** Unix seconds. */ ut: null | number;
  /** By id: 2 score, 4 and 5 halves, 7 shoot-out, 411 winner, 412 who advanced. */ results: ReportedValue[];
  stats: ReportedValue[];
  /** By name: canonical JSON of the fields that the contract does not know. */ other: Record<string, string>;
};

/** The event of a message that was the last one to report some of its fields. */
export type EventReport = {
  /** Unix seconds. */ ut: number;
  /** The message's whole-number id, which orders messages of one second; null where it has none: it comes after. */
  message_id: null | number;
  event: Event;
};

/** What a message says of an event (spec, "Event"), without its id. */
export type Event = {
  /** delete, of a message that deletes the event; other actions describe just the message. */
  action: null | string;
  name: null | string;
  /** YYYY-MM-DD HH:MM, UTC. */ start_date: null | string;
  /** The instant of `start_date`; null where that is unknown or has another form. */ kick_off: null | number;
  sport_id: null | number;
  area_id: null | number;
  competition_id: null | number;
  season_id: null | number;
  stage_id: null | number;
  group_id: null | number;
  round_id: null | number;
  round_name: null | string;
  status_id: null | number;
  status_name: null | string;
  /** scheduled, live, finished, interrupted, cancelled, deleted, other. */ status_type: null | string;
  /** not_started, in_progress, finished, 30_min_left, 5_min_left. */ relation_status: null | string;
  /** active, suspended, inactive. */ bet_status: null | string;
  /** active, deleted. */ item_status: null | string;
  /** Seconds in the current period. */ clock_time: null | number;
  /** running, stopped. */ clock_status: null | string;
  /** Seconds of match time. */ played_time: null | number;
  winner_id: null | number;
  /** Who advanced. */ progress_id: null | number;
  neutral_venue: null | boolean;
  /** Whether the provider has verified the result. */ verified_result: null | boolean;
  coverage_type: null | string;
  event_stats_lvl_live: null | string;
  /** 1-2s, 3-6s, 7-15s. */ latency: null | string;
  /** gold, silver, bronze. */ event_stats_lvl: null | string;
  /** Who reports the event to the provider; -1 where that is unknown. */ source: null | number;
  /** Whether its result alone is reported. */ ft_only: null | boolean;
  scoutsfeed: null | boolean;
  sport_name: null | string;
  day: null | string;
  venue_id: null | number;
  /** Unix seconds. */ ut: null | number;
  series: null | EventSeries;
  /** By id: 16 length of a half, 17 number of periods, 50 length of a half of extra time, minutes. */
  details: null | ReportedValue[];
  /** As reported. An empty list says nothing. */ participants: EventParticipant[];
  /** The fields that the message set to null. A field that is null and not here was left out (law 2). */
  nulls: EventField[];
  /** By name: canonical JSON of the fields that the contract does not know. */ other: Record<string, string>;
};

export type EventSeries = {
  order: null | number;
  event_ids: number[];
};

export type EventField = 'action' | 'name' | 'start_date' | 'sport_id' | 'area_id' | 'competition_id' | 'season_id' | 'stage_id' | 'group_id' | 'round_id' | 'round_name' | 'status_id' | 'status_name' | 'status_type' | 'relation_status' | 'bet_status' | 'item_status' | 'clock_time' | 'clock_status' | 'played_time' | 'winner_id' | 'progress_id' | 'neutral_venue' | 'verified_result' | 'coverage_type' | 'event_stats_lvl_live' | 'latency' | 'event_stats_lvl' | 'source' | 'ft_only' | 'scoutsfeed' | 'sport_name' | 'day' | 'venue_id' | 'ut' | 'series' | 'details';

export const EVENT_FIELDS: readonly EventField[] = ['action', 'name', 'start_date', 'sport_id', 'area_id', 'competition_id', 'season_id', 'stage_id', 'group_id', 'round_id', 'round_name', 'status_id', 'status_name', 'status_type', 'relation_status', 'bet_status', 'item_status', 'clock_time', 'clock_status', 'played_time', 'winner_id', 'progress_id', 'neutral_venue', 'verified_result', 'coverage_type', 'event_stats_lvl_live', 'latency', 'event_stats_lvl', 'source', 'ft_only', 'scoutsfeed', 'sport_name', 'day', 'venue_id', 'ut', 'series', 'details'];

/** Whether trading may act on the score. */
export type Guard = {
  safe: boolean;
  /** Reasons against: under_review, possible_goal, possible_card, possible_penalty, possible_var, game_break, bet_suspended, score_differs, interrupted, missing_from_list, unread_message, score_unknown, status_went_back, unexplained_cancellation, event_missing. */
  reasons: string[];
};

/** A time in which a source, or a source for one match, was not to be believed. */
export type HealthGap = {
  /** The last sign of life before it, Unix milliseconds. */ from: number;
  /** The first one after it, Unix milliseconds; null while it is open. */ to: null | number;
  /** What began it: as the `reason` of feed-health. */ reason: string;
  /** What was done about it: open, none (nothing yet: what happened in it may be missing), caught_up (all of it was read or applied late), snapshot (the match's whole incident list was read after it), skipped (the provider no longer has it). */
  action: string;
  /** When feed-health first said so, Unix milliseconds: readers still believed the source between `from` and then. Of the reason monitor, when the last record expired. Null where the gap was only found later. */
  published_from: null | number;
  /** When feed-health said that it was over, Unix milliseconds; null while it is open, and where the gap was only found later. */
  published_to: null | number;
};

/** How far a source has caught up, in Unix seconds of the provider. */
export type HealthProgress = {
  /** Where it began. */ from: number;
  /** Everything up to it is read and published. */ position: number;
  /** The provider's time when this was written. */ to: number;
};

/** An incident as reported (spec, "Incident"). Null is unknown. */
export type Incident = {
  /** The provider's sport-prefixed id, the key of ordering and deduplication. */ id: string;
  /** Unix seconds the record was written: the incident's own, else its message's. */ ut: number;
  /** Incident type, see the catalogue of incidents. */ incident_id: number;
  incident_name: null | string;
  /** The team. */ participant_id: null | number;
  participant_name: null | string;
  /** The player. */ subparticipant_id: null | number;
  subparticipant_name: null | string;
  /** The phase its clock refers to. */ event_status_id: null | number;
  event_status_name: null | string;
  /** Seconds of match time. */ event_time: null | number;
  /** The incident's own `for`: all, own, rival, none. */ counts_for: null | string;
  /** tbd, confirmed, cancelled. */ confirmation: null | string;
  game_break: null | boolean;
  important: null | boolean;
  important_for_trader: null | boolean;
  attribute_ids: number[];
  additional_info: null | AdditionalInfo;
  parent_id: null | string;
  /** The whole-number id of the message that reported it, which orders records of one second; null for an entry of a list and for another kind of id, which come after. */
  message_id: null | number;
  /** By name: canonical JSON of the fields that the contract does not know. */ other: Record<string, string>;
};

export type AdditionalInfo = {
  assistant_id: null | number;
  assistant_name: null | string;
  goalkeeper_id: null | number;
  goalkeeper_name: null | string;
  secondary_assistant_id: null | number;
  secondary_assistant_name: null | string;
  /** By name: canonical JSON of the fields that the contract does not know. */ other: Record<string, string>;
};

/** Who, when and for whom of an incident. */
export type KeyIncident = {
  /** As in `counting_goals` and `void_goals`. */ id: string;
  /** 413, 421, 423: goals; 418: a red card. */ incident_type: number;
  /** The team that it names; of an own goal, the scorer's. */ team_id: null | number;
  player_id: null | number;
  player_name: null | string;
  /** As shown, e.g. 45+2. */ minute: null | string;
  in_shoot_out: boolean;
  /** The team whose score a goal that counts raises; null of any other incident. */
  counts_for_id: null | number;
  /** Whether it is neither removed nor cancelled, nor a disallowed goal. */ stands: boolean;
};

/** Of an operator's order: who gave it, when, why. A command is on operator-orders too. */
export type OrderAudit = {
  /** Unix milliseconds, by the clock of the machine that it was given on. */ at: number;
  /** User of the operating system; of the board: the client, as its id and name. */ user: string;
  /** Name of that machine; of the board: board. */ host: string;
  /** As the operator gave it. */ reason: string;
};

export type Participant = {
  id: number;
  name: null | string;
  short_name: null | string;
  acronym: null | string;
};

/** Points that the provider added or deducted in a table. */
export type ProviderCorrection = {
  participant_id: null | number;
  participant_name: null | string;
  /** Such as +2 or -6. */ value: string;
  reason: null | string;
  /** By name: canonical JSON of the fields that the contract does not know. */ other: Record<string, string>;
};

/** A result, a statistic or a detail: a number or a text, in whatever form it was sent. */
export type ReportedValue = {
  id: number;
  value: null | string;
  name: null | string;
  short_name: null | string;
  /** By name: canonical JSON of the fields that the contract does not know. */ other: Record<string, string>;
};

/** Goals of both sides, penalty shoot-outs excluded (result 2 of the provider). */
export type Score = {
  home: number;
  away: number;
};

/** An operator's order to halt or to resume trading by hand. */
export type TradingOrder = {
  /** halt, resume. */ action: string;
  /** Of a halt: when it ends by itself, Unix milliseconds; null: when it is resumed. */ until: null | number;
  order: OrderAudit;
};

export type WebhookOffset = {
  /** Of webhook-messages. */ partition: number;
  /** The next one to deliver. */ offset: number;
};

/** A personal access token of a client for the tool endpoint; its text was shown once and is not stored. */
export type AccessTokenRecord = {
  /** Names the token in lists and commands; without further meaning. */ token_id: string;
  /** The client whose contract it grants. */ client_id: number;
  /** The identity of that client: the token is of no use for another client that is later given its id. */
  client_identity: string;
  /** SHA-256 of the token's text, lower-case hex. */ token_hash: string;
  /** Its name, chosen by its owner. */ label: null | string;
  /** Unix milliseconds. */ created_at: number;
  /** Unix milliseconds; from then on it is invalid. Null: it does not expire. */ expires_at: null | number;
  /** Unix milliseconds; null where it was not revoked. */ revoked_at: null | number;
  /** Counts changes of this token, from 1; the higher wins. */ version: number;
  /** Unix milliseconds. */ updated_at: number;
};

/** One alert by a rule of touchline alerts, published once. How to describe rules: docs/guides/alerts.md. */
export type Alert = {
  /** <rule>/<kind>/<transition id>; of match_stale, match_halted and their ends <rule>/<kind>/<event id>/<since>, since when it lasts: the same over restarts. */
  id: string;
  /** The name of the rule. */ rule: string;
  /** goal, goal_cancelled, red_card, red_card_cancelled, guard_closed, guard_opened, score_differs, score_agrees, final, final_withdrawn, match_stale, match_recovered, match_halted, match_resumed. */
  kind: string;
  event_id: number;
  /** The match's version; null of match_stale, match_halted and their ends. */ version: null | number;
  /** The match's name as latest known, as its competition and teams. */ name: null | string;
  competition_id: null | number;
  home_id: null | number;
  away_id: null | number;
  /** Of goal, goal_cancelled, red_card and red_card_cancelled: a goal or card and its cancellation have the same. Null of a goal of the provider's result alone. */
  incident_id: null | string;
  /** Of goal and goal_cancelled: the score after it. Of final: the result. */ score: null | Score;
  /** Of guard_closed, score_differs and score_agrees: the guard's; of guard_opened: those that it had last; of match_stale: the feed's state and its reason, expired where feed-health itself is silent. */
  reasons: string[];
  /** The provider's time of its cause, of match_stale and match_halted since when, of their ends when these were found; Unix seconds. */
  ut: number;
  /** When its cause was received or, of match_stale, match_halted and their ends, found; Unix milliseconds. */
  received_at: number;
  /** Of goal and goal_cancelled: the score before it. Of several goals in one version, that before all of them. */
  score_before: null | Score;
  /** The team of the incident; of an own goal, the scorer's; of red_card_cancelled, the team that had the card. */
  team_id: null | number;
  team_name: null | string;
  player_id: null | number;
  player_name: null | string;
  /** Of the incident, as shown, e.g. 45+2. */ minute: null | string;
};

/** One record of the provider's catalogues: names of the structure and of types. The field with the name of its kind has what the provider says of one; a group has a name alone. */
export type CatalogueRecord = {
  kind: 'sport' | 'area' | 'language' | 'status' | 'incident' | 'standings_type' | 'competition' | 'season' | 'stage' | 'group' | 'provider_league';
  id: string;
  /** Of a season its competition, of a stage its season, of a group its stage, of a standings type its sport, of a provider_league its season. */
  parent_id: null | string;
  /** The provider's time of writing, else of its answer, Unix seconds; the higher wins. */ ut: number;
  name: null | string;
  sport: null | CatalogueSport;
  area: null | CatalogueArea;
  language: null | CatalogueLanguage;
  status: null | CatalogueStatus;
  incident: null | CatalogueIncidentType;
  standings_type: null | CatalogueStandingsType;
  competition: null | CatalogueCompetition;
  season: null | CatalogueSeason;
  stage: null | CatalogueStage;
  provider_league: null | ProviderLeague;
  /** By name: canonical JSON of the fields that the contract does not know. */ other: Record<string, string>;
};

export type CatalogueSport = {
  /** Slug. */ url: null | string;
  active: null | boolean;
  /** Whether it has a clock. */ has_timer: null | boolean;
};

export type CatalogueArea = {
  area_code: null | string;
  parent_area_id: null | string;
};

export type CatalogueLanguage = {
  code: null | string;
  original_name: null | string;
  active: null | boolean;
};

export type CatalogueStatus = {
  short_name: null | string;
  /** scheduled, live, finished, interrupted, cancelled, deleted, other. */ type: null | string;
};

export type CatalogueIncidentType = {
  sport_id: null | number;
  code: null | string;
  /** team, event. */ type: null | string;
  /** all, own, rival, none. */ for: null | string;
  /** Such as possible-goal. */ group: null | string;
  details: null | boolean;
  /** Whether it interrupts play. */ game_break: null | boolean;
  important: null | boolean;
  important_for_trader: null | boolean;
};

export type CatalogueStandingsType = {
  sport_id: null | number;
  columns: null | StandingsTypeColumn[];
};

export type StandingsTypeColumn = {
  id: number;
  code: null | string;
  short_name: null | string;
  name: null | string;
  /** By name: canonical JSON of the fields that the contract does not know. */ other: Record<string, string>;
};

export type CatalogueCompetition = {
  short_name: null | string;
  mini_name: null | string;
  gender: null | string;
  type: null | string;
  area_id: null | number;
  area_name: null | string;
  area_type: null | string;
  area_sort: null | number;
  area_code: null | string;
  overall_sort: null | number;
  sport_id: null | number;
  sport_name: null | string;
  tour_id: null | number;
  tour_name: null | string;
  slug: null | string;
  /** bronze, silver, gold. */ stats_lvl: null | string;
  generate_season_stats: null | boolean;
};

export type CatalogueSeason = {
  year: null | string;
  /** Whether it is the current season. */ actual: null | boolean;
  range_level: null | number;
  stats_lvl: null | string;
};

export type CatalogueStage = {
  stage_name_id: null | number;
  /** YYYY-MM-DD. */ start_date: null | string;
  /** YYYY-MM-DD. */ end_date: null | string;
  show_standings: null | boolean;
  has_brackets: null | boolean;
  groups_nr: null | number;
  sort: null | number;
  is_current: null | boolean;
};

/** A league table of the provider: what is compared with the derived one. */
export type ProviderLeague = {
  /** season, stage. */ object_type: string;
  object_id: number;
  groups: ProviderLeagueGroup[];
};

export type ProviderLeagueGroup = {
  /** Empty for none. */ id: string;
  rows: ProviderLeagueRow[];
  corrections: ProviderCorrection[];
};

export type ProviderLeagueRow = {
  /** The team. */ id: number;
  name: null | string;
  rank: null | number;
  /** Matches played. */ mp: null | number;
  /** Points. */ pts: null | number;
};

/** A client of the served contract: its identity, the scope of its contract, and where its webhooks go. */
export type Client = {
  /** A positive integer. */ client_id: number;
  /** 16 random hex digits, for ever the same: a later client with this client_id has others, so no token of this one opens it. */
  identity: string;
  name: string;
  active: boolean;
  /** Salted hash of the secret key; the key itself is not stored. */ secret_hash: string;
  /** Competitions inside the contract; null is all. */ competitions: null | number[];
  /** REST operations inside the contract, e.g. events.index; null is all. */ operations: null | string[];
  /** Whether its sessions of the board may halt and resume trading by hand. */ may_halt: boolean;
  webhooks: WebhookSubscription[];
  /** Counts changes of this client, from 1; the higher wins. */ version: number;
  /** Unix milliseconds. */ updated_at: number;
};

export type WebhookSubscription = {
  id: string;
  /** The address, encrypted with the deployment's key. */ sealed_url: string;
  /** The signing secret, encrypted with the deployment's key. */ sealed_secret: string;
  /** The message types that it receives: incident, event, alert; null is incidents and events. */
  types: null | string[];
  /** Leaves out a state (messages of the type event) while a newer one of its match waits. */
  latest_only: boolean;
  /** Deliveries of content received longer ago are marked, never left out; null marks none. */
  max_age_seconds: null | number;
  /** The same for content that was older than this at its receipt. */ max_delay_seconds: null | number;
  /** Those that were not applied when the last one was given, oldest first, and the last one. */
  orders: WebhookOrder[];
  /** Unix milliseconds: earlier messages are not sent. */ created_at: number;
  /** While the signing secret is rotated: the next one, encrypted as the other. Nothing is signed with it yet. */
  sealed_next_secret: null | string;
  /** How its requests are written: slack, teams, pagerduty, template. Null: the contract's, a signed list of messages. */
  format: null | string;
  /** Of the format template: the body, as JSON with placeholders. */ template: null | string;
};

/** An operator's order about the deliveries of a webhook. */
export type WebhookOrder = {
  /** From 1: `epoch` of its progress is that of the last one applied. */ number: number;
  /** enabled, disabled, resent (from `next` on, where that is further back; enables it), skipped (up to `next`). */
  kind: string;
  /** Of resent and skipped. */ next: WebhookOffset[];
};

/** Unusable input, with its bytes and the reason. */
export type DeadLetter = {
  /** Same bytes at the same place: same id. */ id: string;
  /** The service that gave it up. */ service: string;
  /** A closed list, see docs/reference/topics.md. */ code: string;
  /** One line, without secrets. */ reason: string;
  /** The topic of the record, without the prefix; null for input over HTTP. */ topic: null | string;
  partition: null | number;
  offset: null | number;
  key: null | Buffer;
  value: null | Buffer;
  /** Unix milliseconds. */ failed_at: number;
};

/** Whether a source of messages, or what it says of one match, is alive. The only topic made with a clock; how to join it: docs/guides/feed-health.md. */
export type FeedHealth = {
  /** The ingress service, as `origin` of normalized-messages: webhook, feed. */ source: string;
  /** Null in the record of the source itself. */ event_id: null | number;
  /** Only alive and recovered are to be believed. ended: the match is over. */
  state: 'alive' | 'stale' | 'down' | 'recovering' | 'recovered' | 'ended' | 'delayed';
  /** Of alive and recovered why the last read of the source failed, before it counts as down: null where it did not. Else why it is not alive: silence, delay (content was too old when it arrived), clock (content is ahead of our clock), backlog (our own delay), unreadable_messages, credentials, contract, network, ingress (our own service does not report). Of a gap also monitor: nothing was published, so that records expired. */
  reason: null | string;
  /** Since when it is in this state, Unix milliseconds: of stale, when it became due. */ since: number;
  /** The time of its newest content, Unix milliseconds, at most its receipt: the provider's time of the newest message or answer. To within a second: a record is not repeated for each message. */
  heard_at: null | number;
  /** How old its newest content was when it was received, milliseconds, to within a second; negative of the reason clock: content that far ahead of our clock. Null before the first message. */
  delay: null | number;
  /** Whether silence counts: the clock of the match runs, or that of any match of the source. */
  clock_runs: boolean;
  /** While it is recovering, where it is known. */ progress: null | HealthProgress;
  /** The latest 100, oldest first. */ gaps: HealthGap[];
  /** How many there were. */ gap_count: number;
  /** Of a match: its status and clock as last reported, as in match-state: the memory of the monitor. */
  reports: EventReport[];
  /** Of a match: the time of its latest event_keep_alive, as `heard_at`, Unix milliseconds. */
  keep_alive_at: null | number;
  /** Counts the monitors that led. A match's record below the term of its source's record was not confirmed by the present one. */
  term: number;
  /** Unix milliseconds. */ written_at: number;
  /** Of a source: neither it nor its matches are to be believed from then on, Unix milliseconds. Null in a match's record. */
  valid_until: null | number;
  /** Of a match: when its first record was written, Unix milliseconds. No reader believed the source about it before. Null in the record of a source. */
  judged_from: null | number;
  /** Of a match: since when its clock has been running or stopped, Unix milliseconds, by the content of the message that said so, as `heard_at`: silence does not count before. Null in the record of a source, and while its clock is unknown. */
  clock_since: null | number;
};

/** What an ingress service reports of its source, on each change and every few seconds. */
export type IngressStatus = {
  /** As `origin` of normalized-messages: webhook, feed. */ source: string;
  /** Of the process, made up at its start. */ instance: string;
  state: 'up' | 'down' | 'recovering';
  /** Why it is down: credentials, contract, network. Of up: why the last read failed; null where it did not. */
  reason: null | string;
  /** Of a polled source: when an answer last had everything up to the provider's present, Unix milliseconds, less its age. Null of a source that pushes: only its messages are signs of life. */
  heard_at: null | number;
  /** While it is recovering. */ progress: null | HealthProgress;
  /** The latest gap that the service had to skip. */ gap: null | HealthGap;
  /** Of the source webhook; null of others. */ clock: null | IngressClock;
  /** Unix milliseconds. */ written_at: number;
  /** Messages of the last minute that could be read. */ messages_read: number;
  /** Messages of the last minute that could not be read at all: dead letters. */ messages_unreadable: number;
  /** Messages that could not be read since the last one that could, however long ago. */
  unreadable_in_row: number;
  /** Events whose latest incident list is not plausible and was not published as a snapshot, the earliest first; 100 at most. */
  refused_lists: RefusedList[];
};

/** What authentic deliveries say of the clock of a receiver's machine. */
export type IngressClock = {
  /** How far the newest `ut` of the last messages was ahead of it, milliseconds; 0 when it was not. */
  behind_ms: number;
  /** Authentic deliveries since the last accepted one that were refused because they had expired: the clock is ahead, or they came late. */
  expired: number;
};

export type RefusedList = {
  event_id: number;
  /** empty, count, older. */ reason: string;
  /** When the first of these lists was read, Unix milliseconds. */ since: number;
};

/** The register of one incident: its winning record, and the times of deletes and snapshots. */
export type MatchIncident = {
  event_id: number;
  id: string;
  /** The event's version at the change. */ version: number;
  /** Deleted by the provider, or absent from its latest list; false where only a delete has arrived so far. */
  removed: boolean;
  /** Highest `ut` of the records that deleted it, Unix seconds. */ deleted_at: null | number;
  /** The whole-number id of the message of that delete, which orders it in its second; null where it has none: it comes after. */
  deleted_by: null | number;
  /** Time of the latest snapshot that listed it, Unix seconds. */ listed_at: null | number;
  /** Null where only a delete has arrived so far. */ incident: null | Incident;
  cause: Cause;
  /** Not on the provider's latest list, and not proven to be removed (law 3). */ missing: boolean;
};

/** All that tables need of a match: a function of the match's state (but for `version` and `cause`). */
export type MatchResult = {
  event_id: number;
  /** The match's version that it was published with. Of the results of an event, the last one in the log stands. */
  version: number;
  /** The match is no longer one of this group: it was deleted, or moved to another. All fields after the group are unknown then. */
  removed: boolean;
  competition_id: number;
  season_id: number;
  stage_id: null | number;
  group_id: null | number;
  round_id: null | number;
  /** YYYY-MM-DD HH:MM, as the provider gives it, UTC. */ start_date: null | string;
  /** The instant of `start_date`; null where that is unknown or has another form. */ kick_off: null | number;
  status_id: null | number;
  status_type: null | string;
  home: null | ResultTeam;
  away: null | ResultTeam;
  /** The current score; of an awarded match the reported one. Null is unknown, never zero. */
  score: null | Score;
  first_half: null | Score;
  second_half: null | Score;
  /** Those that count, shoot-outs excluded, in order of incident id; null where not known individually. */
  goals: null | ResultGoal[];
  /** Those that stand, in order of incident id; null where not known individually. */
  cards: null | ResultCard[];
  /** Goals of the shoot-out; null where none is known. */ shoot_out: null | Score;
  /** The cause of the change. */ cause: Cause;
};

export type ResultTeam = {
  id: number;
  name: null | string;
  acronym: null | string;
  area_id: null | number;
  area_name: null | string;
};

export type ResultGoal = {
  kind: 'goal' | 'penalty' | 'own_goal';
  /** The scorer's; of an own goal, the one it counts against. */ team_id: number;
  player: null | ResultPerson;
  assistant: null | ResultPerson;
};

export type ResultPerson = {
  id: number;
  name: null | string;
};

export type ResultCard = {
  kind: 'yellow' | 'red';
  team_id: number;
  player: null | ResultPerson;
  /** The incident's attributes, ascending: one of them may say that a red card is a second yellow one. */
  attribute_ids: number[];
};

/** The state of one event: a function of the set of its messages (but for `version` and `cause`). */
export type MatchState = {
  event_id: number;
  /** Counts accepted changes, from 1. */ version: number;
  name: null | string;
  sport_id: null | number;
  competition_id: null | number;
  season_id: null | number;
  stage_id: null | number;
  group_id: null | number;
  /** YYYY-MM-DD HH:MM, as the provider gives it, UTC. */ start_date: null | string;
  /** The instant of `start_date`; null where that is unknown or has another form. */ kick_off: null | number;
  status_id: null | number;
  /** scheduled, live, finished, interrupted, cancelled, deleted, other. */ status_type: null | string;
  relation_status: null | string;
  bet_status: null | string;
  clock: null | Clock;
  home: null | Participant;
  away: null | Participant;
  /** The current score, goals under review included; null is unknown, never zero. */ score: null | Score;
  /** Without goals that await confirmation. */ firm: null | Score;
  /** Goals of the penalty shoot-out; null while none counts. */ shoot_out: null | Score;
  source: 'incidents' | 'reported' | 'none';
  coverage: 'complete' | 'partial' | 'none';
  /** The provider's own result 2. */ reported: null | Score;
  agreement: 'agrees' | 'differs' | 'unknown';
  under_review: boolean;
  /** Incident ids, in order. */ counting_goals: string[];
  /** Reason by incident id: removed, cancelled, goal_cancelled. */ void_goals: Record<string, string>;
  /** Goal-cancelled incidents that name no goal. */ orphans: string[];
  /** Ids of removed incidents. */ removed: string[];
  /** Goals that count for no one, as `<incident id>:<reason>`: for_all, for_none, unknown_for, unknown_participant. And status_went_back: a finished match is reported as not started (law 2). */
  anomalies: string[];
  guard: Guard;
  /** Whether the provider has verified the result. */ verified_result: null | boolean;
  /** Time of the latest snapshot, Unix seconds. */ snapshot_at: null | number;
  /** The memory of the event register: of each field the last one that has it says its value, oldest first (law 2). */
  reports: EventReport[];
  cause: Cause;
  /** Goals and red cards in order of their ids, removed and void ones included: who and when. */
  key_incidents: KeyIncident[];
  /** The score of the goals, whatever `source` says: of an awarded match what was played; null where a side is unknown or the sport has no rules of goals. */
  derived: null | Score;
  /** Ids of incidents that the provider's latest list omits and that are not proven to be removed (law 3). */
  missing: string[];
  /** By the id of a void goal: ids of the goal-cancelled incidents that name it. */
  void_by: Record<string, string[]>;
  /** What could not be read of the match's messages, by path. */ unread: UnreadField[];
  /** Unix seconds of the latest message that could not be read at all; null where there is none. */
  unread_at: null | number;
  /** The earliest report that the match is finished: a later one that it is not started goes back (law 2). */
  first_finished: null | ReportKey;
  /** The earliest report that the match is in play or finished: after it, one that it is not started begins it anew (law 9). */
  first_started: null | ReportKey;
  /** The latest report that the match is not started or postponed. */ last_scheduled: null | ReportKey;
  /** Why the match is missing: its latest event_absence that no later report of its status took back (law 2); null where there is none. */
  absence: null | StandingAbsence;
};

export type UnreadField = {
  /** As in normalized-messages. */ path: string;
  /** Unix seconds of the latest message whose field could not be read. */ ut: number;
};

export type ReportKey = {
  ut: number;
  /** As in `reports`. */ message_id: null | number;
};

export type StandingAbsence = {
  /** Unix seconds, of its message. */ ut: number;
  /** Whether the match is deleted by it. */ confirmed: boolean;
  /** The operator's order; null where the provider's REST no longer has the event. */
  order: null | OrderAudit;
};

/** One change. Several may share a version. */
export type MatchTransition = {
  /** <event_id>:<version>:<n>, unique over the topic. */ id: string;
  event_id: number;
  version: number;
  /** From 0 within the version. */ n: number;
  /** incident_added, incident_confirmed, incident_cancelled, incident_removed, incident_reinstated, incident_missing, incident_listed, incident_amended, incident_deleted_unseen, sides_exchanged, goal_cancelled, goal_reinstated, score_changed, firm_score_changed, status_changed, clock_changed, bet_status_changed, guard_changed, result_verified, event_amended, message_unread, absence_changed, snapshot_applied. */
  kind: string;
  /** The incident's id, of incident and goal kinds. */ incident_id: null | string;
  /** The incident's type, e.g. 413. */ incident_type: null | number;
  /** The match after the version: the same in all its transitions. */ match: TransitionMatch;
  /** Of incident and goal kinds: the incident after the version; null without a body. */
  key_incident: null | KeyIncident;
  /** The same before the version: the goal that no longer counts, the card that no longer stands. Null of one that is new. */
  key_incident_before: null | KeyIncident;
  /** Of score_changed and firm_score_changed: before and after the version. Of sides_exchanged, goal_cancelled and goal_reinstated: before and after this one alone, in the order of the version. */
  score: null | ScoreChange;
  /** Of status, clock, bet status and result kinds: the provider's values as text. Of absence_changed: missing, deleted, or ended with who ordered it and why; null while the provider has the event. */
  value: null | ValueChange;
  /** Of event_amended: the names of the event's fields with a new value; empty where the provider only repeated them later. */
  fields: string[];
  cause: Cause;
  /** Of incident kinds: where the incident stands after this version. In the first record of a version that reports it. */
  incident_presence: null | IncidentPresence;
  /** Of score_changed: the goals that count for their team from this version on, in order. */
  goals: KeyIncident[];
  /** Of score_changed: what sides_exchanged and goal_cancelled of the version left of the score, before its goals; null without them. */
  remaining: null | RemainingScore;
  /** Fields of the event of the cause that a message of the same second decides, which was applied earlier (law 2); of a side e.g. `participants.1` or `participants.1.results`. */
  outranked: string[];
};

export type TransitionMatch = {
  name: null | string;
  sport_id: null | number;
  competition_id: null | number;
  season_id: null | number;
  home: null | Participant;
  away: null | Participant;
  status_id: null | number;
  status_type: null | string;
  /** Whether it is finished, cancelled or deleted. */ over: boolean;
  score: null | Score;
  /** Before the version, as `firm_before`. */ score_before: null | Score;
  /** Without goals that await confirmation. */ firm: null | Score;
  firm_before: null | Score;
  guard: Guard;
  /** Null of the first version. */ guard_before: null | Guard;
};

export type ScoreChange = {
  before: null | Score;
  after: null | Score;
};

export type ValueChange = {
  before: null | string;
  after: null | string;
};

export type IncidentPresence = {
  removed: boolean;
  /** When it was last known present, Unix seconds (law 3); null where only deletes have arrived. */
  present_at: null | number;
  /** When it was last known absent, Unix seconds; null where it never was. */ absent_at: null | number;
  /** The winning body, where a snapshot is the cause, or the incident is added as cancelled; else the cause has it. */
  incident: null | Incident;
  /** Not on the provider's latest list, and not proven to be removed. */ missing: boolean;
};

export type RemainingScore = {
  score: null | Score;
  /** Whether a goal was cancelled. */ cancelled: boolean;
};

/** One provider message, parsed once at the edge. */
export type NormalizedMessage = {
  /** The provider's `id`, else `uuid`, as text. */ message_id: string;
  /** The provider's `uuid`; null where it sent none. */ uuid: null | string;
  /** The provider's number of the message's source; null where it sent none. */ source: null | number;
  type: 'incident' | 'event' | 'incident_snapshot' | 'event_keep_alive' | 'events_lineups' | 'event_absence';
  /** The ingress service: webhook, feed; operator for an order. */ origin: string;
  /** The raw-messages record it was part of. */ delivery_id: string;
  event_id: number;
  /** Unix seconds; of a snapshot, the time of the response. */ ut: number;
  /** Unix milliseconds. */ received_at: number;
  /** When the provider produced it, Unix milliseconds by the provider's clock, right or wrong: the message's own `ut`; of a polled event or list the time of the response. */
  content_at: number;
  /** What it says of the event; null where it says nothing. */ event: null | Event;
  /** The result 2 of both sides in `event`; null unless both are known. */ reported: null | Score;
  /** The clock in `event`. */ clock: null | Clock;
  /** Of an incident message. */ incident: null | IncidentRecord;
  /** Of an incident_snapshot: the event's whole incident list at `ut`. */ snapshot: null | Incident[];
  /** Of an event_keep_alive or events_lineups: the fields of its `data` by name, as canonical JSON. */
  other: Record<string, string>;
  /** Paths of what could not be read and counts as left out, e.g. `event.neutral_venue`; `*` stands for an index. */
  unread: string[];
  /** Why the message as a whole could not be read: it has no content then, and its bytes are in dead-letters. Null where it was read. */
  unreadable: null | string;
  /** Of an incident_snapshot: incidents that the provider names as deleted, each with the `ut` of its deletion. */
  deleted: Incident[];
  /** Of an event_absence: the provider no longer has the event, or an operator ended it (law 2). */
  absence: null | Absence;
};

export type IncidentRecord = {
  /** The record's `action` is delete. */ deleted: boolean;
  incident: Incident;
};

export type Absence = {
  /** Whether a second look agrees, or an operator ended the event: it is deleted. */ confirmed: boolean;
  /** The order that ended the event; null where the provider's REST no longer has it. */
  order: null | OrderAudit;
};

/** An order that an operator gave with the command line: that it begins, and how it ended. */
export type OperatorOrder = {
  /** Of the order, the same in both records. */ id: string;
  /** Unix milliseconds, by the clock of the operator's machine. */ at: number;
  /** User of the operating system. */ user: string;
  /** Name of the operator's machine. */ host: string;
  /** First word of the command line, as webhooks. */ command: string;
  /** All others. Secrets are never among them: commands read these from files. */ arguments: string[];
  /** begun, done, failed. */ outcome: string;
  /** Null while it is begun. */ exit_code: null | number;
  /** Release of the command line. */ version: string;
};

/** The progress of reading a resource of the provider's REST: everything up to it is published. */
export type PollerCheckpoint = {
  /** feed, catalogue/<kind>, livescore/<sport id>, season/<id>, finished/<event id>, missing/<event id>. */
  resource: string;
  /** The provider's time that is read and published, Unix seconds. */ position: number;
  /** Of livescore and season: the ids of the events that the list had, or that left it and were not looked up yet. One that is gone at the next read is looked up. */
  events: number[];
  /** Unix milliseconds. */ written_at: number;
};

/** A ranking of the provider that does not follow from match results, as its GET /v2/standings/{id} and its catalogue of standings say. Fields have the provider's names; null where it says nothing. */
export type ProviderStandings = {
  /** The provider's id of the table. */ standings_id: number;
  /** The provider's time of writing of the table or of its catalogue entry, the later one, Unix seconds; the higher wins. */
  version: number;
  /** The provider's time of writing of the table, else of its answer, Unix seconds. */ ut: number;
  name: string;
  /** 9 of national teams, 11 of clubs. */ type_id: number;
  type_name: string;
  subtype: string;
  object_type: string;
  object_id: number;
  object_name: string;
  /** active, deleted. */ item_status: string;
  sport_id: number;
  sport_name: null | string;
  competition_id: null | number;
  season_id: null | number;
  stage_id: null | number;
  reset_group_rank: null | string;
  groups: ProviderRankingGroup[];
  /** By name: canonical JSON of the fields that the contract does not know. */ other: Record<string, string>;
};

export type ProviderRankingGroup = {
  id: string;
  name: string;
  ut: null | number;
  zones: ProviderZone[];
  corrections: ProviderCorrection[];
  participants: ProviderRankingRow[];
  /** By name: canonical JSON of the fields that the contract does not know. */ other: Record<string, string>;
};

export type ProviderZone = {
  id: null | number;
  name: null | string;
  colour: null | string;
  /** By name: canonical JSON of the fields that the contract does not know. */ other: Record<string, string>;
};

export type ProviderRankingRow = {
  id: null | number;
  name: null | string;
  rank: null | number;
  last_rank: null | number;
  participant_type: null | string;
  participant_acronym: null | string;
  participant_slug: null | string;
  area_id: null | number;
  area_name: null | string;
  zone_name: null | string;
  /** The club of a person. */ subparticipant_id: null | number;
  subparticipant_name: null | string;
  subparticipant_slug: null | string;
  columns: ProviderColumn[];
  /** By name: canonical JSON of the fields that the contract does not know. */ other: Record<string, string>;
};

export type ProviderColumn = {
  id: null | number;
  /** Names the column: pts are points. */ code: null | string;
  short_name: null | string;
  name: null | string;
  value: null | number | string;
  /** By name: canonical JSON of the fields that the contract does not know. */ other: Record<string, string>;
};

/** One delivery of the provider as it arrived, for audit and for normalizing again. */
export type RawMessage = {
  /** SHA-256 of the body, lower-case hex: a duplicate delivery has the same. */ delivery_id: string;
  /** The ingress service: webhook, feed. */ origin: string;
  /** Unix milliseconds. */ received_at: number;
  /** The bytes as received. */ body: Buffer;
};

/** A match result behind the tables: the changelog of the standings processor. */
export type TakenResult = {
  /** The value of match-results as it was read, with the id of its schema in front. */ result: Buffer;
};

/** The current state of one table that is derived from match results. Null is unknown, never zero. */
export type Standings = {
  /** The same for the same table, over every rebuild. */ standings_id: number;
  /** Counts changes of this table, from 1; the higher wins. */ version: number;
  /** That of the type, or the one that the rules of the competition give. */ name: string;
  /** As in the catalogue of standings types; 0 where no source shows one. */ type_id: number;
  /** Such as League standings. */ type_name: string;
  /** standings, standings_live, form, overall_stats. */ subtype: string;
  /** What a row ranks: team, person, result (such as 2:1, by how often), competition (one row). */
  ranks: string;
  /** What the table is of: season, stage. */ object_type: string;
  object_id: number;
  competition_id: number;
  season_id: number;
  /** In the order of their ids. None: the table no longer exists. */ groups: StandingsGroup[];
  /** The groups by the same results from later days on, in their order: the rules have corrections from these days. The last one whose day has begun replaces `groups`. */
  later: DatedStandings[];
  /** The provider's time of the newest message behind it, Unix seconds. */ ut: number;
  /** The match result that changed it. */ cause: Cause;
};

export type StandingsGroup = {
  /** Null where the matches belong to no group. */ id: null | number;
  zones: StandingsZone[];
  corrections: StandingsCorrection[];
  /** The best first. */ rows: StandingsRow[];
};

export type StandingsZone = {
  id: number;
  name: string;
  colour: string;
  /** The first rank in it. */ from: number;
  /** The last one. */ to: number;
};

/** Points added to a team, or deducted. */
export type StandingsCorrection = {
  participant_id: number;
  participant_name: null | string;
  points: number;
  reason: string;
};

export type StandingsRow = {
  rank: number;
  /** Before the last round of the team, or of the person's club. */ last_rank: null | number;
  participant: StandingsParticipant;
  /** Of a person. */ club: null | StandingsClub;
  /** The name of the group's zone that the rank is in. */ zone: null | string;
  /** Matches that count, as the next seven columns: in league tables, wide, live, of homes, aways and halves; null in others. */
  played: null | number;
  won: null | number;
  drawn: null | number;
  lost: null | number;
  goals_for: null | number;
  goals_against: null | number;
  goal_difference: null | number;
  /** With the corrections. */ points: null | number;
  /** The sum of the team's corrections; null in tables that no correction changes. */
  corrections: null | number;
  /** All other columns of the type by their code. Null has no value, such as an average over no match; a missing one is unknown. */
  columns: Record<string, null | number | string>;
};

/** The team or person; a result has its name alone, such as 2:1. */
export type StandingsParticipant = {
  id: null | number;
  name: null | string;
  /** Of a team, as the area. */ acronym: null | string;
  area_id: null | number;
  area_name: null | string;
};

export type StandingsClub = {
  id: number;
  name: null | string;
};

export type DatedStandings = {
  /** YYYY-MM-DD, in UTC: from its beginning on. */ day: string;
  groups: StandingsGroup[];
};

/** Whether operators have halted the trading of a match, of a competition or of everything by hand, with what was ordered. How to join it: docs/guides/feed-health.md. */
export type TradingHalt = {
  /** What the orders are about, as the key: match:<event id>, competition:<id>, all. */ scope: string;
  /** Whether the last order is a halt. */ halted: boolean;
  /** When the halt ends by itself, Unix milliseconds; null: when it is resumed. */ until: null | number;
  /** The latest 100, oldest first: the last one holds. */ orders: TradingOrder[];
  /** Counts the orders, from 1. */ version: number;
  /** Unix milliseconds. */ updated_at: number;
};

/** One webhook message: the provider's shape, and the fields that select its receivers. */
export type WebhookMessage = {
  /** Unique and stable: the id of its transition, with `:1`, `:2` appended where that gives several messages; of an alert its id. */
  uuid: string;
  /** The message's number, made of event id, version and n (docs/decisions/0051); null where they do not fit one and of an alert, and `uuid` stands for it. */
  id: null | number;
  event_id: number;
  /** Null where it is unknown: only clients with all competitions receive the message. */
  competition_id: null | number;
  /** incident, event, alert. */ type: string;
  /** Whether the match was in play: a receiver that fails is then tried again sooner. */ in_play: boolean;
  /** The version of the match that it reports; 0 of an alert without one. */ version: number;
  /** The provider's time of its cause, Unix seconds. */ ut: number;
  /** When its cause was received, Unix milliseconds. */ received_at: number;
  /** The message as JSON, UTF-8. */ message: Buffer;
  /** The provider's message identifier of its cause, for logs; null of an alert. */
  message_id: null | string;
};

/** The progress and the health of a webhook subscription. */
export type WebhookProgress = {
  subscription_id: string;
  client_id: number;
  /** Number of the last order that is applied; 0 before the first. */ epoch: number;
  /** By partition of webhook-messages. */ next: WebhookOffset[];
  /** Failed attempts in a row; 0 after an accepted one. */ attempts: number;
  /** Start of the first of them, Unix milliseconds. */ failing_since: null | number;
  /** Time of the next attempt, Unix milliseconds. */ next_attempt_at: null | number;
  /** Of the last attempt: accepted, timeout, refused, failed, status, unreadable, different. */
  last_outcome: null | string;
  /** Why the last attempt was not accepted: a code such as CERT_HAS_EXPIRED, or the HTTP status; null when the outcome says all. */
  last_reason: null | string;
  /** End of the last attempt that was accepted, Unix milliseconds. */ delivered_at: null | number;
  /** States that were not sent, as a newer one of their match was there; of a subscription to the latest only. */
  left_out: number;
  /** Why deliveries are stopped: failing, operator; null while they run. */ disabled: null | string;
  /** Unix milliseconds. */ updated_at: number;
};

/** An incident that was sent with another `ut` than the provider's: changelog of the match processor (docs/decisions/0051). */
export type WebhookTime = {
  event_id: number;
  /** The incident's id. */ id: string;
  /** The highest `ut` it was sent with, Unix seconds. */ ut: number;
};

/** The type of each topic's value. */
export type TopicValues = {
  'access-tokens': AccessTokenRecord;
  'alerts': Alert;
  'catalogue': CatalogueRecord;
  'clients': Client;
  'dead-letters': DeadLetter;
  'feed-health': FeedHealth;
  'ingress-status': IngressStatus;
  'match-incidents': MatchIncident;
  'match-results': MatchResult;
  'match-state': MatchState;
  'match-transitions': MatchTransition;
  'normalized-messages': NormalizedMessage;
  'operator-orders': OperatorOrder;
  'poller-checkpoints': PollerCheckpoint;
  'provider-standings': ProviderStandings;
  'raw-messages': RawMessage;
  'standings-results': TakenResult;
  'standings': Standings;
  'trading-halts': TradingHalt;
  'webhook-messages': WebhookMessage;
  'webhook-progress': WebhookProgress;
  'webhook-times': WebhookTime;
};
