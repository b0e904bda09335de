/** What depends on the moment at which a connection breaks; test/integration/reader has the rest. */
import { EventEmitter } from 'node:events';
import { Consumer, ListOffsetTimestamps, NetworkError } from '@platformatic/kafka';
import { expect, onTestFinished, test, vi } from 'vitest';
import { followMatches } from './follow.ts';

test('connects again where the connection breaks after the states are read, and before the halts are', async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const streams: EventEmitter[] = [];
  let breaks = true;
  // Each topic has one empty partition.
  vi.spyOn(Consumer.prototype, 'consume').mockImplementation(async function (this: Consumer) {
    const fields = { consumer: this, readableLength: 0, destroyed: false, offsetsToFetch: new Map() };
    const stream = Object.assign(new EventEmitter(), fields);
    for (const opened of streams) expect(opened.listenerCount('error')).toBe(1);
    streams.push(stream);
    return stream as never;
  } as never);
  vi.spyOn(Consumer.prototype, 'metadata').mockResolvedValue({ topics: new Map() } as never);
  vi.spyOn(Consumer.prototype, 'listOffsets').mockImplementation((async ({
    topics: [name = ''],
    timestamp,
  }: {
    topics: string[];
    timestamp: bigint;
  }) => {
    if (breaks && name.endsWith('trading-halts') && timestamp === ListOffsetTimestamps.LATEST) {
      breaks = false;
      streams.at(-1)?.emit('error', new NetworkError('the connection is cut'));
    }
    return new Map([[name, [0n]]]);
  }) as never);
  const [waiting, ready] = [vi.fn(), vi.fn()];
  const options = { brokers: ['localhost:9'], registryUrl: 'http://localhost:9' };
  const matches = await followMatches({ ...options, on: { waiting, ready } });
  onTestFinished(() => matches.close());
  await vi.waitFor(() => expect(ready).toHaveBeenCalledTimes(1));
  expect(waiting).toHaveBeenCalledTimes(1);
  expect(streams).toHaveLength(8);
});
