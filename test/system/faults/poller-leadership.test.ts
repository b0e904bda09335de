import { expect, test } from 'vitest';
import { incident, message, Rig } from '../../integration/feed-poller/support.ts';
import { untilTrue } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';

const T0 = 1_800_000_000;

/** Settings for tests that wait for the end of a session. */
const SHORT_SESSION = { SESSION_TIMEOUT_MS: '6000' };

/** Starts a provider whose clock runs at twenty times real speed, with two or three messages a second. */
async function rigInPlay(): Promise<{ rig: Rig; stopPlay: () => void }> {
  const rig = await Rig.create();
  const { provider } = rig;
  const started = performance.now();
  provider.now = () => T0 + Math.floor((performance.now() - started) / 50);
  let at = 0;
  const play = setInterval(() => {
    const ut = provider.now();
    provider.feed.push(message(at, ut, 9, incident(`5-${at}`, ut)));
    at += 1;
  }, 20);
  return { rig, stopPlay: () => clearInterval(play) };
}

/** Starts a leading poller that has published, and then a standby. */
async function leaderAndStandby(rig: Rig): Promise<{ first: TestService; second: TestService }> {
  const first = rig.startPoller(SHORT_SESSION);
  await first.ready();
  await untilTrue('the first leads', async () => (await first.metric('touchline_poller_leader')) === 1);
  const second = rig.startPoller(SHORT_SESSION);
  await second.ready();
  await untilTrue('it has published', async () => (await rig.published()).length > 50);
  return { first, second };
}

test('a standby sends no requests, and resumes from the checkpoint after the leader is killed without loss', async () => {
  const { rig, stopPlay } = await rigInPlay();
  const { first, second } = await leaderAndStandby(rig);
  expect(await second.metric('touchline_poller_leader')).toBe(0);
  expect(await second.metric('touchline_poller_requests_total')).toBe(0);
  await first.kill();
  await untilTrue('the second leads', async () => (await second.metric('touchline_poller_leader')) === 1);
  stopPlay();
  await rig.caughtUp();
  expect(await second.metric('touchline_poller_requests_total')).toBeGreaterThan(0);
});

test('a leader that was paused past its session starts a new term or stands by, without loss', async () => {
  const { rig, stopPlay } = await rigInPlay();
  const pollers = [rig.startPoller(SHORT_SESSION), rig.startPoller(SHORT_SESSION)];
  await Promise.all(pollers.map((poller) => poller.ready()));
  await untilTrue('they publish', async () => (await rig.published()).length > 20);
  const leads = async (poller: TestService): Promise<boolean> =>
    (await poller.metric('touchline_poller_leader')) === 1;
  const [one, two] = pollers as [TestService, TestService];
  const [leader, other] = (await leads(one)) ? [one, two] : [two, one];
  const terms = (poller: TestService): number =>
    poller.lines.filter((line) => line.includes('polling from the checkpoint')).length;
  const before = terms(leader);
  leader.signal('SIGSTOP');
  await untilTrue('the other leads', () => leads(other));
  leader.signal('SIGCONT');
  // The group decides which of the two leads then; the paused term is over in any case.
  await untilTrue('its term is over', async () => !(await leads(leader)) || terms(leader) > before);
  stopPlay();
  await rig.caughtUp();
  await untilTrue('one leads', async () => (await leads(leader)) !== (await leads(other)));
});

test('a stopped poller leaves at once, and the next one resumes', async () => {
  const { rig, stopPlay } = await rigInPlay();
  const first = rig.startPoller();
  await first.ready();
  await untilTrue('it has published', async () => (await rig.published()).length > 20);
  expect(await first.stop()).toBe(0);
  const position = (await rig.checkpoint('feed'))?.position ?? 0;
  const asked = rig.provider.taken.length;
  const second = rig.startPoller();
  await second.ready();
  await rig.checkpointed('feed', position + 1);
  stopPlay();
  await rig.caughtUp();
  const windows = rig.provider.taken.slice(asked).filter(({ path }) => path === '/v2/feed');
  expect(Number(windows[0]?.query.timestamp)).toBe(position);
});
