import { expect, test } from 'vitest';
import { incident, message, Rig } from './support.ts';

const T0 = 1_800_000_000;
const DAY = 86_400;

test('after 24 hours without a poller it reads window by window, and nothing is missing or published twice', async () => {
  const rig = await Rig.create();
  const { provider } = rig;
  let clock = T0;
  provider.now = () => clock;
  const publish = (from: number, to: number, every: number): void => {
    for (let ut = from; ut <= to; ut += every) {
      const id = provider.feed.length;
      provider.feed.push(message(id, ut, 100 + (id % 7), incident(`5-${id}`, ut)));
    }
  };
  publish(T0 - 3_000, T0, 60);
  const first = rig.startPoller();
  await first.ready();
  await rig.caughtUp();
  const { position } = await rig.checkpointed('feed', T0 - 75);
  await first.stop();
  const before = await rig.published();

  clock = T0 + DAY;
  publish(T0 + 1, T0 + DAY, 40);
  const asked = provider.taken.length;
  const second = rig.startPoller();
  await second.ready();
  await rig.caughtUp();
  await rig.checkpointed('feed', T0 + DAY - 75);

  const windows = provider.taken
    .slice(asked)
    .filter(({ path }) => path === '/v2/feed')
    .map(({ query }) => [Number(query.timestamp), Number(query.timestamp_to)] as const);
  expect(windows[0]?.[0]).toBe(position);
  for (const [from, to] of windows) expect(to - from).toBeLessThanOrEqual(300);
  const reached = windows.findIndex(([, to]) => to >= clock);
  for (let at = 1; at <= reached; at++) expect(windows[at]?.[0]).toBe(windows[at - 1]?.[1]);

  const published = await rig.published();
  expect(new Set(published).size).toBe(provider.feed.length);
  // Only what the first one had published behind its checkpoint may be there once more.
  const repeated = published.filter((id, at) => published.indexOf(id) !== at);
  expect(repeated.every((id) => before.includes(id))).toBe(true);
  expect(repeated.length).toBeLessThanOrEqual(3);
});
