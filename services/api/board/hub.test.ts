import type { ServerResponse } from 'node:http';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ViewsWorld } from '#views/testing/world.ts';
import { boardStates } from './board-match.ts';
import { Hub } from './hub.ts';
import type { Topic } from './reader.ts';
import { PlayedViews } from './testing/playing.ts';
import { firstHalf, SERBIA_BRAZIL as match } from './testing/scenes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  // The spy stands on the clock of the fake timers.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test('a process that stood still reads on before its word counts, for readers and for those that come', async () => {
  const { views: view } = new ViewsWorld();
  const hub = new Hub({ view, now: () => 1, metrics: new Registry(), maxReaders: 2 });
  onTestFinished(() => hub.close());
  const written: string[] = [];
  const response = { write: (text: string) => written.push(text) > 0, on() {}, once() {}, end() {} };
  const sight = { match: () => true, season: () => true, lasts: () => true };
  hub.join(response as unknown as ServerResponse, { kind: 'board' }, sight, []);
  const beats = () => written.filter((text) => text.startsWith('event: beat')).length;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(beats()).toBe(2);
  await hub.counts();
  const still = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 5_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(beats()).toBe(2);
  let counts = false;
  void hub.counts().then(() => {
    counts = true;
  });
  await vi.advanceTimersByTimeAsync(800);
  expect(counts).toBe(false);
  still.mockReturnValue(performance.now() + 1_000);
  await vi.advanceTimersByTimeAsync(200);
  expect([counts, beats()]).toEqual([true, 3]);
});

/** A live match that a reader of a topic has been sent; `sent` empties what was written to it since. */
function following(topic: Topic) {
  const played = new PlayedViews();
  const { views: view } = played;
  const hub = new Hub({ view, now: () => Date.now() / 1000, metrics: new Registry(), maxReaders: 2 });
  onTestFinished(() => {
    hub.close();
    played.close();
  });
  const ut = Math.floor(Date.now() / 1000);
  const publish = (after: number, changes: object = {}) =>
    played.publish(match, ut + after, { ...firstHalf(after), ...changes });
  publish(0);
  const written: string[] = [];
  const response = { write: (text: string) => written.push(text) > 0, on() {}, once() {}, end() {} };
  const contract = { covers: true };
  const sight = { match: () => contract.covers, season: () => true, lasts: () => true };
  hub.join(response as unknown as ServerResponse, topic, sight, boardStates(view, 400));
  const sent = () =>
    written
      .splice(0)
      .filter((text) => !/^event: (beat|feeds)/.test(text))
      .map((text) => text.trim().split('\n'));
  expect(sent().map(([event]) => event)).toEqual(['event: snapshot', 'event: match']);
  return { publish, contract, sent };
}

const GONE = ['event: gone', `data: {"event_id":${match.id}}`];

test.each([
  ['its message says delete', { action: 'delete' }],
  ['its status is deleted', { item_status: 'deleted' }],
  ['it moved out of the contract', null],
])('a match is withdrawn from readers at once where %s', async (_why, changes) => {
  for (const topic of [{ kind: 'board' }, { kind: 'match', eventId: match.id }] as const) {
    const { publish, contract, sent } = following(topic);
    contract.covers = changes !== null;
    publish(1, changes ?? {});
    await vi.advanceTimersByTimeAsync(50);
    expect(sent()).toEqual([GONE]);
    publish(2, changes ?? {});
    await vi.advanceTimersByTimeAsync(50);
    expect(sent()).toEqual([]);
  }
});

test('a match that a contract no longer covers is withdrawn with the next beat, and comes back with it', async () => {
  const { publish, contract, sent } = following({ kind: 'board' });
  contract.covers = false;
  await vi.advanceTimersByTimeAsync(1_100);
  expect(sent()).toEqual([GONE]);
  contract.covers = true;
  publish(1);
  await vi.advanceTimersByTimeAsync(50);
  expect(sent().map(([event]) => event)).toEqual(['event: match']);
});
