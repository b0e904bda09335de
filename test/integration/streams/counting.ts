/** A minimal stream with its own topics. It counts records by key, and its output is its changelog. */
import { randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import type { Logger } from '#streams/log.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import { positionsTopic } from '#streams/runtime/positions.ts';
import { runStream, type Stream, type StreamOptions } from '#streams/runtime/stream.ts';
import { atEnd } from '../../support/at-end.ts';
import { quietLog } from '../../support/log.ts';
import { readRecords } from '../../support/read-records.ts';
import { makeTopics } from '../../support/topics.ts';
import { CountByKey, type Hooks } from './count-by-key.ts';

/** Numbers of partitions of the topics, default 2 (letters 1); null for a topic that is not created. */
export type CountingTopics = {
  readonly input?: number;
  readonly positions?: number | null;
  readonly letters?: number | null;
  /** Maximum message size of the dead letters' topic, bytes. */
  readonly maxLetter?: number;
};

type StartOptions = Partial<
  Pick<StreamOptions, 'client' | 'log' | 'onLostInput' | 'sessionTimeoutMs' | 'brokers'>
>;

/** An application with its topics, and methods to feed, run and read it. */
export class CountingApplication {
  readonly brokers: readonly string[];
  readonly application: string;
  readonly input: string;
  readonly counts: string;
  readonly letters: string;
  readonly positions: string;

  private constructor(brokers: readonly string[], prefix: string) {
    const id = randomUUID();
    this.brokers = brokers;
    this.input = `${prefix}input-${id}`;
    this.counts = `${prefix}counts-${id}`;
    this.letters = `${prefix}letters-${id}`;
    this.application = `${prefix}app-${id}`;
    this.positions = positionsTopic(this.application);
  }

  static async create(
    connection: { readonly brokers: readonly string[]; readonly prefix: string },
    topics: CountingTopics = {},
  ): Promise<CountingApplication> {
    const counting = new CountingApplication(connection.brokers, connection.prefix);
    const { input = 2, positions = 2, letters = 1, maxLetter } = topics;
    const compacted = { 'cleanup.policy': 'compact' };
    const limit: Record<string, string> =
      maxLetter === undefined ? {} : { 'max.message.bytes': String(maxLetter) };
    const wanted = [
      { name: counting.input, partitions: input, settings: {} },
      { name: counting.counts, partitions: 2, settings: compacted },
      { name: counting.positions, partitions: positions, settings: compacted },
      { name: counting.letters, partitions: letters, settings: limit },
    ];
    await makeTopics(
      connection.brokers,
      wanted.flatMap(({ partitions, ...one }) => (partitions === null ? [] : [{ ...one, partitions }])),
    );
    return counting;
  }

  /** Starts a member, which stops with the test. */
  async start(
    hooks: Hooks = {},
    options: StartOptions = {},
  ): Promise<{
    stream: Stream;
    metrics: Registry;
    metric: (name: string, label?: Label) => Promise<number>;
  }> {
    const metrics = new Registry();
    const { letters } = this;
    const stream = await runStream({
      brokers: this.brokers,
      application: this.application,
      input: this.input,
      changelogs: [this.counts],
      outputs: [{ topic: letters, partitions: 1 }],
      createProcessor: (partition) => new CountByKey(this.counts, partition, hooks),
      deadLetter: (partition, { offset, value }, { published }) => ({
        topic: letters,
        partition: 0,
        key: `${partition}/${offset}`,
        value: Buffer.from(`${published} ${value}`),
      }),
      log: quietLog,
      metrics,
      onFenced: (error) => {
        throw error;
      },
      // Few tests depend on the end of a session.
      sessionTimeoutMs: 300_000,
      ...options,
    });
    atEnd(() => stream.stop());
    return { stream, metrics, metric: (name, label) => metric(metrics, name, label) };
  }

  /** Sends values to the partition given by the length of their key. Each call sends one batch to each partition. */
  async send(...values: readonly (readonly [key: string, value: string])[]): Promise<void> {
    const options = { brokers: this.brokers, clientId: 'counting-test', log: quietLog };
    await withPublisher(options, (publisher) =>
      publisher.publish(
        values.map(([key, value]) => ({
          topic: this.input,
          partition: key.length % 2,
          key,
          value: Buffer.from(value),
        })),
      ),
    );
  }

  /** Returns the last committed value of each key of a topic. */
  async read(topic: string): Promise<Record<string, string>> {
    return Object.fromEntries(await this.history(topic));
  }

  /** Returns every committed value of a topic, in the order of each partition. */
  async history(topic: string): Promise<[key: string, value: string][]> {
    // A record is counted shortly before its marker is written; the end of the log includes it.
    const records = await readRecords(this.brokers, topic);
    return records
      .filter(({ value }) => value !== null)
      .map(({ key, value }) => [String(key), String(value).trimEnd()]);
  }
}

type Label = Readonly<Record<string, string | number>>;

/** Returns the value of a metric, summed over all series that have these labels. */
async function metric(metrics: Registry, name: string, label: Label = {}): Promise<number> {
  const values = (await metrics.getSingleMetric(name)?.get())?.values ?? [];
  const wanted = Object.entries(label);
  return values
    .filter(({ labels }) => wanted.every(([key, value]) => labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

/** A log that stores its lines, for tests of messages. */
export function keepingLog(): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const keep = (fields: unknown, text?: string): void => {
    lines.push(`${JSON.stringify(fields)} ${text ?? ''}`);
  };
  return { log: { debug: () => {}, info: keep, warn: keep, error: keep }, lines };
}
