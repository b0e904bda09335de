import { expect, test } from 'vitest';
import { topicName } from '#topics/topics.ts';
import { WRITTEN_TOPICS } from '../../../services/feed-poller/publish/topic-writer.ts';
import { untilTrue } from '../../support/poll.ts';
import { readRecords } from '../../support/read-records.ts';
import { CLIENT, TOKEN_MARK } from './provider.ts';
import { event, incident, message, Rig } from './support.ts';

const T0 = 1_800_000_000;

test('writes neither the token nor the secret to a log line, a metric or a record, whatever the provider answers', async () => {
  const rig = await Rig.create(['feed-poller']);
  const { provider } = rig;
  provider.now = () => T0;
  provider.pageSize = 2;
  provider.events.set(9, event(9, T0 - 100));
  provider.incidents.set(
    9,
    Array.from({ length: 5 }, (_, at) => incident(`5-${at}`, T0 - 90)),
  );
  provider.feed.push(message(1, T0 - 50, 9, incident('5-1', T0 - 50)));
  provider.feed.push({ id: 'bad', type: 'incident', ut: T0 - 20, data: {} });
  provider.fault = ({ path, query }, count) => {
    const leak = `http://127.0.0.1:1${path}?token=${query.token}`;
    if (path === '/v2/areas') return { status: 302, location: leak };
    if (path === '/v2/languages') return { status: 400, body: leak };
    if (path === '/v2/statuses') return { status: 200, body: `{"api":{"data":"${leak}"}}` };
    if (path === '/v2/incidents') return { status: 200, body: leak };
    if (path === '/v2/stages') return { status: 403, body: leak };
    if (path === '/v2/standings-types') return { status: 404, body: leak };
    if (count % 7 === 0) return { status: 500, body: leak };
    return count % 11 === 0 ? 'hang' : null;
  };
  const poller = rig.startPoller({
    LOG_LEVEL: 'trace',
    REQUEST_TIMEOUT_MS: '200',
    // The default of a day would be mostly empty windows, each of which may hang.
    FEED_INITIAL_SECONDS: '900',
  });
  await poller.ready();
  await untilTrue('the feed is read', async () => (await rig.published()).includes('1'));
  await untilTrue('each fault has occurred', () => provider.taken.length > 150);
  provider.revoke();
  await untilTrue('a second token is issued', () => provider.exchanges >= 2);
  await provider.close();
  await untilTrue('the provider is unreachable', async () => {
    const text = await poller.metrics();
    return text.includes('outcome="unreachable"');
  });

  const outputs = [...poller.lines, await poller.metrics()];
  const { brokers, prefix } = rig.pipeline.connection;
  for (const topic of WRITTEN_TOPICS) {
    const records = await readRecords(brokers, topicName(prefix, topic));
    outputs.push(...records.map(({ key, value }) => `${key} ${value}`));
  }
  expect(outputs.length).toBeGreaterThan(10);
  for (const output of outputs) {
    expect(output.includes(TOKEN_MARK)).toBe(false);
    expect(output.includes(CLIENT.secret)).toBe(false);
  }
});
