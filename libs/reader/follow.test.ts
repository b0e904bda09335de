/** What depends on the moment at which a record comes, or a connection breaks; test/integration/reader has the rest. */
import { EventEmitter } from 'node:events';
import { Consumer, ListOffsetTimestamps, NetworkError } from '@platformatic/kafka';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type FollowHandlers, followMatches } from './follow.ts';

type AskedOffsets = { readonly topics: readonly [string]; readonly timestamp: bigint };

/** Follows topics of one empty partition each, until the end of the test. Returns their streams, states last; `onHaltEnds`: where the end of the halts is asked for. */
async function follow(on: FollowHandlers, onHaltEnds = (_streams: readonly EventEmitter[]) => {}) {
  const streams: EventEmitter[] = [];
  const { prototype } = Consumer;
  const consume = async function (this: Consumer) {
    for (const opened of streams) expect(opened.listenerCount('error')).toBe(1);
    const fields = { consumer: this, readableLength: 0, destroyed: false, offsetsToFetch: new Map() };
    streams.push(Object.assign(new EventEmitter(), fields));
    return streams.at(-1);
  };
  const listOffsets = async ({ topics: [name], timestamp }: AskedOffsets) => {
    const isEnd = timestamp === ListOffsetTimestamps.LATEST;
    if (isEnd && name.endsWith('trading-halts')) onHaltEnds(streams);
    return new Map([[name, [0n]]]);
  };
  vi.spyOn(prototype, 'consume').mockImplementation(consume as never);
  vi.spyOn(prototype, 'listOffsets').mockImplementation(listOffsets as never);
  vi.spyOn(prototype, 'metadata').mockResolvedValue({ topics: new Map() } as never);
  onTestFinished(() => void vi.restoreAllMocks());
  const addresses = { brokers: ['localhost:9'], registryUrl: 'http://localhost:9' };
  const ready = vi.fn();
  const matches = await followMatches({ ...addresses, on: { ...on, ready } });
  onTestFinished(() => matches.close());
  await vi.waitFor(() => expect(ready).toHaveBeenCalledTimes(1));
  return streams;
}

test('connects again where the connection breaks after the states are read, and before the halts are', async () => {
  const waiting = vi.fn();
  let breaks = true;
  const streams = await follow({ waiting }, (opened) => {
    if (breaks) opened.at(-1)?.emit('error', new NetworkError('the connection is cut'));
    breaks = false;
  });
  expect(waiting).toHaveBeenCalledTimes(1);
  expect(streams).toHaveLength(8);
});

test('tells no guard of a match that is deleted and was not in play', async () => {
  const guard = vi.fn();
  const streams = await follow({ guard });
  streams.at(-1)?.emit('data', { partition: 0, key: '5', value: null });
  expect(guard).not.toHaveBeenCalled();
});
