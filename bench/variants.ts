/** Benches of the match processor in variants of its settings, its topics or its backlog, each beside the first variant. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Admin, ConfigResourceTypes, IncrementalAlterConfigOperationTypes } from '@platformatic/kafka';
import { startKafka } from '#embedded/kafka.ts';
import { securedListeners } from '#embedded/testing/secured-listeners.ts';
import { createTopics } from '#topics/admin.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { Authority, writeText } from '../test/support/certificates.ts';
import { type BenchBacklogOptions, writeBacklog } from './backlog.ts';
import {
  type BacklogSubject,
  type ContenderRun,
  cpuMicros,
  matchProcessor,
  rate,
  runInTurns,
} from './contenders.ts';
import { type Bench, type BenchContext, format, median, PROCESSOR } from './context.ts';
import { remove, storedBytes } from './kafka.ts';
import { compareLatency } from './latency.ts';
import { type MachineUse, machineUse, usedBy, usePerMessage } from './machine-use.ts';
import { SMALLEST, sizeOf } from './size.ts';
import type { Comparison } from './turns.ts';

const EVENTS = sizeOf('BENCH_EVENTS', 1_000, 20);
const TRACED_EVENTS = sizeOf('BENCH_EVENTS', 500, 20);
/** Number of events of the smallest backlog of `growth`. */
const GROWTH_EVENTS = sizeOf('BENCH_EVENTS', 250, 10);
const GROWTH_FACTORS = SMALLEST ? [1, 2] : [1, 2, 4, 8];
const MESSAGES = sizeOf(null, 200, 20);
const ROUNDS = sizeOf('BENCH_ROUNDS', 2, 1);
/** Shares of messages with a sampled trace. */
const SAMPLED = SMALLEST ? [1] : [0.01, 1];
const USER = { name: 'bench', password: 'the-password-of-the-bench' };
/** Topics with the provider's messages: nearly all of the bytes. */
const LOGS: readonly TopicName[] = ['raw-messages', 'normalized-messages'];
/** Values of `compression.type`; the producer itself does not compress. */
const COMPRESSIONS = ['producer', 'lz4', 'zstd'] as const;

type Variant = {
  readonly name: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly events?: number;
  /** Called before the backlog is written. */
  readonly prepare?: (prefix: string) => Promise<void>;
} & Pick<BenchBacklogOptions, 'trace'>;

const THROUGHPUT = {
  name: 'throughput of two match processors',
  unit: 'msg/s',
  of: rate,
} satisfies Comparison<ContenderRun>;
const PROCESSOR_TIME = {
  name: 'processor time a message',
  unit: 'µs',
  better: 'less',
  of: cpuMicros,
} satisfies Comparison<ContenderRun>;

/** Runs a number of match processors through a backlog of each variant, in turns, and adds the figures of each. */
async function compareBacklogs(
  context: BenchContext,
  processes: number,
  variants: readonly Variant[],
  figures: readonly Comparison<ContenderRun>[],
): Promise<void> {
  const { brokers } = context;
  const subjects: BacklogSubject[] = [];
  for (const [at, { name, env = {}, events = EVENTS, prepare, trace }] of variants.entries()) {
    const prefix = context.prefix(`backlog-${at}`);
    await createTopics({ brokers, prefix });
    await prepare?.(prefix);
    const options = { prefix, events, messages: MESSAGES, ...(trace === undefined ? {} : { trace }) };
    const backlog = await writeBacklog(context, options);
    subjects.push({ name, contender: matchProcessor(processes, env), backlog });
  }
  const turns = await runInTurns(context, ROUNDS, subjects);
  const [first, ...others] = subjects;
  for (const subject of others)
    for (const figure of figures)
      turns.compare(subject, first as BacklogSubject, { ...figure, name: `${subject.name}: ${figure.name}` });
  for (const { contender, backlog } of subjects)
    await remove(brokers, backlog.prefix, [contender.on(backlog.prefix, 0).group]);
}

/** The time of a message must not grow with the number of messages and matches. */
export const growth: Bench = {
  about: `time of a message with 1, 2, 4 and 8 times ${GROWTH_EVENTS * MESSAGES} incidents`,
  subject: PROCESSOR,
  run(context) {
    const variants = GROWTH_FACTORS.map((factor) => ({ name: `${factor}×`, events: GROWTH_EVENTS * factor }));
    const time = { name: 'time of a message', unit: 'µs', better: 'less' } as const;
    return compareBacklogs(context, 1, variants, [{ ...time, of: (run) => 1e6 / rate(run) }]);
  },
};

/** The same services on the same broker, by its plain listener and by the one with TLS and SCRAM-SHA-512. */
export const tls: Bench = {
  about: 'throughput and latency over TLS with SCRAM-SHA-512, beside plain connections to the same broker',
  subject: [...PROCESSOR, 'libs/security'],
  async run(context) {
    const authority = await Authority.create('authority of the bench');
    const kafka = await startKafka({
      dataDir: join(context.dir, 'secured'),
      security: securedListeners({
        tls: { ...(await authority.sign('broker')), ca: authority.ca.cert },
        users: { [USER.name]: USER.password },
      }),
    });
    const env = {
      KAFKA_BROKERS: kafka.secured?.sasl.join(',') ?? '',
      KAFKA_TLS: 'on',
      KAFKA_TLS_CA_FILE: writeText(context.dir, 'ca.crt', authority.ca.cert),
      KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
      KAFKA_SASL_USERNAME: USER.name,
      KAFKA_SASL_PASSWORD: USER.password,
    };
    const variants = [{ name: 'plain' }, { name: 'TLS', env }];
    try {
      const on = { ...context, brokers: kafka.brokers };
      await compareBacklogs(on, 2, variants, [THROUGHPUT, PROCESSOR_TIME]);
      await compareLatency(on, ROUNDS, variants);
    } finally {
      await kafka.stop();
    }
  },
};

/** Traces off, and some or all messages in separate sampled traces. */
export const traces: Bench = {
  about: 'throughput and latency with traces, beside without',
  subject: [...PROCESSOR, 'libs/tracing'],
  async run(context) {
    const collector = await startCollector();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const off = { name: 'traces off', events: TRACED_EVENTS };
    const sampled = SAMPLED.map((share) => ({
      ...off,
      name: `${share * 100} % of messages sampled`,
      env,
      trace: (n: number) => (n % (1 / share) === 0 ? newTrace() : undefined),
    }));
    await compareBacklogs(context, 2, [off, ...sampled], [THROUGHPUT, PROCESSOR_TIME]);
    context.print(`the collector has ${format(collector.bytes() / 1e6)} MB`);
    await compareLatency(context, ROUNDS, [off, { name: 'all deliveries sampled', env }]);
    collector.close();
  },
};

/** Returns the `traceparent` of a new sampled trace. */
function newTrace(): string {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}

/** Starts a collector that accepts spans and drops them. */
async function startCollector(): Promise<{ url: string; bytes(): number; close(): void }> {
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bytes: () => bytes,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Both logs of the provider's messages, compressed by the broker: at 200 messages a second with one message per delivery, where batches
 * are as small as in a live match, and from a backlog.
 */
export const logSize: Bench = {
  about: 'bytes of the logs, latency and throughput, with compression by the broker',
  subject: [...PROCESSOR, 'libs/ingestion', 'services/webhook-receiver'],
  async run(context) {
    const { brokers } = context;
    const admin = new Admin({ clientId: 'bench-log-size', bootstrapBrokers: [...brokers] });
    const measured = COMPRESSIONS.map((compression) => ({
      name: compression === 'producer' ? 'not compressed' : compression,
      prepare: (prefix: string) => compressBy(admin, prefix, compression),
      bytes: [] as number[],
      brokerMicros: [] as number[],
    }));
    let before: MachineUse = new Map();
    const variants = measured.map(({ name, prepare, bytes, brokerMicros }) => ({
      name,
      async prepare(prefix: string) {
        await prepare(prefix);
        before = await machineUse();
      },
      async measured(prefix: string, messages: number) {
        const after = await machineUse();
        const stored = await storedBytes(brokers, prefix, LOGS);
        bytes.push([...stored.values()].reduce((sum, each) => sum + each, 0) / messages);
        brokerMicros.push(usedBy('broker', before, after, messages));
        context.print(`${name}: ${format(bytes.at(-1) ?? 0)} bytes a message in ${LOGS.join(' and ')}`);
        context.print(`µs of processor a message: ${usePerMessage(before, after, messages)}`);
      },
    }));
    await compareLatency(context, ROUNDS, variants);
    const [plain, ...compressed] = measured;
    const throughput = { ...THROUGHPUT, name: 'one match processor from a backlog' };
    await compareBacklogs(context, 1, measured, [throughput]);
    await admin.close();
    const compare = (name: string, unit: string, ours: readonly number[], theirs: readonly number[] = []) =>
      context.figure({
        name,
        unit,
        ours: median(ours),
        beside: { name: plain?.name ?? '', value: median(theirs) },
        better: 'less',
      });
    for (const { name, bytes, brokerMicros } of compressed) {
      compare(`${name}: bytes a message`, 'bytes', bytes, plain?.bytes);
      compare(`${name}: processor time of the broker a message`, 'µs', brokerMicros, plain?.brokerMicros);
    }
  },
};

function compressBy(admin: Admin, prefix: string, compression: string): Promise<void> {
  const { SET: configOperation } = IncrementalAlterConfigOperationTypes;
  return admin.incrementalAlterConfigs({
    resources: LOGS.map((topic) => ({
      resourceType: ConfigResourceTypes.TOPIC,
      resourceName: topicName(prefix, topic),
      configs: [{ name: 'compression.type', configOperation, value: compression }],
    })),
  });
}
