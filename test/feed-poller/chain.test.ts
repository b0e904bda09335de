import { expect, test } from 'vitest';
import { readDataset } from '../../data/dataset.ts';
import { clients, startApi, temporaryFolder } from '../api/support.ts';
import { backbone } from '../setup/backbone.ts';
import { Pipeline, type PipelineOutput } from '../support/pipeline.ts';
import { until } from '../support/poll.ts';
import { startService } from '../support/processes.ts';

const WEBHOOK_SECRET = '0123456789abcdef0123456789ABCDEF';
const MATCHES = 6;

/** What the laws say of every match, without the order in which it became known. */
function essence({ states, incidents }: PipelineOutput): Map<number, unknown> {
  return new Map(
    [...states].map(([id, state]) => {
      const { score, firm, shoot_out, status_id, status_type, counting_goals, void_goals, orphans } = state;
      const mine = [...incidents.values()].filter((one) => one.event_id === id && one.incident !== null);
      const log = mine.map((one) => [one.id, one.removed, one.incident?.confirmation ?? null]);
      log.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
      return [
        id,
        { score, firm, shoot_out, status_id, status_type, counting_goals, void_goals, orphans, log },
      ];
    }),
  );
}

test('a system that only polls another one comes to the same state of every match', async () => {
  const source = await Pipeline.create(backbone());
  const target = await Pipeline.create(backbone());
  const placeOf = ({ place }: Pipeline): Record<string, string> => ({
    KAFKA_BROKERS: place.brokers.join(','),
    SCHEMA_REGISTRY_URL: place.registryUrl,
    TOPIC_PREFIX: place.prefix,
  });
  const receiver = startService('webhook-receiver', {
    ...placeOf(source),
    WEBHOOK_PORT: '0',
    WEBHOOK_SECRET,
  });
  await Promise.all([source.startProcessor().ready(), target.startProcessor().ready(), receiver.ready()]);
  const credentials = await clients(source.place, 'add');
  const [, id, secret] = /client_id (\d+)[\s\S]*secret_key (\w+)/.exec(credentials) ?? [];
  const api = await startApi(source.place, temporaryFolder());
  const dataset = readDataset('world-cup-2018');
  const poller = startService('feed-poller', {
    ...placeOf(target),
    PROVIDER_BASE_URL: api.url,
    PROVIDER_CLIENT_ID: String(id),
    PROVIDER_SECRET_KEY: String(secret),
    FOLLOW_SEASONS: String(dataset.competition.season.id),
    FEED_PERIOD_MS: '300',
    SCHEDULE_PERIOD_MS: '1000',
    VERIFY_PERIOD_MS: '2000',
    VERIFY_DAYS: '36500',
    RETRY_CEILING_MS: '1000',
  });
  await poller.ready();
  const port = await until('the receiver listens', () => {
    const line = receiver.lines.find((one) => one.includes('POST /webhook'));
    return line === undefined ? undefined : (JSON.parse(line) as { port: number }).port;
  });
  const simulator = startService('simulator', {
    WEBHOOK_URL: `http://127.0.0.1:${port}/webhook`,
    WEBHOOK_SECRET,
    FAULTS: 'some',
    MATCHES: String(MATCHES),
    DURATION: '10',
  });
  await until('all was told', () => simulator.lines.find((line) => line.includes('all was played')), 60_000);
  await source.settled();
  const wanted = essence(await source.output());
  expect(wanted.size).toBe(MATCHES);
  let found: Map<number, unknown> = new Map();
  await until(
    'both have the same',
    async () => {
      found = essence(await target.output());
      return JSON.stringify([...found].toSorted()) === JSON.stringify([...wanted].toSorted())
        ? true
        : undefined;
    },
    100_000,
  ).catch(() => expect(found).toEqual(wanted));
});
