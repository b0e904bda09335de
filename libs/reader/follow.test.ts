/** What depends on the moment at which a record comes, or a connection breaks; test/integration/reader has the rest. */
import { EventEmitter } from 'node:events';
import { ConfluentSchemaRegistry, Consumer, ListOffsetTimestamps, NetworkError } from '@platformatic/kafka';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type FollowHandlers, followMatches } from './follow.ts';

type AskedOffsets = { readonly topics: readonly [string]; readonly timestamp: bigint };

const cut = (streams: readonly EventEmitter[]) => void streams.at(-1)?.emit('error', new NetworkError('cut'));
const nothing = (_streams: readonly EventEmitter[]) => {};

/** Follows topics of one empty partition each, until the end of the test. Returns their streams, states last; `onHaltEnds`: where the end of the halts is asked for. */
async function follow(on: FollowHandlers, onHaltEnds = nothing, onFollowed = nothing) {
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
  /** The number of streams with each call. */
  const readyWith: number[] = [];
  const ready = () => void readyWith.push(streams.length);
  const matches = await followMatches({ ...addresses, on: { ...on, ready } });
  onFollowed(streams);
  onTestFinished(() => matches.close());
  await vi.waitFor(() => expect(readyWith).toHaveLength(1), 3_000);
  return { streams, matches, readyWith };
}

test('connects again where the connection breaks after the states are read, and before the halts are', async () => {
  const waiting = vi.fn();
  const { readyWith } = await follow({ waiting }, vi.fn(nothing).mockImplementationOnce(cut));
  expect(waiting).toHaveBeenCalledTimes(1);
  expect(readyWith).toEqual([8]);
});

test('is not ready where the connection breaks before the program was told so', async () => {
  const { readyWith } = await follow({}, nothing, cut);
  expect(readyWith).toEqual([8]);
});

test('leaves no connection open where it is closed while it connects again', async () => {
  const { streams, matches } = await follow({});
  const opened = vi.mocked(Consumer.prototype.consume);
  const closed = vi.spyOn(Consumer.prototype, 'close');
  const { promise, resolve } = Promise.withResolvers<EventEmitter>();
  opened.mockReturnValueOnce(promise as never);
  cut(streams);
  await vi.waitFor(() => expect(opened).toHaveBeenCalledTimes(5));
  await matches.close();
  resolve(new EventEmitter());
  await new Promise((passed) => setTimeout(passed, 50));
  expect(opened).toHaveBeenCalledTimes(closed.mock.calls.length);
});

test('asks for no more ends where a handler throws for a goal that was read while it connected again', async () => {
  vi.spyOn(ConfluentSchemaRegistry.prototype, 'getSchemaId').mockReturnValue(undefined);
  const decoders = { value: (bytes: Buffer) => JSON.parse(String(bytes)) };
  vi.spyOn(ConfluentSchemaRegistry.prototype, 'getDeserializers').mockReturnValue(decoders as never);
  const goal = () => {
    throw new Error('a goal');
  };
  const state = { version: 1, cause: { offset: 1 }, counting_goals: ['5-1'] };
  const record = { partition: 0, key: '5', value: Buffer.from(JSON.stringify(state)) };
  const error = vi.fn();
  const { streams } = await follow({ goal, error }, (opened) => {
    if (opened.length === 8) opened.at(-1)?.emit('data', record);
  });
  cut(streams);
  await vi.waitFor(() => expect(error).toHaveBeenCalledTimes(1));
  const asked = vi.mocked(Consumer.prototype.metadata).mock.calls.length;
  await new Promise((passed) => setTimeout(passed, 500));
  expect(Consumer.prototype.metadata).toHaveBeenCalledTimes(asked);
});

test('tells no guard of a match that is deleted and was not in play', async () => {
  const guard = vi.fn();
  const { streams } = await follow({ guard });
  streams.at(-1)?.emit('data', { partition: 0, key: '5', value: null });
  expect(guard).not.toHaveBeenCalled();
});
