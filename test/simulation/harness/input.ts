import type { TopicPartition } from '#streams/client/port.ts';
import type { Cluster } from '../broker/cluster.ts';
import type { NewRecord, ProducerEpoch } from '../broker/partition-log.ts';
import { TOPICS } from './counting.ts';

const KEYS = ['a', 'b', 'c'] as const;
const MIN_RECORDS = 20;
const MAX_RECORDS = 60;

/** The writer of the input. It writes batches over time, some in transactions, of which some are aborted. */
export class Input {
  readonly #cluster: Cluster;
  readonly #partitions: number;
  #left: number;
  #written = 0;
  #open = 0;

  constructor(cluster: Cluster, partitions: number, withinMs: number) {
    this.#cluster = cluster;
    this.#partitions = partitions;
    const { random } = cluster.world;
    this.#left = random.int(MIN_RECORDS, MAX_RECORDS);
    const everyMs = withinMs / this.#left;
    const next = (): void => {
      this.#write();
      if (this.#left > 0) cluster.world.after(random.between(0, everyMs * 4), next);
    };
    cluster.world.after(random.between(0, 300), next);
  }

  /** Whether all records are written, and every transaction of the input is decided. */
  get isWritten(): boolean {
    return this.#left <= 0 && this.#open === 0;
  }

  #write(): void {
    const { random } = this.#cluster.world;
    const partition = random.int(0, this.#partitions - 1);
    const of = { topic: TOPICS.input, partition };
    if (!this.#isLed(of)) return;
    const count = Math.min(this.#left, random.int(1, 5));
    this.#left -= count;
    const records = Array.from({ length: count }, (): NewRecord => {
      this.#written += 1;
      return { key: Buffer.from(random.pick(KEYS)), value: Buffer.from(`${partition}.${this.#written}`) };
    });
    if (random.chance(0.85)) this.#cluster.write(of, records);
    else this.#transact(of, records);
  }

  #isLed(of: TopicPartition): boolean {
    return this.#cluster.partition(of).leader !== null;
  }

  #transact(of: TopicPartition, records: readonly NewRecord[]): void {
    const { world } = this.#cluster;
    const id = 9_000 + this.#written;
    const producer: ProducerEpoch = { id: String(id), epoch: 0 };
    const topicId = this.#cluster.topics.get(TOPICS.input)?.id;
    this.#cluster.write(of, records, producer);
    this.#open += 1;
    const marker = world.random.chance(0.5) ? 'commit' : 'abort';
    const end = (): void => {
      // Writes no marker into a topic that was created since.
      const isSame = this.#cluster.topics.get(TOPICS.input)?.id === topicId;
      if (isSame && !this.#isLed(of)) {
        world.after(world.random.between(1, 100), end);
        return;
      }
      this.#open -= 1;
      if (isSame) this.#cluster.endTransaction(of, producer, marker);
    };
    world.after(world.random.between(1, 900), end);
  }
}
