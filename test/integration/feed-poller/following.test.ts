import { expect, test } from 'vitest';
import { untilTrue } from '../../support/poll.ts';
import { startService } from '../../support/processes.ts';
import { event, incident, message, Rig } from './support.ts';

const T0 = 1_800_000_000;

test('reads the feed of the last day, the board, the schedule and the catalogues, each thing once', async () => {
  const rig = await Rig.create();
  const { provider } = rig;
  let clock = T0;
  provider.now = () => clock;
  provider.catalogues.sports = [{ id: 5, name: 'Soccer', ut: 1_400_000_000 }];
  provider.catalogues.statuses = [{ id: 33, name: '1st half', ut: 1_400_000_000 }];
  provider.events.set(9, event(9, T0 - 100));
  provider.incidents.set(9, [incident('5-1', T0 - 90)]);
  for (let at = 0; at < 50; at++) {
    provider.feed.push(
      message(at, T0 - 86_000 + at * 1_700, 9, incident(`5-${at}`, T0 - 86_000 + at * 1_700)),
    );
  }
  const poller = rig.startPoller();
  await poller.ready();
  await rig.caughtUp();
  await rig.checkpointed('feed', T0 - 75);
  clock += 200;
  provider.feed.push(message(100, T0 + 150, 9, incident('5-100', T0 + 150)));
  await rig.caughtUp();
  await rig.checkpointed('feed', T0 + 125);
  const expected = ['competition/46', 'season/460', 'sport/5', 'stage/4600', 'status/33'];
  const catalogue = async (): Promise<string[]> =>
    (await rig.values('catalogue')).map(({ kind, id }) => `${kind}/${id}`);
  await untilTrue('the catalogues are read', async () => {
    const found = await catalogue();
    return expected.every((entry) => found.includes(entry));
  });

  const published = await rig.published();
  expect(published.toSorted()).toEqual([...new Set(published)].toSorted());
  expect((await catalogue()).toSorted()).toEqual(expected);
  const events = (await rig.values('normalized-messages')).filter(({ type }) => type === 'event');
  expect(events.map(({ event_id, ut }) => [event_id, ut])).toEqual([[9, T0 - 100]]);
  expect(await poller.metric('touchline_poller_leader')).toBe(1);
  expect(await poller.stop()).toBe(0);
});

test('without the address of a provider it says so, is ready, and does nothing', async () => {
  const poller = startService('feed-poller', {
    KAFKA_BROKERS: '127.0.0.1:1',
    SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1',
  });
  await poller.ready();
  expect(poller.log).toContain('no polling: PROVIDER_BASE_URL is empty');
  expect(await poller.stop()).toBe(0);
});
