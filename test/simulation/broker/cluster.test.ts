import { expect, test } from 'vitest';
import { World } from '../world/world.ts';
import { Cluster } from './cluster.ts';

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
