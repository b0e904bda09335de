import { beforeEach, describe, expect, test } from 'vitest';
import type { NormalizedMessage } from '#records/types.ts';
import type { FetchedRecord, PartitionReader, ReadBatch } from '#streams/client/port.ts';
import { StreamError } from '#streams/errors.ts';
import type { Decoder } from '#topics/codec.ts';
import { CauseReader } from './cause-reader.ts';

/** Creates a log that answers with two records each time, and not at all from offset `end` on. */
class LogReader implements PartitionReader {
  readonly asked: number[] = [];
  end = 6;
  failing: number | null = null;

  topicId(): Promise<string> {
    return Promise.resolve('id');
  }

  read(offset: number): Promise<ReadBatch> {
    this.asked.push(offset);
    if (this.failing === offset) {
      this.failing = null;
      return Promise.reject(new StreamError('UNAVAILABLE', 'no broker'));
    }
    if (offset >= this.end) return new Promise(() => {});
    const records = [offset, offset + 1].map(
      (at): FetchedRecord => ({
        offset: at,
        key: null,
        value: Buffer.from([at]),
        timestamp: 0,
      }),
    );
    return Promise.resolve({ records, next: offset + 2, end: this.end, written: this.end, epoch: null });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Decodes the records of `LogReader`. */
const CODEC = {
  prepare: async () => {},
  decode: ([offset]: Buffer) => ({ offset }),
} as unknown as Decoder<NormalizedMessage>;

describe('the causes of transitions', () => {
  let log: LogReader;
  let causes: CauseReader;
  beforeEach(() => {
    log = new LogReader();
    causes = new CauseReader(log, CODEC);
  });

  test('are read in batches', async () => {
    for (const offset of [0, 1, 2]) expect(await causes.at(offset)).toEqual({ offset });
    expect(log.asked).toEqual([0, 2]);
  });

  test('are read from the requested offset if the batch lacks it', async () => {
    for (const offset of [1, 2, 5, 0]) expect(await causes.at(offset)).toEqual({ offset });
    expect(log.asked).toEqual([1, 5, 0]);
  });

  test('are read again where a read failed', async () => {
    log.failing = 2;
    await causes.at(0);
    await expect(causes.at(2)).rejects.toThrow('no broker');
    expect(await causes.at(2)).toEqual({ offset: 2 });
    expect(log.asked).toEqual([0, 2, 2]);
  });
});
