/**
 * Reads matches and prints goals and guards, one JSON value a line (docs/guides/reading.md). For Node 24:
 *
 *     KAFKA_BROKERS=localhost:9092 SCHEMA_REGISTRY_URL=http://localhost:8085/apis/ccompat/v7 node reader.ts
 */
import { randomUUID } from 'node:crypto';
import registryClient from '@kafkajs/confluent-schema-registry';
import { type Change, MatchReader } from '@touchline/reader';
import kafkajs, { type PartitionAssigner } from 'kafkajs';

const { KAFKA_BROKERS = 'localhost:9092', SCHEMA_REGISTRY_URL = '' } = process.env;
const { TOPIC_PREFIX: prefix = 'touchline.', READER_GROUP: group = 'reader-example' } = process.env;
const [STATES, TRANSITIONS] = [`${prefix}match-state`, `${prefix}match-transitions`];
const [HEALTH, HALTS] = [`${prefix}feed-health`, `${prefix}trading-halts`];
/**
 * Transitions are read from this time before an assignment; those that the states already have are dropped by version.
 */
const OVERLAP_MS = 60_000;
const GUARD_EVERY_MS = 100;
const ENDS_EVERY_MS = 400;

/** Assigns all topics alike: the owner of a partition of one topic also owns it in the others. */
const samePartitions: PartitionAssigner = ({ cluster }) => {
  const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;
  const [name, version] = ['same-partitions', 0];
  return {
    name, version,
    protocol: ({ topics }) => ({
      name,
      metadata: MemberMetadata.encode({ version, topics, userData: Buffer.alloc(0) }),
    }),
    async assign({ members, topics }) {
      const ids = members.map(({ memberId }) => memberId).sort();
      return ids.map((memberId, member) => {
        const assignment = topics.map((topic) => {
          const partitions = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
          return [topic, partitions.filter((partition) => partition % ids.length === member)] as const;
        });
        const encoded = { version, assignment: Object.fromEntries(assignment), userData: Buffer.alloc(0) };
        return { memberId, memberAssignment: MemberAssignment.encode(encoded) };
      });
    },
  };
};

const kafka = new kafkajs.Kafka({ brokers: KAFKA_BROKERS.split(','), logLevel: kafkajs.logLevel.ERROR });
const registry = new registryClient.SchemaRegistry({ host: SCHEMA_REGISTRY_URL });
const admin = kafka.admin();
const reader = new MatchReader();
const print = (line: object): void => console.log(JSON.stringify(line));

function printChanges(changes: readonly Change[]): void {
  for (const { kind, eventId: event, version, ...rest } of changes) {
    if ('until' in rest) {
      print({ type: kind, event, version, until: rest.until });
      continue;
    }
    // The other readers do not follow who scored.
    if (!('status' in rest)) continue;
    const { incidentId: incident, status, teamId: team, player, minute, before, score } = rest;
    print({ type: kind, event, version, incident, status, team, player, minute, before, score });
  }
}

const guards = new Map<number, string>();

/** Prints each changed guard. Called by a timer too, because a dead feed closes the guard without a record. */
function printGuards(): void {
  for (const event of reader.eventIds()) {
    const { permission, safe, reasons } = reader.guard(event, { wall: Date.now(), steady: performance.now() });
    const line = JSON.stringify({ type: 'guard', event, permission, safe, reasons });
    if (guards.get(event) !== line) console.log(line);
    guards.set(event, line);
  }
}

/** Position in `match-state`, and the end at which a partition has caught up. */
const position = new Map<number, number>();
const end = new Map<number, number>();

function checkCaughtUp(partition: number): void {
  const wanted = end.get(partition);
  if (wanted === undefined || (position.get(partition) ?? 0) < wanted) return;
  end.delete(partition);
  printChanges(reader.caughtUp(partition));
  print({ type: 'caught_up', partition });
}

const consumer = kafka.consumer({
  groupId: group,
  readUncommitted: false,
  partitionAssigners: [samePartitions],
  sessionTimeout: 10_000, heartbeatInterval: 1_000, maxWaitTimeInMs: 200, rebalanceTimeout: 10_000,
});

/** Number of the current assignment: results that were requested for an earlier one are dropped. */
let generation = 0;

consumer.on('consumer.group_join', ({ payload: { memberAssignment } }) => {
  generation += 1;
  const partitions = memberAssignment[STATES] ?? [];
  print({ type: 'assigned', partitions });
  reader.assign(partitions);
  position.clear();
  end.clear();
  // Nothing is committed, so states are read from the beginning; transitions wait for their offsets.
  if (partitions.length > 0) consumer.pause([{ topic: TRANSITIONS, partitions }]);
  void begin(partitions, generation);
});

/** Starts the transitions of an assignment, and looks up where its states end. Repeated until the broker answers. */
async function begin(partitions: readonly number[], of: number): Promise<void> {
  try {
    const since = await admin.fetchTopicOffsetsByTimestamp(TRANSITIONS, Date.now() - OVERLAP_MS);
    const ends = await admin.fetchTopicOffsets(STATES);
    if (of !== generation) return;
    for (const { partition, offset } of since.filter((one) => partitions.includes(one.partition)))
      consumer.seek({ topic: TRANSITIONS, partition, offset });
    if (partitions.length > 0) consumer.resume([{ topic: TRANSITIONS, partitions: [...partitions] }]);
    for (const { partition, offset, low } of ends.filter((one) => partitions.includes(one.partition))) {
      end.set(partition, offset === low ? 0 : Number(offset));
      checkCaughtUp(partition);
    }
  } catch (error) {
    console.error(error);
    setTimeout(() => of === generation && void begin(partitions, of), 500);
  }
}

// Includes the markers of transactions, which are not returned as records.
consumer.on('consumer.end_batch_process', ({ payload: { topic, partition, lastOffset } }) => {
  if (topic !== STATES) return;
  position.set(partition, Number(lastOffset) + 1);
  reader.readTo(partition, Number(lastOffset) + 1);
  checkCaughtUp(partition);
});

/** Feed health and halts have one partition each, which every instance reads in a separate group. */
const healthGroup = `${group}-health-${randomUUID()}`;
const health = kafka.consumer({ groupId: healthGroup, readUncommitted: false, maxWaitTimeInMs: 100 });

await Promise.all([admin.connect(), consumer.connect(), health.connect()]);
await consumer.subscribe({ topic: STATES, fromBeginning: true });
await consumer.subscribe({ topic: TRANSITIONS });
await health.subscribe({ topics: [HEALTH, HALTS], fromBeginning: true });
health.on('consumer.end_batch_process', ({ payload: { topic, lastOffset } }) => {
  if (topic === HALTS) reader.haltsReadTo(Number(lastOffset) + 1);
});
await health.run({
  autoCommit: false,
  eachMessage: async ({ topic, message: { key, value } }) => {
    const record = value && (await registry.decode(value));
    if (topic === HALTS) reader.applyHalt(String(key), record);
    else reader.applyHealth(String(key), record, performance.now());
  },
});
await consumer.run({
  autoCommit: false,
  eachMessage: async ({ topic, partition, message: { key, value } }) => {
    const decoded = value && (await registry.decode(value));
    const { changes } =
      topic === STATES
        ? reader.applyState(partition, Number(key), decoded)
        : reader.applyTransition(partition, decoded);
    printChanges(changes);
  },
});
const guarding = setInterval(printGuards, GUARD_EVERY_MS);

/**
 * Tells the reader where its states and the halts end, so that it does not believe what it knows while it gets no records. Asks again when the
 * broker has answered: requests to a silent one must not pile up.
 */
async function tellEnds(): Promise<void> {
  const at = performance.now();
  const ends = await admin.fetchTopicOffsets(STATES).catch(() => []);
  for (const { partition, offset, low } of ends) {
    reader.endsAt(partition, Number(offset), at);
    if (offset === low) reader.readTo(partition, Number(offset));
  }
  for (const { offset, low } of await admin.fetchTopicOffsets(HALTS).catch(() => [])) {
    reader.haltsEndAt(Number(offset), at);
    if (offset === low) reader.haltsReadTo(Number(offset));
  }
  setTimeout(tellEnds, ENDS_EVERY_MS).unref();
}
void tellEnds();

process.once('SIGTERM', async () => {
  clearInterval(guarding);
  await Promise.all([consumer.disconnect(), health.disconnect()]);
  await admin.deleteGroups([healthGroup]).catch(() => {});
  await admin.disconnect();
});
