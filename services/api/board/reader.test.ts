import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import type { ShownState } from '#views/store/board-view.ts';
import { BoardReader, type StreamTopic } from './reader.ts';

/** A connection that takes one frame, and the next on command. */
class Connection extends Writable {
  readonly frames: string[] = [];
  #taken: (() => void) | undefined;

  constructor() {
    super({ highWaterMark: 1, decodeStrings: false });
  }

  override _write(frame: string, _encoding: string, taken: () => void): void {
    this.frames.push(frame.split('\n', 2).join(' '));
    this.#taken = taken;
  }

  /** Takes the frame it has, and gives what follows the time to be written. */
  async take(): Promise<void> {
    this.#taken?.();
    await new Promise(setImmediate);
  }
}

const state = (event_id: number, version: number, changes: Partial<ShownState> = {}) =>
  ({ event_id, version, ...changes }) as ShownState;

const access = () => ({ clientId: 1, competitions: null, operations: null });

const heartbeat = (now: number) => ({ now, steady: now * 1000 });

function startReader(topic: StreamTopic = { kind: 'board' }, states: readonly ShownState[] = []) {
  const connection = new Connection();
  const frameOf = ({ event_id, version }: ShownState, kind: string): string =>
    `${kind} ${event_id}v${version}`;
  const response = connection as unknown as ServerResponse;
  return {
    connection,
    reader: new BoardReader(response, { topic, access, covers: () => true, states }, frameOf),
  };
}

test('keeps only the newest state of a match while the reader reads nothing', async () => {
  const { connection, reader } = startReader({ kind: 'board' }, [state(1, 1), state(2, 1)]);
  reader.start(heartbeat(1));
  for (const version of [2, 3, 4]) {
    reader.offerMatch(state(1, version));
    reader.flush();
  }
  expect(connection.frames).toEqual(['event: snapshot data: {"now":1,"steady":1000,"event_ids":[1,2]}']);
  for (let frame = 0; frame < 4; frame += 1) await connection.take();
  const sent = ['1v4', '2v1'].map((state) => `event: match data: board ${state}`);
  expect(connection.frames.slice(1)).toEqual(sent);
});

test('gives a reader up after sixty heartbeats without a read, and starts counting again with each read', async () => {
  const { connection, reader } = startReader();
  reader.start(heartbeat(1));
  const beats = (count: number): boolean[] =>
    Array.from({ length: count }, () => reader.sendHeartbeat(heartbeat(2)));
  expect(beats(59)).not.toContain(false);
  await connection.take();
  expect(beats(60)).not.toContain(false);
  expect(reader.sendHeartbeat(heartbeat(2))).toBe(false);
});

test('does not queue heartbeats', async () => {
  const { connection, reader } = startReader();
  reader.start(heartbeat(1));
  for (let now = 2; now < 5; now += 1) reader.sendHeartbeat(heartbeat(now));
  await connection.take();
  await connection.take();
  expect(connection.frames.length).toBe(1);
});

test('sends a reader of a season changed results, but no changed clocks and no other seasons', async () => {
  const { connection, reader } = startReader({ kind: 'season', seasonId: 312 });
  const score = (home: number) => ({ season_id: 312, status_id: 34, score: { home, away: 0 } });
  const countFrames = async (...states: readonly ShownState[]): Promise<number> => {
    const before = connection.frames.length;
    for (const one of states) {
      reader.offerMatch(one);
      reader.flush();
    }
    const frames = connection.frames.length - before;
    if (frames > 0) await connection.take();
    return frames;
  };
  expect(await countFrames(state(1, 1, score(0)))).toBe(1);
  expect(await countFrames(state(1, 2, score(0)), state(1, 3, score(0)))).toBe(0);
  expect(await countFrames(state(1, 4, score(1)))).toBe(1);
  expect(await countFrames(state(2, 1, { ...score(1), season_id: 313 }))).toBe(0);
  expect(await countFrames(state(2, 1, { ...score(1), season_id: null }))).toBe(0);
  expect(await countFrames(state(1, 5, { ...score(1), status_type: 'deleted' }))).toBe(1);
});

test('drops the unsent state of a match that is gone, and sends `gone` only if the match was sent', async () => {
  const { connection, reader } = startReader({ kind: 'board' }, [state(1, 1)]);
  reader.start(heartbeat(1));
  reader.offerMatch(state(1, 2));
  reader.offerMatch(state(1, 3, { status_type: 'deleted' }));
  reader.offerMatch(state(2, 1, { status_type: 'deleted' }));
  for (let frame = 0; frame < 3; frame += 1) await connection.take();
  expect(connection.frames.slice(1)).toEqual(['event: gone data: {"event_id":1}']);
});
