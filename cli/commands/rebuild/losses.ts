/** What a rebuild deletes; and counts what the input of its processor no longer has: it could not be derived again. */
import { topicBounds } from '#cluster/logs.ts';
import type { Cause, TopicValues } from '#records/types.ts';
import { partitionOfKey, type TopicPartition } from '#streams/client/port.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import { isOfSchema } from '#topics/errors.ts';
import { type FollowOptions, follow, type TopicRecord } from '#topics/follow.ts';
import { PROCESSOR_NAMES, PROCESSORS, type ProcessorName } from '#topics/processors.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import type { OpenCluster } from '../../cluster.ts';
import { CommandError } from '../../command.ts';

/**
 * The topics to delete, so that the output of a processor depends on its input alone; and its readers, which are rebuilt too.
 * `standings` stays: the versions of tables continue.
 */
export const REBUILDS: Readonly<
  Record<ProcessorName, { deleted: readonly TopicName[]; readers: readonly ProcessorName[] }>
> = {
  'match-processor': {
    // webhook-messages stays: its offsets are the progress of subscriptions.
    deleted: ['match-incidents', 'match-state', 'match-transitions', 'match-results', 'webhook-times'],
    readers: ['standings-processor', 'alert-processor'],
  },
  'standings-processor': { deleted: ['standings-results'], readers: [] },
  'alert-processor': { deleted: [], readers: [] },
};

/** Returns the processor whose rebuild derives a topic again; null when none does, as its records come from outside. */
export function deriverOf(topic: TopicName): ProcessorName | null {
  return PROCESSOR_NAMES.find((processor) => REBUILDS[processor].deleted.includes(topic)) ?? null;
}

/** What cannot be derived again: an upper bound of its number, and a description with this number. */
export type RebuildLoss = { readonly count: number; readonly text: string };

const NOTHING: RebuildLoss = { count: 0, text: '' };

type MatchEvidence = {
  /** The first transition that the log still has; null without a readable one. */
  readonly first: { readonly version: number; readonly cause: Cause } | null;
  /** The cause of its state; null without a readable one. */
  readonly last: Cause | null;
};

type MatchInput = {
  readonly hasMessage: boolean;
  /** Where its partition begins. */
  readonly start: number;
  readonly has: (cause: Cause) => boolean;
};

/**
 * Whether the input surely still has every message of a match: its log loses records at its beginning or its end, never between. Where
 * nobody can say, it has not.
 */
export function isWhole({ first, last }: MatchEvidence, input: MatchInput): boolean {
  const causes = [first?.cause, last].filter((cause) => cause !== undefined && cause !== null);
  return input.hasMessage && causes.every(input.has) && (first?.version === 1 || input.start === 0);
}

/** Returns what the rebuild of a processor and its readers would lose. `existing`: names on the broker. Rejects as `follow`. */
export async function rebuildLoss(
  cluster: OpenCluster,
  processor: ProcessorName,
  existing: ReadonlySet<string>,
): Promise<RebuildLoss> {
  const read: ReadTopic = async (topic, onRecord, options = {}) => {
    if (!existing.has(topicName(cluster.prefix, topic))) return;
    await follow([topic], cluster, {
      ...options,
      untilEnd: true,
      onRecord,
      onUnreadable({ error }) {
        // Every record would be taken for lost. Other records that nobody can read are no evidence, and another finding.
        if (!isOfSchema(error)) return;
        throw new CommandError(
          `${error.message}; nothing was deleted: docs/guides/runbooks/registry-lost.md`,
        );
      },
    });
  };
  if (processor === 'match-processor') return matchLoss(cluster, read, existing);
  return processor === 'standings-processor' ? resultLoss(cluster, read) : NOTHING;
}

type ReadTopic = <T extends TopicName>(
  topic: T,
  onRecord: (record: TopicRecord<T>) => void | Promise<void>,
  options?: Pick<FollowOptions<T>, 'isWanted'>,
) => Promise<void>;

async function matchLoss(
  { brokers, prefix }: OpenCluster,
  read: ReadTopic,
  existing: ReadonlySet<string>,
): Promise<RebuildLoss> {
  const known = new Map<string, { -readonly [K in keyof MatchEvidence]: MatchEvidence[K] }>();
  const evidenceOf = (event: string) => {
    const evidence = known.get(event) ?? { first: null, last: null };
    known.set(event, evidence);
    return evidence;
  };
  const begun = new Set<string>();
  const isFirst = ({ key }: ReadRecord): boolean => {
    const isNew = !begun.has(String(key));
    begun.add(String(key));
    return isNew;
  };
  const onFirst = ({ value }: TopicRecord<'match-transitions'>): void => {
    if (value !== null)
      evidenceOf(String(value.event_id)).first = { version: value.version, cause: value.cause };
  };
  await read('match-transitions', onFirst, { isWanted: isFirst });
  await read('match-state', ({ value }) => {
    if (value !== null) evidenceOf(String(value.event_id)).last = value.cause;
  });
  // A match whose state is lost may still be in tables.
  for (const topic of ['match-results', 'standings-results'] as const) {
    const keys = new Set<string>();
    const isWanted = ({ key, value }: ReadRecord): boolean => {
      if (value === null) keys.delete(String(key));
      else keys.add(String(key));
      return false;
    };
    await read(topic, () => {}, { isWanted });
    for (const key of keys) evidenceOf(key.slice(key.lastIndexOf('/') + 1));
  }
  if (known.size === 0) return NOTHING;

  const causes = [...known.values()].flatMap(({ first, last }) => [first?.cause, last]);
  const wanted = new Set(causes.flatMap((cause) => (cause ? [placeOf(cause)] : [])));
  const withMessage = new Set<string>();
  const found = new Set<string>();
  await read(
    INPUT,
    ({ value: message, ...at }) => {
      if (message === null) return;
      withMessage.add(String(message.event_id));
      if (wanted.has(placeOf(at))) found.add(messageAt(at, message));
    },
    { isWanted: (record) => wanted.has(placeOf(record)) || !withMessage.has(String(record.key)) },
  );
  const name = topicName(prefix, INPUT);
  const logs = existing.has(name) ? await topicBounds({ brokers, clientId: 'touchline-losses' }, [name]) : [];
  const lost = [...known].filter(
    ([event, evidence]) =>
      !isWhole(evidence, {
        hasMessage: withMessage.has(event),
        start: logs[partitionOfKey(event, logs.length)]?.start ?? 0,
        has: (cause) => found.has(messageAt(cause, { ...cause, event_id: Number(event) })),
      }),
  );
  return { count: lost.length, text: `up to ${lost.length} matches without all of their messages` };
}

const INPUT = PROCESSORS['match-processor'].input;

type Place = Pick<TopicPartition, 'partition'> & { readonly offset: number };

function placeOf({ partition, offset }: Place): string {
  return `${partition}/${offset}`;
}

/** Identifies a message at its place: another topic of the same name may have another one there. */
function messageAt(
  place: Place,
  message: Pick<TopicValues[typeof INPUT], 'event_id' | 'message_id' | 'received_at'>,
): string {
  return JSON.stringify([placeOf(place), message.event_id, message.message_id, message.received_at]);
}

/** Counts results behind the tables that match-results lacks, or has an older version of. */
async function resultLoss({ registry }: OpenCluster, read: ReadTopic): Promise<RebuildLoss> {
  const versions = new Map<string, number>();
  await read('match-results', ({ key, value }) => void (value !== null && versions.set(key, value.version)));
  const codec = await registry.codec('match-results');
  const lost = new Set<string>();
  await read('standings-results', async ({ key, value }) => {
    const version = versions.get(key);
    const isThere =
      value === null || (version !== undefined && version >= (await codec.read(value.result)).version);
    if (isThere) lost.delete(key);
    else lost.add(key);
  });
  const text = `${lost.size} match results behind the tables (npx touchline rebuild match-processor derives results again)`;
  return { count: lost.size, text };
}
