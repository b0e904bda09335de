import { expect, test } from 'vitest';
import { incident, message, Rig } from '../../integration/feed-poller/support.ts';
import { untilTrue } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';

const T0 = 1_800_000_000;

/** Settings for a test that waits for the end of a session, and needs the feed alone. */
const SETTINGS = { SESSION_TIMEOUT_MS: '6000', LIVESCORE_PERIOD_MS: '5000', SCHEDULE_PERIOD_MS: '5000' };

const isLeader = async (poller: TestService): Promise<boolean> =>
  (await poller.metric('touchline_poller_leader')) === 1;

/** Starts a provider whose clock runs at twenty times real speed. `play` writes messages until its result is called. */
async function rigInPlay(): Promise<{ rig: Rig; play: () => () => void }> {
  const rig = await Rig.create(['feed-poller']);
  const { provider } = rig;
  const started = performance.now();
  provider.now = () => T0 + Math.floor((performance.now() - started) / 50);
  let at = 0;
  const play = () => {
    const playing = setInterval(() => {
      const ut = provider.now();
      provider.feed.push(message(at, ut, 9, incident(`5-${at}`, ut)));
      at += 1;
    }, 50);
    return () => clearInterval(playing);
  };
  return { rig, play };
}

// One test: the pollers of one topic replace each other, and each is stopped at its end.
test('loses nothing when the leading poller is killed, is paused past its session, or is stopped', async () => {
  const { rig, play } = await rigInPlay();
  const start = async (): Promise<TestService> => {
    const poller = rig.startPoller(SETTINGS);
    await poller.ready();
    return poller;
  };
  let stopPlay = play();
  const first = await start();
  await untilTrue('the first leads', () => isLeader(first));
  const second = await start();
  await untilTrue('it has published', async () => (await rig.published()).length > 50);
  expect(await isLeader(second)).toBe(false);
  expect(await second.metric('touchline_poller_requests_total'), 'a standby sends no requests').toBe(0);

  // Killed: the standby resumes from the checkpoint.
  await first.kill();
  await untilTrue('the second leads', () => isLeader(second));
  stopPlay();
  await rig.caughtUp();
  expect(await second.metric('touchline_poller_requests_total')).toBeGreaterThan(0);

  // Paused past its session: it starts a new term or stands by.
  const third = await start();
  const terms = () => second.lines.filter((line) => line.includes('polling from the checkpoint')).length;
  const before = terms();
  stopPlay = play();
  second.signal('SIGSTOP');
  await untilTrue('the third leads', () => isLeader(third));
  second.signal('SIGCONT');
  // The group decides which of the two leads then; the paused term is over in any case.
  await untilTrue('its term is over', async () => !(await isLeader(second)) || terms() > before);
  stopPlay();
  await rig.caughtUp();
  await untilTrue('one leads', async () => (await isLeader(second)) !== (await isLeader(third)));

  // Stopped: it leaves at once, and the next one resumes.
  stopPlay = play();
  const [standby, leader] = (await isLeader(second)) ? [third, second] : [second, third];
  expect(await standby.stop()).toBe(0);
  expect(await leader.stop()).toBe(0);
  const position = (await rig.checkpoint('feed'))?.position ?? 0;
  const asked = rig.provider.taken.length;
  await start();
  await rig.checkpointed('feed', position + 1);
  stopPlay();
  await rig.caughtUp();
  const windows = rig.provider.taken.slice(asked).filter(({ path }) => path === '/v2/feed');
  expect(Number(windows[0]?.query.timestamp)).toBe(position);
});
