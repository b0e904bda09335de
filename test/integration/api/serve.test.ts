import { chmodSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { topicBounds } from '#cluster/logs.ts';
import { answerError } from '#contract/rest/records/envelope.ts';
import { eventMessage, incidentMessage, KICK_OFF } from '#ingestion/testing/messages.ts';
import { damage } from '#views/testing/world.ts';
import { backbone } from '../../setup/backbone.ts';
import { withAdmin } from '../../support/admin.ts';
import { type ApiReplica, clients, received, startApi } from '../../support/api.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const EVENT = 7_000_001;

let pipeline: Pipeline;
/** The command's output for a client whose contract covers everything, and its token. */
let credentials: string;
let token: string;
let folder: string;
/** The replica in `folder`. */
let api: ApiReplica;

/** All tests share these topics, the processor and the replica; each test adds messages after those of the others. */
beforeAll(async () => {
  pipeline = await Pipeline.create({ ...backbone(), services: ['match-processor', 'api'] });
  pipeline.startProcessor();
  await pipeline.feed(
    received(
      incidentMessage({ id: 0 }, KICK_OFF),
      incidentMessage({ id: 1 }),
      incidentMessage({ id: 2 }, { id: '5-120', incident_id: 419, confirmation: 'confirmed' }),
      eventMessage({ id: 3 }, { id: EVENT + 1, competition_id: 9, season_id: 90 }),
    ),
  );
  credentials = await clients(pipeline.connection, 'add --name everything');
  await pipeline.settled();
  folder = temporaryFolder();
  chmodSync(folder, 0o755);
  api = await startApi(pipeline.connection, folder, { LOG_LEVEL: 'debug', API_BOARD: 'on' });
  token = await api.token(credentials);
});

/** Removes all records of a topic, as retention does. */
async function expireAll(topic: string): Promise<void> {
  const { brokers } = pipeline.connection;
  const bounds = await topicBounds({ brokers, clientId: 'test' }, [topic]);
  const partitions = bounds.map(({ partition, end }) => ({ partition, offset: BigInt(end) }));
  await withAdmin(brokers, (admin) => admin.deleteRecords({ topics: [{ name: topic, partitions }] }));
}

test('serves the match state of the pipeline, and each change of it', async () => {
  const chain = await api.api(`/v2/events/${EVENT}?token=${token}`);
  const { event } = chain.data.competition.season.stage.group;
  expect(event.events_incidents.map(({ id }: { id: string }) => id)).toEqual(['5-100', '5-110', '5-120']);
  const score = (side: number) =>
    event.participants[side].results.find(({ id }: { id: number }) => id === 2).value;
  expect([score(0), score(1)]).toEqual(['1', '0']);

  await pipeline.feed(received(incidentMessage({ id: 4, ut: 1_790_000_060 }, { confirmation: 'cancelled' })));
  await until('the cancelled goal is gone from the score', async () => {
    const board = await api.api(`/v2/livescore?date_from=2026-08-15&token=${token}`);
    const [match] = board.data.competitions[0].seasons[0].stages[0].groups[0].events;
    const [result] = match.participants[0].results.filter(({ id }: { id: number }) => id === 2);
    return result.value === '0' ? true : undefined;
  });
  // The message and the match state are in two topics, which are read in no common order. Its `ut` is old, its receipt is now.
  const feed = await until('the feed has the cancellation', async () => {
    const { data } = await api.api(`/v2/feed?token=${token}`);
    const ids: number[] = data.map(({ id }: { id: number }) => id);
    return ids.includes(4) ? ids : undefined;
  });
  expect(feed.sort()).toEqual([0, 1, 2, 3, 4]);
  for (const path of ['/health/live', '/health/ready', '/openapi.json', '/docs', '/']) {
    expect((await api.get(path)).status, path).toBe(200);
  }
  expect(await api.service.metrics()).not.toContain(token);
});

test('keeps its files from other users of the machine', () => {
  const rights = new Map(
    [
      folder,
      ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
    ].map((path) => [path, statSync(path)] as const),
  );
  expect(rights.size).toBeGreaterThan(2);
  for (const [path, { mode }] of rights) expect(mode & 0o077, path).toBe(0);
});

test('lets two replicas verify each other’s tokens, and refuses a client once it is disabled', async () => {
  const { connection } = pipeline;
  const narrow = await clients(connection, 'add --id 41 --competitions 9');
  const two = await startApi(connection, temporaryFolder());
  await two.api(`/v2/events/${EVENT}?token=${token}`);
  const some = await api.token(narrow);
  const shown = await two.api(`/v2/events/${EVENT + 1}?token=${some}`);
  expect(shown.method.parameters.client_id).toBe('41');
  await two.api(`/v2/events/${EVENT}?token=${some}`, 403);

  await clients(connection, 'disable 41');
  await untilTrue(
    'its token is refused',
    async () => (await two.get(`/v2/events?token=${some}`)).status === 401,
  );
  await api.api('/v2/oauth?client_id=41&secret_key=wrong', 401);
  // A third replica in the first one's folder would damage its views.
  await expect(startApi(connection, folder)).rejects.toThrow(/give each replica its own DATA_DIR/);
});

test('resumes after a kill or a stop, and rebuilds views that were lost, are damaged or miss expired records', async () => {
  let wanted = await api.season(token);
  const read = await api.service.metric('touchline_api_records_total');
  expect(read).toBeGreaterThan(5);
  await api.service.kill();

  await pipeline.feed(
    received(eventMessage({ id: 5 }, { id: EVENT + 2, competition_id: 10, season_id: 100 })),
  );
  await pipeline.settled();
  const second = await startApi(pipeline.connection, folder);
  expect((await second.api(`/v2/events/${EVENT + 2}?token=${token}`)).data.competition.id).toBe(10);
  expect(await second.season(token)).toEqual(wanted);
  expect(await second.service.metric('touchline_api_records_total')).toBeLessThan(read);
  expect(await second.service.stop()).toBe(0);

  const ut = 1_790_000_120;
  await pipeline.feed(received(incidentMessage({ id: 6, ut }, { confirmation: 'confirmed' })));
  await pipeline.settled();
  await expireAll(`${pipeline.connection.prefix}match-transitions`);
  await expect(startApi(pipeline.connection, folder)).rejects.toThrow(
    /match-transitions-\d+ lost the records from \d+ to \d+ before they were read/,
  );
  const third = await startApi(pipeline.connection, folder);
  expect(third.service.log).toContain('rebuilds the views');
  wanted = await third.season(token);
  expect(await third.service.stop()).toBe(0);

  rmSync(join(folder, 'api'), { recursive: true });
  const rebuilt = await startApi(pipeline.connection, folder);
  expect(readdirSync(join(folder, 'api'))).toContain('views.sqlite');
  expect(await rebuilt.season(token)).toEqual(wanted);
  expect(await rebuilt.service.stop()).toBe(0);

  // 500, server error: the replica whose views are damaged ends.
  const damaged = await startApi(pipeline.connection, folder);
  damage(join(folder, 'api'));
  const response = await damaged.get(`/v2/events/${EVENT}?token=${token}`);
  const body = await response.text();
  expect(response.status, body).toBe(500);
  expect(answerError.parse(JSON.parse(body)).api.error).toEqual({
    message: 'Server error',
    internal_code: 5,
  });
  expect(body).not.toMatch(/sql|database|malformed|\/|node/i);
  await untilTrue('the replica has ended', () => damaged.service.exited);
  expect(damaged.service.lines.join('\n')).toContain('a request failed');
  const mended = await startApi(pipeline.connection, folder);
  expect(mended.service.log).toContain('"why":"it is empty"');
  expect(await mended.season(token)).toEqual(wanted);
  expect(await mended.service.stop()).toBe(0);
  expect(readFileSync(join(folder, 'api', 'views.mark'), 'utf8')).toMatch(/^sha256:/);
});
