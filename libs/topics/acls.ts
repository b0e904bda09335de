/** The rights of each service on the broker: what its access control lists must allow, and nothing beside. */
import {
  ALERT_HEALTH,
  PROCESSOR_NAMES,
  PROCESSORS,
  type ProcessorName,
  type ProcessorSpec,
  positionsTopicName,
} from './processors.ts';
import { type TopicName, topicName } from './topics.ts';

/** A right, by the names of Kafka. Read and Write include Describe. */
export type Right = {
  readonly operation: 'Read' | 'Write';
  readonly resource: 'Topic' | 'Group' | 'TransactionalId';
  readonly name: string;
  /** Prefixed: every resource whose name begins with `name`. */
  readonly pattern: 'Literal' | 'Prefixed';
};

type ServiceTopics = {
  readonly reads: readonly TopicName[];
  readonly writes: readonly TopicName[];
  /** Whether it shares work with its replicas in a group of its own name. */
  readonly group: boolean;
};

const DELIVERY = ['raw-messages', 'normalized-messages', 'dead-letters', 'ingress-status'] as const;
const SERVED = [
  ...(['catalogue', 'match-state', 'match-incidents', 'match-transitions'] as const),
  ...(['standings-catalogue', 'standings', 'feed-health'] as const),
];

/** The services that are no processors. */
const OTHERS = {
  'webhook-receiver': { reads: [], writes: DELIVERY, group: false },
  'feed-poller': {
    reads: ['poller-checkpoints', 'catalogue'],
    writes: [...DELIVERY, 'catalogue', 'standings-catalogue', 'standings', 'poller-checkpoints'],
    group: true,
  },
  'feed-monitor': {
    reads: ['normalized-messages', 'ingress-status', 'feed-health'],
    writes: ['feed-health'],
    group: true,
  },
  api: {
    reads: [...SERVED, 'normalized-messages', 'clients', 'ended-sessions'],
    writes: ['ended-sessions'],
    group: false,
  },
  'tool-gateway': {
    reads: [...SERVED, 'clients', 'access-tokens', 'exchange-attempts', 'tool-requests'],
    writes: ['access-tokens', 'exchange-attempts', 'tool-requests'],
    group: false,
  },
} as const satisfies Record<string, ServiceTopics>;

/** What processors read and write beside the topics of their streams. */
const BESIDE: Readonly<Partial<Record<ProcessorName, Pick<ServiceTopics, 'reads' | 'writes'>>>> = {
  'webhook-composer': { reads: ['normalized-messages'], writes: [] },
  'webhook-dispatcher': { reads: ['webhook-messages', 'clients'], writes: ['webhook-attempts'] },
  'alert-processor': { reads: ['match-state', 'feed-health'], writes: [] },
};

/** The processors whose backlog an api shows at `/feeds`. */
export const BACKLOG_OF = ['match-processor', 'standings-processor', 'webhook-composer'] as const;

/** What is not of a service's own topics, its group and its transactions. */
const FOREIGN: Readonly<Partial<Record<ServiceName, (prefix: string) => readonly Right[]>>> = {
  // How far match state is.
  'feed-monitor': (prefix) => [readOf(positionsTopicName(prefix, 'match-processor'))],
  // How many records wait: positions, and the ends of inputs that it does not read itself.
  api: (prefix) => [
    ...BACKLOG_OF.map((processor) => readOf(positionsTopicName(prefix, processor))),
    readOf(topicName(prefix, 'match-results')),
  ],
  // One of the processes leads: it publishes the alerts of feed-health.
  'alert-processor': (prefix) => [
    literal('Read', 'Group', `${prefix}${ALERT_HEALTH}`),
    literal('Write', 'TransactionalId', `${prefix}${ALERT_HEALTH}`),
  ],
};

/** A service that connects to the broker. */
export type ServiceName = keyof typeof OTHERS | ProcessorName;

export const SERVICE_NAMES: readonly ServiceName[] = [
  'webhook-receiver',
  'feed-poller',
  'feed-monitor',
  ...PROCESSOR_NAMES,
  'api',
  'tool-gateway',
];

/** Whether a name is that of a service that connects to the broker. */
export function isServiceName(name: string): name is ServiceName {
  return SERVICE_NAMES.some((one) => one === name);
}

/** Every right of a service with this topic prefix. */
export function rightsOf(prefix: string, service: ServiceName): Right[] {
  const { reads, writes, group } = topicsOf(service);
  const own = isProcessor(service) ? [positionsTopicName(prefix, service)] : [];
  const names = (topics: readonly TopicName[]): Set<string> =>
    new Set([...topics.map((topic) => topicName(prefix, topic)), ...own]);
  const rights = [...names(reads)].map(readOf);
  for (const name of names(writes)) rights.push(literal('Write', 'Topic', name));
  if (group) rights.push(literal('Read', 'Group', `${prefix}${service}`));
  if (isProcessor(service)) {
    const name = `${prefix}${service}-`;
    rights.push({ operation: 'Write', resource: 'TransactionalId', name, pattern: 'Prefixed' });
  }
  return [...rights, ...(FOREIGN[service]?.(prefix) ?? [])];
}

function literal(operation: Right['operation'], resource: Right['resource'], name: string): Right {
  return { operation, resource, name, pattern: 'Literal' };
}

function readOf(name: string): Right {
  return literal('Read', 'Topic', name);
}

function isProcessor(service: ServiceName): service is ProcessorName {
  return service in PROCESSORS;
}

function topicsOf(service: ServiceName): ServiceTopics {
  if (!isProcessor(service)) return OTHERS[service];
  const { input, changelogs, own, joint, shared }: ProcessorSpec = PROCESSORS[service];
  const beside = BESIDE[service] ?? { reads: [], writes: [] };
  const outputs = [...changelogs, ...own, ...joint, ...shared];
  return {
    // The leaders are asked for transactions that are open in its outputs: that takes Read.
    reads: [input, ...outputs, ...beside.reads],
    writes: [...outputs, ...beside.writes],
    group: true,
  };
}

/** A right for a person. */
export function rightText({ operation, resource, name, pattern }: Right): string {
  return `${operation} on ${resource} ${name}${pattern === 'Prefixed' ? '*' : ''}`;
}

const OPTIONS: Readonly<Record<Right['resource'], string>> = {
  Topic: '--topic',
  Group: '--group',
  TransactionalId: '--transactional-id',
};

/** The commands that grant a service its rights, one a line, without the address of the broker. */
export function grantCommands(prefix: string, service: ServiceName, principal: string): string[] {
  return rightsOf(prefix, service).map(
    ({ operation, resource, name, pattern }) =>
      `--add --allow-principal '${principal}' --operation ${operation} ${OPTIONS[resource]} '${name}'${pattern === 'Prefixed' ? ' --resource-pattern-type prefixed' : ''}`,
  );
}
