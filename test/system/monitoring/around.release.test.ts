/** Tests that alerts on the surroundings of a system fire: certificate, disk, answers, credentials. */
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { generate } from 'selfsigned';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ClientDirectory } from '#clients/directory.ts';
import { hashSecret, newSecret } from '#clients/secret.ts';
import { eventMessage, incidentMessage } from '#ingestion/testing/messages.ts';
import { normalized } from '#ingestion/testing/normalized.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { backbone } from '../../setup/backbone.ts';
import { type ApiReplica, startApi } from '../../support/api.ts';
import { mountDisk } from '../../support/disk.ts';
import { connectionEnv } from '../../support/environment.ts';
import { quietLog } from '../../support/log.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import { startService } from '../../support/processes.ts';
import { hasPrometheus, Prometheus } from '../../support/prometheus.ts';
import { publishValues } from '../../support/publish-values.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const DISK_BYTES = 64 * 1024 * 1024;
const DAY_MS = 86_400_000;
/** Number of parallel requests. */
const ASKED_AT_ONCE = 8;
/** Number of messages in the feed, so that an answer takes the api some time. */
const FEED = 1_000;
const CLIENT = 1;
const BROKEN_TABLE = 1;
/** Duration of a pause, longer than the limit of an answer, milliseconds. */
const STOPPED_MS = 1_500;

/** Returns the messages of one match with many incidents, dated now. */
function feedMessages(): NormalizedMessage[] {
  const ut = Math.floor(Date.now() / 1000);
  return Array.from({ length: FEED }, (_, id) => {
    const event = { id: 1, competition_id: 1, season_id: 1, status_id: 34, status_type: 'live' };
    const incident = { id: `5-${id}`, incident_id: 400, confirmation: 'confirmed', event_status_id: 34 };
    const sent = id === 0 ? eventMessage({ id, ut }, event) : incidentMessage({ id, ut }, incident, event);
    return normalized(sent, ut * 1_000);
  });
}

/** Sends requests repeatedly until `signal` aborts. */
async function askUntil(api: ApiReplica, path: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted)
    await api.get(path).then(
      (response) => response.text(),
      () => {},
    );
}

describe.skipIf(!hasPrometheus)('what is around a system (needs prometheus)', () => {
  const connection = backbone();
  const dataDir = temporaryFolder();
  const tls = temporaryFolder();
  const secret = newSecret();
  let hasDisk = false;
  let api: ApiReplica;
  let prometheus: Prometheus;

  async function writeCertificate(days: number): Promise<void> {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
      keyType: 'ec',
      notAfterDate: new Date(Date.now() + days * DAY_MS),
    });
    writeFileSync(join(tls, 'key.pem'), key);
    writeFileSync(join(tls, 'cert.pem'), cert);
  }

  /** Publishes a table whose body is no JSON, which no standings processor writes: a request for it is answered 500. */
  async function publishBrokenTable(): Promise<void> {
    const value = {
      standings_id: BROKEN_TABLE,
      version: 1,
      type_id: 2,
      object_type: 'season',
      object_id: 1,
      competition_id: 1,
      season_id: 1,
      body: '{',
      later: [],
      ut: 1,
      cause: null,
    };
    await publishValues(connection, 'standings', [{ key: String(BROKEN_TABLE), value }]);
  }

  beforeAll(async () => {
    hasDisk = mountDisk(dataDir, DISK_BYTES);
    const pipeline = await Pipeline.create(connection);
    const feed = await pipeline.openFeed();
    const processor = pipeline.startProcessor();
    await feed.send(feedMessages());
    await pipeline.settled();
    await Promise.all([processor.stop(), feed.close()]);
    await writeCertificate(90);
    await ClientDirectory.open({ ...connection, log: quietLog }).edit(CLIENT, () => ({
      client_id: CLIENT,
      name: `client ${CLIENT}`,
      active: true,
      secret_hash: hashSecret(secret),
      operations: null,
      competitions: null,
      webhooks: [],
    }));
    await publishBrokenTable();
    const receiver = startService('webhook-receiver', {
      ...connectionEnv(connection),
      WEBHOOK_PORT: '0',
      WEBHOOK_SECRET: 's'.repeat(32),
      HTTP_TLS_CERT_FILE: join(tls, 'cert.pem'),
      HTTP_TLS_KEY_FILE: join(tls, 'key.pem'),
    });
    api = await startApi(connection, dataDir);
    await untilTrue('the receiver listens', () => receiver.lines.some((line) => line.includes('"started"')));
    prometheus = await Prometheus.start([
      ['api', api.service],
      ['webhook-receiver', receiver, 'https'],
    ]);
  });

  test('alerts on a certificate that expires soon, until it is renewed', async () => {
    expect(await prometheus.firing('TouchlineCertificateExpires')).toEqual([]);
    await writeCertificate(3);
    await prometheus.fires('TouchlineCertificateExpires', { service: 'webhook-receiver' });
    await writeCertificate(90);
    await prometheus.quiet(['TouchlineCertificateExpires']);
  });

  test('alerts on a disk that fills (needs the right to mount)', async ({ skip }) => {
    if (!hasDisk) return skip();
    expect(await prometheus.firing('TouchlineDiskFills')).toEqual([]);
    const file = join(dataDir, 'full');
    const { bavail, bsize } = statfsSync(dataDir);
    writeFileSync(file, Buffer.alloc(Math.round(bavail * bsize - 0.07 * DISK_BYTES)));
    await prometheus.fires('TouchlineDiskFills', { service: 'api' });
    rmSync(file);
    await prometheus.quiet(['TouchlineDiskFills']);
  });

  test('alerts on refused guesses, failing answers and slow answers', async () => {
    const names = ['TouchlineCredentialsRefused', 'TouchlineAnswersFail', 'TouchlineAnswersSlow'];
    for (const name of names) expect(await prometheus.firing(name), name).toEqual([]);
    const token = await api.token(`client_id ${CLIENT} secret_key ${secret}`);
    const broken = `/v2/standings/${BROKEN_TABLE}?token=${token}`;
    await untilTrue('the table is known', async () => (await api.get(broken)).status === 500);
    const over = new AbortController();
    onTestFinished(() => over.abort());
    const askAll = (path: (n: number) => string, signal: AbortSignal) =>
      Promise.all(Array.from({ length: ASKED_AT_ONCE }, (_, n) => askUntil(api, path(n), signal)));
    const guessing = new AbortController();
    const guess = `/v2/oauth?client_id=${CLIENT}&secret_key=${secret}-not`;
    const guesses = askAll(
      (n) => (n === 0 ? broken : guess),
      AbortSignal.any([over.signal, guessing.signal]),
    );
    await prometheus.fires('TouchlineCredentialsRefused', { service: 'api' });
    await prometheus.fires('TouchlineAnswersFail', { service: 'api' });
    guessing.abort();
    await guesses;
    // The process hangs repeatedly while it answers.
    const reads = askAll(() => `/v2/feed?token=${token}`, over.signal);
    const slow = prometheus.fires('TouchlineAnswersSlow', { service: 'api' }).finally(() => over.abort());
    while (!over.signal.aborted) {
      api.service.signal('SIGSTOP');
      await delay(STOPPED_MS);
      api.service.signal('SIGCONT');
      await delay(STOPPED_MS / 3);
    }
    await Promise.all([slow, reads]);
  });
});
