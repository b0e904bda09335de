/**
 * The provider cannot be reached for 48 hours, from the middle of a Saturday on: ten matches are in play, ten more are played while it is
 * away, ten after it is back.
 */
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Dataset, finalScore, readDataset } from '../../../data/dataset.ts';
import { parseFaults } from '../../../services/simulator/faults.ts';
import { parseRestFaults } from '../../../services/simulator/rest/faults.ts';
import { manualProvider } from '../../../services/simulator/rest/testing/manual-provider.ts';
import { HealthReader } from '../../integration/feed-monitor/health-reader.ts';
import { connectionEnv } from '../../support/environment.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { touchlineHere } from '../../support/touchline-here.ts';
import { essence, netEffects, netStates, publishedTwice } from './essence.ts';
import { advance, CLIENT, isVerified, keyOf, MINUTE, OutageFollower } from './follower.ts';

vi.setConfig({ testTimeout: 1_800_000 });

const HOUR = 60 * MINUTE;
const OUTAGE = 48 * HOUR;
/** After the kick-off of the first matches. */
const IN_PLAY = 40 * MINUTE;
/** Kick-offs of the three rounds: a Saturday, the Sunday after it, and the Monday. */
const ROUNDS = ['2017-08-12T14:00:00Z', '2017-08-13T15:00:00Z', '2017-08-14T19:00:00Z'];
const OF_A_ROUND = 10;
/** Timeout for reading two days, milliseconds. */
const CAUGHT_UP_MS = 600_000;

/** Returns the first three rounds of a season at these times. */
function weekend(): Dataset {
  const { competition, matches } = readDataset('england-2017-18');
  const played = matches.slice(0, OF_A_ROUND * ROUNDS.length);
  return {
    competition,
    matches: played.map((facts, n) => ({ ...facts, date: ROUNDS[Math.floor(n / OF_A_ROUND)] ?? facts.date })),
  };
}

type ShownMatch = {
  readonly state: { readonly event_id: number };
  readonly trading: { readonly permission: string };
};

test('an outage of the provider of 48 hours halts what is in play, and ends in the state of an undisturbed run', async () => {
  const dataset = weekend();
  const provider = manualProvider({
    dataset,
    faults: parseFaults('some'),
    restFaults: parseRestFaults('some'),
    client: { id: CLIENT.id, secretKey: CLIENT.secret },
  });
  onTestFinished(() => provider.app.close());
  const url = await provider.app.listen({ port: 0, host: '127.0.0.1' });
  const settings = { FOLLOW_SEASONS: String(dataset.competition.season.id) };
  const [steady, cut] = await Promise.all([
    OutageFollower.create(url, 1, settings),
    OutageFollower.create(url, 2, settings),
  ]);
  const { connection } = cut.system.pipeline;
  const monitor = cut.system.start('feed-monitor', {
    SESSION_TIMEOUT_MS: '6000',
    DELAYED_AFTER_MS: '0',
  });
  await monitor.ready();
  const health = await HealthReader.open(connection);
  const [saturday, , monday] = provider.timeline.stretches;
  const from = (saturday?.startsAt ?? 0) + IN_PLAY;

  await advance(provider, from, [steady, cut]);
  const before = await cut.system.output();
  const inPlay = [...before.states.values()].filter(({ status_type }) => status_type === 'live');
  expect(inPlay.length).toBeGreaterThan(0);

  // Connections are refused from now on.
  cut.way.targets = [];
  await untilTrue('no match is believed', () =>
    inPlay.every(({ event_id }) => !health.belief(event_id).believed),
  );
  const shown = await touchlineHere(['live', '--json'], connectionEnv(connection));
  const rows = shown.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ShownMatch);
  expect(rows.map(({ state }) => state.event_id).sort()).toEqual(
    inPlay.map(({ event_id }) => event_id).sort(),
  );
  expect(rows.filter(({ trading }) => trading.permission === 'safe')).toEqual([]);

  await advance(provider, from + OUTAGE, [steady]);
  expect(monday?.startsAt).toBeGreaterThan(from + OUTAGE);
  expect(health.latest('feed')?.state).not.toBe('alive');
  expect(await cut.system.output()).toEqual(before);

  cut.way.targets = [url];
  const back = performance.now();
  const lags = await caughtUp(cut);
  process.stdout.write(
    `the feed of 48 hours was read in ${Math.round((performance.now() - back) / 1_000)} s of a shared machine\n`,
  );
  expect(Math.max(...lags)).toBeGreaterThan(OUTAGE - 10 * MINUTE);
  await untilTrue('the feed is believed', () => health.latest('feed')?.state === 'alive');

  await advance(provider, provider.timeline.endsAt + 10 * MINUTE, [steady, cut]);
  const agree = async (): Promise<boolean> => {
    const outputs = await Promise.all([cut.system.output(), steady.system.output()]);
    const [mine, theirs] = outputs.map((output) => JSON.stringify(essence(output)));
    return mine === theirs && outputs.every(({ states }) => [...states.values()].every(isVerified));
  };
  await untilTrue('both have verified the same', agree).catch(() => {});
  const [mine, theirs] = await Promise.all([cut.system.output(), steady.system.output()]);
  expect(essence(mine)).toEqual(essence(theirs));
  expect(mine.states.size).toBe(dataset.matches.length);
  for (const facts of dataset.matches) {
    const [home, away] = finalScore(facts);
    expect(mine.states.get(facts.id)?.firm, `event ${facts.id}`).toEqual({ home, away });
  }
  expect(new Set(await cut.published())).toEqual(new Set(provider.published().map(keyOf)));
  expect(publishedTwice(mine)).toEqual([]);
  expect(netEffects(mine.transitions)).toEqual(netStates(mine));
});

/** Waits until the poller has read up to the provider's time. Returns the lags that it reported. */
async function caughtUp({ poller }: OutageFollower): Promise<number[]> {
  const lags: number[] = [];
  await until(
    'it has caught up',
    async () => {
      const lag = await poller.metric('touchline_poller_feed_lag_seconds');
      lags.push(lag);
      return lag > 0 && lag < 2 * MINUTE ? true : undefined;
    },
    CAUGHT_UP_MS,
  );
  return lags;
}
