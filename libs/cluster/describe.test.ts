import { expect, test, vi } from 'vitest';
import { BrokerConnections } from '#streams/client/platformatic/connections.ts';
import {
  type Connection,
  describeLogDirsV4,
  metadataV12,
  ResponseError,
} from '#streams/client/platformatic/library.ts';
import { describeCluster } from './describe.ts';

const ADDRESS = '127.0.0.1:9092';
const METADATA = { topics: [], brokers: [{ nodeId: 1, host: '127.0.0.1', port: 9092 }], controllerId: 1 };

const failing = (code: number) => new ResponseError(35, 4, { '/': [code, null] }, {});

test.each([
  ['that these credentials may not describe', failing(31), []],
  ['whose disk has failed', failing(56), [ADDRESS]],
  ['that does not respond', new Error('timed out'), [ADDRESS]],
])('shows no disk of a broker %s, and misses it unless a right is missing', async (_, error, unreachable) => {
  vi.spyOn(BrokerConnections.prototype, 'any').mockResolvedValue({} as Connection);
  vi.spyOn(metadataV12.api, 'async').mockResolvedValue(METADATA as never);
  vi.spyOn(describeLogDirsV4.api, 'async').mockRejectedValue(error);
  expect(await describeCluster([ADDRESS], [])).toMatchObject({ brokers: [ADDRESS], unreachable, disks: [] });
});
