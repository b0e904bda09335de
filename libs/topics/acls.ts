/** The rights of each service on the broker: exactly those that its access control lists must grant. */
import {
  ALERT_HEALTH,
  PROCESSOR_NAMES,
  PROCESSORS,
  type ProcessorName,
  type ProcessorSpec,
  positionsTopicName,
} from './processors.ts';
import { topicIdsName } from './topic-ids.ts';
import { type TopicName, topicName } from './topics.ts';

/** A right in the words of Kafka. Read and Write include Describe. */
export type Right = {
  readonly operation: 'Read' | 'Write' | 'DescribeConfigs';
  readonly resource: 'Topic' | 'Group' | 'TransactionalId';
  readonly name: string;
  /** Prefixed: applies to every resource whose name begins with `name`. */
  readonly pattern: 'Literal' | 'Prefixed';
};

type ServiceTopics = {
  readonly reads: readonly TopicName[];
  readonly writes: readonly TopicName[];
  /** Whether its replicas share the work in a group named after the service. */
  readonly group: boolean;
};

const DELIVERY = ['raw-messages', 'normalized-messages', 'dead-letters', 'ingress-status'] as const;
const SERVED = [
  'catalogue',
  'match-state',
  'match-incidents',
  'match-transitions',
  'standings',
  'provider-standings',
  'feed-health',
  'trading-halts',
] as const;

/** Topics of the services that are not processors. */
const OTHER_SERVICES = {
  'webhook-receiver': { reads: [], writes: DELIVERY, group: false },
  'feed-poller': {
    reads: ['poller-checkpoints', 'catalogue'],
    writes: [...DELIVERY, 'catalogue', 'provider-standings', 'poller-checkpoints'],
    group: true,
  },
  'feed-monitor': {
    reads: ['normalized-messages', 'ingress-status', 'feed-health'],
    writes: ['feed-health'],
    group: true,
  },
  'webhook-dispatcher': {
    reads: ['webhook-messages', 'webhook-progress', 'clients'],
    writes: ['webhook-progress'],
    group: true,
  },
  api: {
    reads: [...SERVED, 'normalized-messages', 'clients'],
    writes: ['trading-halts'],
    group: false,
  },
  'tool-gateway': {
    reads: [...SERVED, 'clients', 'access-tokens'],
    writes: ['access-tokens'],
    group: false,
  },
} as const satisfies Record<string, ServiceTopics>;

const right = (
  operation: Right['operation'],
  resource: Right['resource'],
  name: string,
  pattern: Right['pattern'] = 'Literal',
): Right => ({ operation, resource, name, pattern });

const readOf = (name: string): Right => right('Read', 'Topic', name);

/** The right to the transactions of the tasks of a service. */
const transactionsOf = (prefix: string, service: ServiceName): Right =>
  right('Write', 'TransactionalId', `${prefix}${service}-`, 'Prefixed');

/** The right to edit the records of a topic, as `VersionedTopic` does. */
const editorOf = (prefix: string, topic: TopicName): Right =>
  right('Write', 'TransactionalId', `${topicName(prefix, topic)}-editor`);

const ADDITIONAL_RIGHTS: Readonly<Partial<Record<ServiceName, (prefix: string) => readonly Right[]>>> = {
  // For the position of match state.
  'feed-monitor': (prefix) => [readOf(positionsTopicName(prefix, 'match-processor'))],
  // For each partition of webhook-progress.
  'webhook-dispatcher': (prefix) => [transactionsOf(prefix, 'webhook-dispatcher')],
  // For orders that are given on the board.
  api: (prefix) => [editorOf(prefix, 'trading-halts'), right('Write', 'Topic', topicIdsName(prefix))],
  // For the deletion of tokens that expired long ago.
  'tool-gateway': (prefix) => [editorOf(prefix, 'access-tokens')],
  // One process leads, and publishes the alerts on feed-health.
  'alert-processor': (prefix) => [
    right('Read', 'Group', `${prefix}${ALERT_HEALTH}`),
    right('Write', 'TransactionalId', `${prefix}${ALERT_HEALTH}`),
  ],
};

/** A service that connects to the broker. */
export type ServiceName = keyof typeof OTHER_SERVICES | ProcessorName;

export const SERVICE_NAMES = [...Object.keys(OTHER_SERVICES), ...PROCESSOR_NAMES] as readonly ServiceName[];

/** Whether a service of this name connects to the broker. */
export function isServiceName(name: string): name is ServiceName {
  return SERVICE_NAMES.some((one) => one === name);
}

/** Returns every right of a service with this topic prefix. */
export function rightsOf(prefix: string, service: ServiceName): Right[] {
  const { reads, writes, group } = topicsOf(service);
  const own = isProcessor(service) ? [positionsTopicName(prefix, service)] : [];
  const names = (topics: readonly TopicName[]): string[] => [
    ...new Set([...topics.map((topic) => topicName(prefix, topic)), ...own]),
  ];
  return [
    // A service checks the settings of its topics, at its start and while it runs.
    right('DescribeConfigs', 'Topic', prefix || '*', prefix === '' ? 'Literal' : 'Prefixed'),
    ...names(reads).map(readOf),
    ...names(writes).map((name) => right('Write', 'Topic', name)),
    ...(group ? [right('Read', 'Group', `${prefix}${service}`)] : []),
    ...(isProcessor(service) ? [transactionsOf(prefix, service)] : []),
    readOf(topicIdsName(prefix)),
    ...(ADDITIONAL_RIGHTS[service]?.(prefix) ?? []),
  ];
}

/** Whether a service is a processor. */
export function isProcessor(service: ServiceName): service is ProcessorName {
  return service in PROCESSORS;
}

function topicsOf(service: ServiceName): ServiceTopics {
  if (!isProcessor(service)) return OTHER_SERVICES[service];
  const { input, changelogs, own, shared, reads = [] }: ProcessorSpec = PROCESSORS[service];
  const writes = [...changelogs, ...own, ...shared];
  // Finding open transactions in its outputs requires Read.
  return { reads: [input, ...writes, ...reads], writes, group: true };
}

/** Returns the topics on whose records a service acts, without those of a processor, whose positions know them. */
export function sourcesOf(service: ServiceName): readonly TopicName[] {
  if (!isProcessor(service)) return OTHER_SERVICES[service].reads;
  const { reads = [] }: ProcessorSpec = PROCESSORS[service];
  return reads;
}

/** Returns a right as text for messages. */
export function rightText({ operation, resource, name, pattern }: Right): string {
  return `${operation} on ${resource} ${name}${pattern === 'Prefixed' ? '*' : ''}`;
}

const OPTIONS: Readonly<Record<Right['resource'], string>> = {
  Topic: '--topic',
  Group: '--group',
  TransactionalId: '--transactional-id',
};

/** Returns the arguments of `kafka-acls.sh` that grant a service its rights, one text for each right. */
export function grantCommands(prefix: string, service: ServiceName, principal: string): string[] {
  return rightsOf(prefix, service).map(
    ({ operation, resource, name, pattern }) =>
      `--add --allow-principal '${principal}' --operation ${operation} ${OPTIONS[resource]} '${name}'${pattern === 'Prefixed' ? ' --resource-pattern-type prefixed' : ''}`,
  );
}
