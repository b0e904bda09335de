/** What a topic must be like, for those that create topics, for services, and for `touchline doctor`. Pure. */
import type { TopicFacts } from '#cluster/describe.ts';

/** A required topic, named as on the broker, with its settings by the broker's names. */
export type WantedTopic = {
  readonly name: string;
  readonly partitions: number;
  readonly settings: Readonly<Record<string, string>>;
};

/** A topic as found. */
export type FoundTopic = Pick<TopicFacts, 'id' | 'partitions' | 'replicas' | 'settings' | 'chosen'>;

/** A setting of a topic that differs from the required one; `partitions` counts as a setting. */
export type TopicMismatch = {
  readonly topic: string;
  readonly setting: string;
  readonly found: string;
  readonly wanted: string;
  /** Whether records are lost or refused with it; else nobody chose it for the topic: what an operator chose stays. */
  readonly breaks: boolean;
};

const POLICY = 'cleanup.policy';
const PARTITIONS = 'partitions';
const BATCH_BYTES = 'max.message.bytes';
const IN_SYNC = 'min.insync.replicas';

/** Returns how a topic differs from the required one. Settings that may not be read count as right. */
export function judgeTopic(
  { name, partitions, settings }: WantedTopic,
  found: Omit<FoundTopic, 'id'>,
): TopicMismatch[] {
  const of = (setting: string, is: string, wanted: string, breaks: boolean): TopicMismatch => {
    return { topic: name, setting, found: is, wanted, breaks };
  };
  const counts =
    found.partitions === partitions
      ? []
      : [of(PARTITIONS, String(found.partitions), String(partitions), true)];
  const { settings: known, chosen, replicas } = found;
  if (known === null) return counts;
  const wrong = Object.entries(settings).flatMap(([setting, inTable]) => {
    const is = known.get(setting) ?? inTable;
    // A topic with fewer replicas than new ones get cannot require more of them.
    const wanted = setting === IN_SYNC ? String(Math.min(Number(inTable), replicas)) : inTable;
    const breaks = isBroken(setting, is, wanted, replicas);
    const isDefault = is !== wanted && !chosen.has(setting) && !(setting in AT_LEAST && isMore(is, wanted));
    return breaks || isDefault ? [of(setting, is, wanted, breaks)] : [];
  });
  return [...counts, ...wrong];
}

/** Settings of which a larger value is as good. */
const AT_LEAST = { [BATCH_BYTES]: true, [IN_SYNC]: true };

const isMore = (found: string, wanted: string): boolean => Number(found) > Number(wanted);

function isBroken(setting: string, found: string, wanted: string, replicas: number): boolean {
  if (setting === POLICY) return found !== wanted;
  if (setting === BATCH_BYTES) return isMore(wanted, found);
  // Nothing can be written then.
  return setting === IN_SYNC && isMore(found, String(replicas));
}

/** Returns a mismatch as text. */
export function mismatchText({ topic, setting, found, wanted }: TopicMismatch): string {
  return setting === PARTITIONS
    ? `${topic} has ${found} partitions, not ${wanted}`
    : `${topic} has ${setting}=${found}, not ${wanted}`;
}

/** What is known of the logs of a topic: whether it never had a record, and whether the first records of all its logs are there. */
export type TopicLogs = { readonly isEmpty: boolean; readonly isWhole: boolean };

/** What mends topics without a loss. */
export type Repairs = {
  readonly alter: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Empty topics with too few partitions, with the wanted number. */
  readonly grow: ReadonlyMap<string, number>;
  /** Empty topics with too many partitions. */
  readonly recreate: readonly string[];
  /** Why others are left as they are, with the command that mends each. */
  readonly refused: readonly string[];
};

/** Returns what mends these mismatches. `logsOf`: the logs of a topic with a breaking mismatch. */
export function planRepairs(
  mismatches: readonly TopicMismatch[],
  logsOf: (topic: string) => TopicLogs,
): Repairs {
  const alter = new Map<string, Record<string, string>>();
  const grow = new Map<string, number>();
  const recreate: string[] = [];
  const refused: string[] = [];
  for (const mismatch of mismatches) {
    const { topic, setting, found, wanted } = mismatch;
    if (setting === PARTITIONS) {
      if (!logsOf(topic).isEmpty) refused.push(`${mismatchText(mismatch)}: ${MORE_PARTITIONS}`);
      else if (isMore(found, wanted)) recreate.push(topic);
      else grow.set(topic, Number(wanted));
      continue;
    }
    const loss = setting === POLICY ? lossOf(wanted, logsOf(topic)) : null;
    if (loss === null) alter.set(topic, { ...alter.get(topic), [setting]: wanted });
    else refused.push(`${mismatchText(mismatch)}, and ${loss}: ${alterCommand(mismatch)} keeps what is left`);
  }
  return { alter, grow, recreate, refused };
}

const MORE_PARTITIONS =
  'a record would be in another partition than its key says; replay into topics with that number (docs/guides/runbooks/more-partitions.md)';

/** Returns what the other policy may have removed; null when it removed nothing. */
function lossOf(wanted: string, { isEmpty, isWhole }: TopicLogs): string | null {
  // Deletion shows at the beginning of a log; compaction shows nowhere.
  if (isEmpty || (wanted === 'compact' && isWhole)) return null;
  return wanted === 'compact'
    ? 'its first records were deleted'
    : 'records of the same key may have been compacted away';
}

function alterCommand({ topic, setting, wanted }: TopicMismatch): string {
  return `kafka-configs.sh --bootstrap-server <broker> --alter --entity-type topics --entity-name '${topic}' --add-config ${setting}=${wanted}`;
}

/** The number of copies of each partition, and how many must have a record before it is acknowledged. */
export type Replication = { readonly replicas: number; readonly minInSync: number };

/** The requested replication; undefined fields follow from the size of the cluster. */
export type WantedReplication = {
  readonly replicationFactor?: number | undefined;
  readonly minInSync?: number | undefined;
};

/** Number of copies that survive the loss of one broker while another is down. */
const SAFE_REPLICAS = 3;
const SAFE_IN_SYNC = 2;

/** Returns one copy for one broker, two for two, three for more, two of which must have a record: then a broker may be lost. */
export function replicationFor(brokers: number, wanted: WantedReplication): Replication {
  const replicas = wanted.replicationFactor ?? Math.min(Math.max(brokers, 1), SAFE_REPLICAS);
  const minInSync = wanted.minInSync ?? (replicas >= SAFE_REPLICAS ? SAFE_IN_SYNC : 1);
  return { replicas, minInSync };
}

/** Returns a warning where a lost broker stops writing or loses records; on one broker only where nothing can be written. */
export function replicationWarnings(brokers: number, { replicas, minInSync }: Replication): string[] {
  if (minInSync > replicas)
    return [`${minInSync} copies must have a record, but topics have ${replicas}: nothing can be written`];
  const isSafe = minInSync >= SAFE_IN_SYNC && replicas > minInSync;
  if (brokers < 2 || isSafe) return [];
  const copies = `topics have ${replicas === 1 ? 'one copy' : `${replicas} copies`} on ${brokers} brokers`;
  return [
    `${copies}, of which ${minInSync} must have a record: ${SAFE_REPLICAS} and ${SAFE_IN_SYNC} lose nothing, and let writing go on, when a broker is lost`,
  ];
}
