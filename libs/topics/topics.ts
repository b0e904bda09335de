/** The specification of a topic. docs/reference/topics.md is generated from it. */
export type TopicSpec = {
  /** Description for readers, one sentence. */
  readonly about: string;
  readonly key: string;
  /** The field of its value that must equal the key: a record under another key is unreadable. */
  readonly keyField?: string;
  readonly partitioning: string;
  readonly partitions: number;
  readonly cleanup: 'delete' | 'compact';
  /** Retention, milliseconds; of a compacted topic, that of tombstones. */
  readonly retentionMs: number;
  /** Segment size of a compacted topic; default 64 MiB. The newest segment is never compacted. */
  readonly segmentBytes?: number;
  /** Maximum size of a record batch, bytes. */
  readonly maxMessageBytes: number;
};

const DAY = 86_400_000;
const MIB = 1024 * 1024;
/** Topics of a match: an event has the same partition number in all of them. */
const OF_MATCH = {
  partitioning: 'murmur2 of the event id, the same for all topics of a match',
  partitions: 8,
} as const;
/** Topics of tables: one task owns all tables of a season. */
const OF_TABLES = {
  partitioning: 'murmur2 of "<competition id>/<season id>", the same for all topics of tables',
  partitions: 8,
} as const;
const BY_KEY = { partitioning: 'murmur2 of the key', partitions: 1 } as const;

const COMPACTED = { cleanup: 'compact', retentionMs: DAY, maxMessageBytes: MIB } as const;
function deletedAfter(days: number, mib = 1) {
  return { cleanup: 'delete', retentionMs: days * DAY, maxMessageBytes: mib * MIB } as const;
}

/** Every topic. Topics of a match have the same number of partitions, so that one task owns all records of a match. */
export const TOPICS = {
  'raw-messages': {
    about: 'Deliveries of the provider as they arrived, byte for byte.',
    key: 'delivery id',
    partitioning: 'any: deliveries of one produce request share one',
    partitions: 8,
    ...deletedAfter(30, 8),
  },
  'normalized-messages': {
    about: 'Provider messages, parsed once; the input of match state.',
    key: 'event id',
    ...OF_MATCH,
    ...deletedAfter(400, 8),
  },
  'match-incidents': {
    about: 'The register of every incident, removed ones included.',
    key: 'event id "/" incident id',
    ...OF_MATCH,
    ...COMPACTED,
  },
  'match-state': {
    about: 'The state of every match: score, firm score, status, clock, trading guard.',
    key: 'event id',
    ...OF_MATCH,
    ...COMPACTED,
  },
  'match-transitions': {
    about: 'The changes of every match, in order, each with a unique id.',
    key: 'event id',
    ...OF_MATCH,
    ...deletedAfter(400),
  },
  'match-results': {
    about:
      'The facts of every match that tables need; a match that left a group is published there as removed.',
    key: 'competition id "/" season id "/" stage id "/" group id "/" event id, "-" for a missing one',
    ...OF_TABLES,
    ...COMPACTED,
  },
  catalogue: {
    about: 'Names of competitions, seasons, stages, groups and types.',
    key: 'kind "/" id',
    ...BY_KEY,
    ...COMPACTED,
  },
  'standings-results': {
    about: 'The match results behind the tables, as the standings processor applied them: its changelog.',
    key: 'as in match-results',
    ...OF_TABLES,
    ...COMPACTED,
  },
  standings: {
    about: 'The current state of every table.',
    key: 'standings id',
    ...OF_TABLES,
    ...COMPACTED,
    maxMessageBytes: 8 * MIB,
  },
  'provider-standings': {
    about: 'The rankings that only the provider can make, of national teams and of clubs.',
    key: 'standings id',
    ...BY_KEY,
    ...COMPACTED,
    maxMessageBytes: 8 * MIB,
  },
  clients: {
    about: 'The clients of the served contract: their access and their webhook addresses.',
    key: 'client id',
    keyField: 'client_id',
    ...BY_KEY,
    ...COMPACTED,
  },
  'access-tokens': {
    about: 'The personal access tokens of clients for the tool endpoint, as hashes.',
    key: 'token id',
    keyField: 'token_id',
    ...BY_KEY,
    ...COMPACTED,
  },
  'trading-halts': {
    about: 'What operators have halted and resumed by hand: a match, a competition or everything.',
    key: 'match:<event id>; competition:<id>; all',
    keyField: 'scope',
    partitioning: 'one partition: every reader reads all of it',
    partitions: 1,
    ...COMPACTED,
  },
  'operator-orders': {
    about: 'Orders of operators from the command line: who, when, what, and the result.',
    key: 'order id',
    partitioning: 'one partition: one order of all',
    partitions: 1,
    ...deletedAfter(400),
  },
  'webhook-messages': {
    about:
      'The webhook messages for clients, at least one for every accepted change, in the provider’s shape.',
    key: 'event id',
    ...OF_MATCH,
    ...deletedAfter(7, 2),
  },
  'webhook-times': {
    about:
      'Incidents that were sent with another time than the provider’s: changelog of the match processor.',
    key: 'event id "/" incident id',
    ...OF_MATCH,
    ...COMPACTED,
  },
  alerts: {
    about: 'The alerts of touchline alerts, each once.',
    key: 'event id',
    partitioning: 'one partition: all alerts are in one order',
    partitions: 1,
    ...deletedAfter(30),
  },
  'webhook-progress': {
    about: 'The progress and the health of every webhook subscription.',
    key: 'subscription id',
    partitioning: 'murmur2 of the subscription id',
    partitions: 8,
    ...COMPACTED,
  },
  'ingress-status': {
    about:
      'The status of each source as its ingress service reports it every few seconds: up, down with the reason, or catching up.',
    key: 'source',
    partitioning: 'one partition: the feed monitor reads all of it',
    partitions: 1,
    ...deletedAfter(1),
  },
  'feed-health': {
    about:
      'Whether each source, and each live match of it, can be believed now, with every gap; derived with a clock.',
    key: 'source; source "/" event id',
    partitioning: 'one partition: a source and its matches are in one order',
    partitions: 1,
    ...COMPACTED,
    // Written twice a second and read from its beginning: small segments keep the read short.
    segmentBytes: 4 * MIB,
  },
  'poller-checkpoints': {
    about:
      'The progress of reading the provider’s REST; the owner of its one partition is the active poller.',
    key: 'resource',
    ...BY_KEY,
    ...COMPACTED,
  },
  'dead-letters': {
    about: 'Unusable input, with its bytes and the reason.',
    key: 'dead letter id',
    ...BY_KEY,
    ...deletedAfter(30, 8),
  },
} as const satisfies Record<string, TopicSpec>;

export type TopicName = keyof typeof TOPICS;

/** All topic names, in the order of processing. */
export const TOPIC_NAMES = Object.keys(TOPICS) as TopicName[];

/** Whether a topic is partitioned by event id. */
export function isByEvent(topic: TopicName): boolean {
  return TOPICS[topic].partitioning === OF_MATCH.partitioning;
}

/** Returns the name of a topic on the broker. */
export type NameTopic = (topic: TopicName) => string;

/** Returns a topic's name on the broker. */
export function topicName(prefix: string, topic: TopicName): string {
  return prefix + topic;
}
