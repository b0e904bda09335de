import { expect, onTestFinished, test, vi } from 'vitest';
import { finalScore } from '../../../data/dataset.ts';
import { parseFaults } from '../../../services/simulator/faults.ts';
import { parseRestFaults } from '../../../services/simulator/rest/faults.ts';
import {
  type ManualProvider,
  manualProvider,
} from '../../../services/simulator/rest/testing/manual-provider.ts';
import { until, untilTrue } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';
import { DATASET } from '../../support/system.ts';
import { essence, netEffects, netStates, publishedTwice } from './essence.ts';
import { advance, CLIENT, isVerified, keyOf, MINUTE, OutageFollower } from './follower.ts';
import { FULL } from './play.ts';

vi.setConfig({ testTimeout: 1_800_000 });

/**
 * Number of matches. They kick off at intervals of a minute, so some are still unknown when the poller is killed for
 * long.
 */
const MATCHES = 16;
/** Timeout for reading a day of matches, milliseconds. */
const CAUGHT_UP_MS = 600_000;
const DAY = 86_400;
/** Times of the kills with an immediate restart, and of the last kill, in seconds after the first message. */
const KILLS = FULL ? [6 * MINUTE, 9 * MINUTE, 12 * MINUTE] : [9 * MINUTE];
const OUTAGE = 15 * MINUTE;
/** Default maximum window of the feed, seconds. */
const WINDOW = 300;

async function serve(): Promise<{ provider: ManualProvider; url: string }> {
  const provider = manualProvider({
    dataset: DATASET,
    matches: MATCHES,
    faults: parseFaults('many'),
    restFaults: parseRestFaults('some'),
    client: { id: CLIENT.id, secretKey: CLIENT.secret },
  });
  onTestFinished(() => provider.app.close());
  return { provider, url: await provider.app.listen({ port: 0, host: '127.0.0.1' }) };
}

test('a poller that is down for 24 hours of matches reaches the same state as one that never stopped, without loss or repetition', async () => {
  const { provider, url } = await serve();
  const start = provider.timeline.startsAt;
  const [steady, killed] = await Promise.all([OutageFollower.create(url, 1), OutageFollower.create(url, 2)]);
  /** Kills the poller, expects that everything up to the checkpoint is published, and returns the checkpoint. */
  const killNow = async (): Promise<number> => {
    await killed.poller.kill();
    const position = await killed.checkpoint();
    const published = new Set(await killed.published());
    const missing = provider.published().filter((one) => one.ut <= position && !published.has(keyOf(one)));
    expect(missing.map(keyOf), 'the checkpoint is ahead of what is published').toEqual([]);
    return position;
  };
  const positions: number[] = [];
  for (const kill of KILLS) {
    await advance(provider, start + kill, [steady, killed]);
    positions.push(await killNow());
    await killed.start().ready();
  }
  await advance(provider, start + OUTAGE, [steady, killed]);
  const position = await killNow();
  positions.push(position);
  expect(position).toBeGreaterThan(start);
  const before = await killed.published();

  await advance(provider, start + OUTAGE + DAY, [steady]);
  const asked = killed.way.passed.length;
  const { lags, peak } = await catchUp(killed);
  await advance(provider, start + OUTAGE + DAY + 5 * MINUTE, [steady, killed]);

  // The poller read window by window, and the lag showed its progress.
  const windows = killed.way.passed
    .slice(asked)
    .filter(({ path }) => path === '/v2/feed')
    .map(({ query }) => [Number(query.get('timestamp')), Number(query.get('timestamp_to'))] as const);
  expect(windows[0]?.[0]).toBe(position);
  const reached = windows.findIndex(([, to]) => to >= start + OUTAGE + DAY);
  for (const [at, [from, to]] of windows.slice(0, reached + 1).entries()) {
    expect(to - from).toBeLessThanOrEqual(WINDOW);
    if (at > 0) expect(from).toBeLessThanOrEqual(windows[at - 1]?.[1] ?? 0);
  }
  expect(lags[0]).toBeGreaterThan(DAY - 2 * MINUTE);
  expect(new Set(lags.map((lag) => Math.floor(lag / 3_600))).size).toBeGreaterThan(5);
  for (const [at, lag] of lags.entries()) expect(lag).toBeLessThan((lags[at - 1] ?? lag) + MINUTE);
  // An absolute limit: a steady poller has returned its memory, so it is no reference.
  expect(peak).toBeLessThan(300 * 1024 * 1024);

  // Nothing is missing, and only messages after a checkpoint are repeated.
  const published = await killed.published();
  expect(new Set(published)).toEqual(new Set(provider.published().map(keyOf)));
  const repeated = published.filter((key, at) => published.indexOf(key) !== at);
  const resumed = killed.resumed();
  expect(resumed).toEqual(expect.arrayContaining(positions));
  expect(
    repeated.filter((key) => !before.includes(key) || Number(key.split(' ')[1]) < Math.min(...resumed)),
  ).toEqual([]);

  const agree = async (): Promise<boolean> => {
    const outputs = await Promise.all([killed.system.output(), steady.system.output()]);
    const [mine, theirs] = outputs.map((output) => JSON.stringify(essence(output)));
    return mine === theirs && outputs.every(({ states }) => [...states.values()].every(isVerified));
  };
  await untilTrue('both have verified the same', agree).catch(() => {});
  await advance(provider, start + OUTAGE + DAY + 10 * MINUTE, [steady, killed]);
  const [mine, theirs] = await Promise.all([killed.system.output(), steady.system.output()]);
  expect(essence(mine)).toEqual(essence(theirs));
  for (const facts of DATASET.matches.slice(0, MATCHES)) {
    const state = mine.states.get(facts.id);
    const [home, away] = finalScore(facts);
    expect(state?.firm, `event ${facts.id}`).toEqual({ home, away });
    expect(state?.verified_result).toBe(true);
  }
  for (const output of [mine, theirs]) {
    expect(publishedTwice(output)).toEqual([]);
    expect(netEffects(output.transitions)).toEqual(netStates(output));
  }
});

/** Starts the poller again and waits until it has caught up. Returns its reported lags and its peak memory. */
async function catchUp(follower: OutageFollower): Promise<{ lags: number[]; peak: number }> {
  // Long, so that the poller keeps its leadership and publishes each message once.
  const poller = follower.start({ SESSION_TIMEOUT_MS: '120000' });
  const { promise: seen, resolve: onSeen } = Promise.withResolvers<void>();
  // Each window reduces the lag: holds the first one until the lag of the whole outage was read.
  follower.way.held = { path: '/v2/feed', until: seen };
  await poller.ready();
  const lags: number[] = [];
  let peak = 0;
  const hasCaughtUp = async (): Promise<true | undefined> => {
    const lag = await poller.metric('touchline_poller_feed_lag_seconds');
    peak = Math.max(peak, await rss(poller));
    // The lag is 0 before the poller knows the provider's time.
    if (lag > 0) {
      lags.push(lag);
      onSeen();
    }
    return lag > 0 && lag < 2 * MINUTE ? true : undefined;
  };
  await until('it has caught up', hasCaughtUp, CAUGHT_UP_MS);
  return { lags, peak };
}

function rss(service: TestService): Promise<number> {
  return service.metric('process_resident_memory_bytes');
}
