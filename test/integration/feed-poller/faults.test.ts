import { beforeAll, expect, test } from 'vitest';
import { serve } from '../../support/listen.ts';
import { untilTrue } from '../../support/poll.ts';
import { event, incident, message, Rig } from './support.ts';

const T0 = 1_800_000_000;

// One poller meets all faults: each concerns other resources.
let rig: Rig;
beforeAll(async () => {
  rig = await Rig.create(['feed-poller']);
});

test('stops without waiting for a token request that the provider does not answer', async () => {
  let requests = 0;
  const silent = await serve(() => {
    requests += 1;
  });
  const poller = rig.startPoller({ PROVIDER_BASE_URL: silent });
  await untilTrue('a token is requested', () => requests > 0);
  expect(await poller.stop()).toBe(0);
});

test('stops resources outside the contract, repeats no rejected request, and reads all others', async () => {
  const { provider } = rig;
  provider.now = () => T0;
  provider.events.set(9, event(9, T0 - 100));
  provider.incidents.set(9, [incident('5-1', T0 - 90)]);
  for (let at = 0; at < 10; at++) {
    const ut = T0 - 5_000 + at * 400;
    provider.feed.push(message(at, ut, 9, incident(`5-${at}`, ut)));
  }
  const bad = { id: 'bad', type: 'incident', ut: T0 - 20, data: { incident: { id: 17 } } };
  provider.feed.push(bad, message(51, T0 - 15, 9, incident('5-51', T0 - 15)));
  const refusals: Record<string, number> = { '/v2/livescore': 403, '/v2/events/9': 403, '/v2/sports': 400 };
  const rejected: string[] = [];
  provider.fault = ({ path, query }) => {
    if (path === '/v2/feed' && rejected.length < 5) {
      rejected.push(`${query.timestamp} ${query.timestamp_to}`);
      return { status: 400 };
    }
    const status = refusals[path];
    return status === undefined ? null : { status };
  };
  const poller = rig.startPoller();
  await poller.ready();
  // Continues with the feed after answers 400, requests no rejected window twice, and publishes the readable messages.
  await untilTrue('all but the unreadable message are published', async () => {
    const published = new Set(await rig.published());
    return provider.feed.every((one) => one === bad || published.has(String(one.id)));
  });
  expect(new Set(rejected).size).toBe(5);
  const letters = await rig.values('dead-letters');
  expect(letters.map(({ code, service }) => ({ code, service }))).toEqual([
    { code: 'unknown_shape', service: 'feed-poller' },
  ]);
  expect(JSON.parse(letters[0]?.value?.toString() ?? '')).toEqual(bad);
  const raw = (await rig.values('raw-messages')).find(
    ({ delivery_id }) => delivery_id === letters[0]?.key?.toString(),
  );
  expect(JSON.parse(raw?.body.toString() ?? '')).toContainEqual(bad);

  await untilTrue('many other resources are read', () => provider.taken.length > 60);
  for (const path of Object.keys(refusals)) expect(provider.count(path), path).toBe(1);
  expect(await poller.metric('touchline_poller_stopped_resources')).toBe(2);
  expect(poller.lines.join('\n')).toContain('outside the contract');
});
