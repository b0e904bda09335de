import { expect, test } from 'vitest';
import { World } from '../world/world.ts';
import { Cluster } from './cluster.ts';
import { PartitionLog } from './partition-log.ts';

test('rejects writes without a leader, so that records after a lost end have another epoch', () => {
  const cluster = new Cluster(new World(1, false), 1);
  cluster.createTopic('input', 1);
  const of = { topic: 'input', partition: 0 };
  const write = () => cluster.write(of, [{ key: null, value: null }]);
  write();
  write();
  cluster.stop(0);
  cluster.loseEnd(cluster.partition(of), 1);
  expect(write).toThrow('LEADER_NOT_AVAILABLE');
  cluster.restart(0);
  write();
  expect(cluster.partition(of).log.epochEnd(0)).toEqual({ epoch: 0, endOffset: 1 });
});

const append = (log: PartitionLog, records: number): number =>
  log.append(
    Array.from({ length: records }, () => ({ key: null, value: null })),
    null,
    -1,
    0,
  );

test('returns the end of an epoch whose first records were lost', () => {
  const log = new PartitionLog();
  append(log, 4);
  log.beginEpoch();
  append(log, 8);
  log.truncate(1);
  append(log, 3);
  log.beginEpoch();
  expect(log.epochEnd(0)).toEqual({ epoch: 0, endOffset: 0 });
  expect(log.epochEnd(1)).toEqual({ epoch: 1, endOffset: 3 });
});
