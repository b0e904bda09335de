import type { ServerResponse } from 'node:http';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Access } from '#contract/rest/provider.ts';
import { ABANDONED_MS } from '#trading/trading.ts';
import { ViewsWorld } from '#views/testing/world.ts';
import { boardStates } from './board-states.ts';
import { Hub } from './hub.ts';
import type { StreamTopic } from './reader.ts';
import { PlayedViews } from './testing/playing.ts';
import { firstHalf, SERBIA_BRAZIL as match } from './testing/scenes.ts';

const ALL: Access = { clientId: 1, competitions: null, operations: null };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  // The spy replaces the clock of the fake timers, so it is restored first.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test('delays heartbeats and new readers after a stall, until the process has caught up', async () => {
  const { views: view } = new ViewsWorld();
  const hub = new Hub({ view, now: () => 1, metrics: new Registry(), maxReaders: 2 });
  onTestFinished(() => hub.close());
  const { written, response } = recordedResponse();
  hub.join(response, { topic: { kind: 'board' }, access: () => ALL, covers: () => true, states: [] });
  const beats = () => written.filter((text) => text.startsWith('event: beat')).length;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(beats()).toBe(2);
  await hub.untilCaughtUp();
  const still = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 5_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(beats()).toBe(2);
  let counts = false;
  void hub.untilCaughtUp().then(() => {
    counts = true;
  });
  await vi.advanceTimersByTimeAsync(800);
  expect(counts).toBe(false);
  still.mockReturnValue(performance.now() + 1_000);
  await vi.advanceTimersByTimeAsync(200);
  expect([counts, beats()]).toEqual([true, 3]);
});

test('counts no reader that left while it waited for the process to catch up', async () => {
  const { views: view } = new ViewsWorld();
  const metrics = new Registry();
  const hub = new Hub({ view, now: () => 1, metrics, maxReaders: 2 });
  onTestFinished(() => hub.close());
  const { written, response } = recordedResponse();
  const left = Object.assign(response, { destroyed: true });
  hub.join(left, { topic: { kind: 'board' }, access: () => ALL, covers: () => true, states: [] });
  expect(written).toEqual([]);
  expect(await metrics.getSingleMetricAsString('touchline_board_readers')).toMatch(/ 0$/);
});

/** A response that records what is written to it. */
function recordedResponse() {
  const written: string[] = [];
  const response = {
    write: (text: string) => written.push(text) > 0,
    writeHead() {},
    on() {},
    once() {},
    end: () => written.push('end'),
  };
  return { written, response: response as unknown as ServerResponse };
}

/** Sends a live match to a reader of a topic. `sent` returns the events that were written since its last call. */
function following(topic: StreamTopic) {
  const played = new PlayedViews();
  const { views: view } = played;
  const hub = new Hub({ view, now: () => Date.now() / 1000, metrics: new Registry(), maxReaders: 2 });
  onTestFinished(() => hub.close());
  const ut = Math.floor(Date.now() / 1000);
  const publish = (after: number, changes: object = {}) =>
    played.publish(match, ut + after, { ...firstHalf(after), ...changes });
  publish(0);
  const { written, response } = recordedResponse();
  const contract = { covers: true };
  const access = () => (contract.covers ? ALL : { ...ALL, competitions: new Set<number>() });
  hub.join(response, {
    topic,
    access,
    covers: () => true,
    states: boardStates(view, 400, Date.now() / 1000),
  });
  const sent = () =>
    written
      .splice(0)
      .filter((text) => !/^event: (beat|feeds)/.test(text))
      .map((text) => text.trim().split('\n'));
  expect(sent().map(([event]) => event)).toEqual(['event: snapshot', 'event: match']);
  return { publish, contract, sent };
}

test('sends a match again when a minute begins, and when hours without a word end its play', async () => {
  const { publish, sent } = following({ kind: 'board' });
  publish(1, { clock_time: 30 });
  const shown = async (what: string) => {
    await vi.advanceTimersByTimeAsync(200);
    const [last] = sent().slice(-1);
    expect(last?.[0]).toBe('event: match');
    expect(JSON.parse(last?.[1]?.slice('data: '.length) ?? '').html).toContain(what);
  };
  await shown('>1′<');
  vi.setSystemTime(Date.now() + 15_000);
  await vi.advanceTimersByTimeAsync(200);
  expect(sent()).toEqual([]);
  vi.setSystemTime(Date.now() + 20_000);
  await shown('>2′<');
  vi.setSystemTime(Date.now() + ABANDONED_MS);
  await shown('data-phase="other"');
});

const GONE = ['event: gone', `data: {"event_id":${match.id}}`];

test.each([
  ['its message says delete', { action: 'delete' }],
  ['its status is deleted', { item_status: 'deleted' }],
  ['it moved out of the contract', null],
])('withdraws a match from readers at once when %s', async (_why, changes) => {
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

test('withdraws a match with the next heartbeat when the contract no longer covers it, and sends it again when it does', async () => {
  const { publish, contract, sent } = following({ kind: 'board' });
  contract.covers = false;
  await vi.advanceTimersByTimeAsync(1_100);
  expect(sent()).toEqual([GONE]);
  contract.covers = true;
  publish(1);
  await vi.advanceTimersByTimeAsync(50);
  expect(sent().map(([event]) => event)).toEqual(['event: match']);
});

test('sends a season the changes of its tables, and ends with one once the contract no longer covers it', async () => {
  const { views: view } = new ViewsWorld();
  const hub = new Hub({ view, now: () => 1, metrics: new Registry(), maxReaders: 2 });
  onTestFinished(() => hub.close());
  const { written, response } = recordedResponse();
  const contract = { covers: true };
  const topic = { kind: 'season', seasonId: 312 } as const;
  hub.join(response, { topic, access: () => ALL, covers: () => contract.covers, states: [] });
  written.splice(0);
  for (const season of [313, null, 312]) view.events.emit('table', season);
  await vi.advanceTimersByTimeAsync(50);
  const table = 'event: table\ndata: {"season_id":312}\n\n';
  expect(written.splice(0)).toEqual([table]);
  contract.covers = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual([table, 'end']);
});
