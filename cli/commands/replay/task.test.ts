/** One rule decides about faults: a replay returns what the runtime's task writes. */
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { PoisonError } from '#errors/touchline-error.ts';
import type { FetchedRecord, OutputRecord, ProducerOptions, ReaderOptions } from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import { silentLogger } from '#streams/log.ts';
import { streamMetrics } from '#streams/runtime/metrics.ts';
import type { PartitionProcessor, RecordCollector } from '#streams/runtime/processor.ts';
import { Task } from '#streams/runtime/task.ts';
import { FakeClient } from '#streams/runtime/testing/fakes.ts';
import { machineClock } from '#timing/clock.ts';
import { deadLetterOf } from '#topics/dead-letters.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { replayTask } from './engine.ts';

const letters = {
  service: 'match-processor',
  input: 'normalized-messages',
  topic: 'dead-letters',
  codec: codecOf('dead-letters'),
} as const;
const MIB = 1024 * 1024;
/** More claims than any fault here takes. */
const MAX_CLAIMS = 5;
/** The key of the record with the fault. */
const BAD = 'bad';

function recordOf(offset: number, key: string, value = Buffer.from(String(offset))): FetchedRecord {
  return { offset, timestamp: 1_000 + offset, key: Buffer.from(key), value };
}

/** The steps at which a fault can happen, for the record with key `BAD`. */
type Fault = {
  readonly process?: () => void;
  /** Returns the value to write. */
  readonly flush?: () => Buffer;
};

/** Counts the records of each key; writes a count once per commit. */
class Counting implements PartitionProcessor {
  readonly #fault: Fault;
  readonly #counts = new Map<string, number>();
  readonly #changed = new Set<string>();

  constructor(fault: Fault) {
    this.#fault = fault;
  }

  restore(_: string, records: readonly { readonly key: Buffer | null; readonly value: Buffer | null }[]) {
    for (const { key, value } of records) this.#counts.set(String(key), Number(value));
  }

  process({ key }: FetchedRecord): void {
    const name = String(key);
    if (name === BAD) this.#fault.process?.();
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#changed.add(name);
  }

  flush(collector: RecordCollector): void {
    for (const name of this.#changed) {
      const faulty = name === BAD ? this.#fault.flush?.() : undefined;
      collector.add('counts', name, faulty ?? Buffer.from(String(this.#counts.get(name))));
    }
    this.#changed.clear();
  }

  size(): number {
    return this.#counts.size;
  }

  close(): void {}
}

/** A client with one input record. Refuses records as a broker. */
class OneRecordClient extends FakeClient {
  readonly #record: FetchedRecord;

  constructor(record: FetchedRecord) {
    super();
    this.#record = record;
    this.full.add(letters.input);
  }

  override async openProducer(options: ProducerOptions) {
    const producer = await super.openProducer(options);
    const transact = async (records: readonly OutputRecord[]) => {
      if (records.some(({ value }) => (value?.length ?? 0) > MIB))
        throw new StreamError('RECORD_TOO_LARGE', 'refused by the broker');
      return producer.transact(records);
    };
    return { ...producer, transact };
  }

  override openReader(options: ReaderOptions) {
    const reader = super.openReader(options);
    const read = async (offset: number) => {
      const batch = await reader.read(offset);
      return { ...batch, records: [this.#record] };
    };
    return { ...reader, read };
  }
}

/** Returns what the runtime's task writes for a record, claimed again after each failure. */
async function byRuntime(fault: Fault, record: FetchedRecord): Promise<OutputRecord[]> {
  const client = new OneRecordClient(record);
  const context = {
    application: 'app',
    input: letters.input,
    changelogs: [],
    outputs: [],
    positions: 'app-positions',
    partitions: 1,
    client,
    onLostInput: 'stop' as const,
    log: silentLogger,
    clock: machineClock,
    metrics: streamMetrics(new Registry(), () => []),
    deadLetter: (partition: number, { timestamp, ...failed }: FetchedRecord, error: PoisonError) =>
      deadLetterOf(letters, partition, failed, error, timestamp),
    createProcessor: () => new Counting(fault),
  };
  let claims = 1;
  const task = new Task(0, context, () => {
    claims += 1;
    if (claims <= MAX_CLAIMS) task.claim();
  });
  task.claim();
  await expect.poll(() => client.transactions.length).toBe(1);
  await task.close();
  return client.transactions.flat().filter(({ topic }) => topic !== 'app-positions');
}

function byReplay(fault: Fault, records: readonly FetchedRecord[]): Promise<OutputRecord[]> {
  const task = replayTask({
    partition: 0,
    create: () => new Counting(fault),
    changelogs: ['counts'],
    async *readBack() {},
    limits: new Map([
      ['counts', MIB],
      [letters.topic, MIB],
    ]),
    letters,
  });
  return task.process(records);
}

/** Returns records in a form to compare: large values by their size, reasons without the words of a broker. */
function readable(records: readonly OutputRecord[]) {
  return records.map(({ topic, key, value }) => {
    if (topic !== letters.topic) return { key: String(key), count: String(value?.subarray(0, 10)) };
    const letter = letters.codec.decode(value as Buffer);
    const reason = letter.reason.replace(/ StreamError: .*/, '');
    return { ...letter, reason, value: letter.value?.length ?? null };
  });
}

/** Throws at its first `times` calls. */
function throwing(times: number, error: Error = new Error('a defect')): () => void {
  let left = times;
  return () => {
    left -= 1;
    if (left >= 0) throw error;
  };
}

const POISON = new PoisonError('UNDECODABLE', 'no message');
/** Faults, made anew for each run, with the code of the dead letter; null without one. */
const FAULTS: readonly [string, () => Fault, string | null][] = [
  ['an error that comes once', () => ({ process: throwing(1) }), null],
  ['an error that comes twice', () => ({ process: throwing(2) }), 'processing_failed'],
  ['an error that always comes', () => ({ process: throwing(99) }), 'processing_failed'],
  ['a record that can never be processed', () => ({ process: throwing(99, POISON) }), 'undecodable'],
  ['results that cannot be encoded', () => ({ flush: throwing(99) as () => never }), 'commit_failed'],
  ['results above the limit', () => ({ flush: () => Buffer.alloc(2 * MIB) }), 'commit_failed'],
];

describe('a replay', () => {
  test.each(FAULTS)('returns the record or dead letter of the runtime for %s', async (_, fault, code) => {
    const record = recordOf(0, BAD);
    const replayed = readable(await byReplay(fault(), [record]));
    expect(replayed).toEqual(readable(await byRuntime(fault(), record)));
    expect(replayed).toMatchObject([code === null ? { key: BAD, count: '1' } : { code }]);
  });

  test('returns a dead letter without the bytes, with the time of the record, when it exceeds the limit', async () => {
    const fault = { process: throwing(99, POISON) };
    const record = recordOf(0, BAD, Buffer.alloc(MIB));
    const replayed = readable(await byReplay(fault, [record]));
    expect(replayed).toEqual(readable(await byRuntime(fault, record)));
    expect(replayed).toMatchObject([{ code: 'undecodable', value: null, failed_at: record.timestamp }]);
  });

  test.each(FAULTS)('counts every other record of the batch once, for %s', async (_, fault, code) => {
    const records = ['a', 'b', 'a', BAD, 'b', 'a'].map((key, at) => recordOf(at, key));
    const output = readable(await byReplay(fault(), records));
    const counts = new Map(output.flatMap((of) => ('count' in of ? [[of.key, of.count]] : [])));
    expect(Object.fromEntries(counts)).toEqual({ a: '3', b: '2', ...(code === null && { [BAD]: '1' }) });
    const found = output.filter((record) => 'code' in record);
    expect(found).toMatchObject(code === null ? [] : [{ offset: 3, code }]);
  });

  test('rejects with an error of the environment, which is no fault of a record', async () => {
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC', errno: -28 });
    await expect(byReplay({ process: throwing(1, full) }, [recordOf(0, BAD)])).rejects.toBe(full);
  });
});
