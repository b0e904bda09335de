import { expect, test } from 'vitest';
import { PartitionLog } from './partition-log.ts';

const write = (log: PartitionLog, records: number): number =>
  log.append(
    Array.from({ length: records }, () => ({ key: null, value: null })),
    null,
    -1,
    0,
  );

test('returns the end of an epoch whose first records were lost', () => {
  const log = new PartitionLog();
  write(log, 4);
  log.beginEpoch();
  write(log, 8);
  log.truncate(1);
  write(log, 3);
  log.beginEpoch();
  expect(log.epochEnd(0)).toEqual({ epoch: 0, endOffset: 0 });
  expect(log.epochEnd(1)).toEqual({ epoch: 1, endOffset: 3 });
});
