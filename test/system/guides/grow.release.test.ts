/** Runs the blocks of the page Grow in order: from `up` to processes, to three brokers with TLS, to two apis. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { topicBounds } from '#cluster/logs.ts';
import { freePort } from '#embedded/ports.ts';
import { QUICK_START } from '#embedded/settings.ts';
import { type KafkaCluster, startKafkaCluster } from '#embedded/testing/cluster.ts';
import { securedListeners } from '#embedded/testing/secured-listeners.ts';
import { TOPIC_NAMES, topicName } from '#topics/topics.ts';
import { backbone, type TestBackbone } from '../../setup/backbone.ts';
import { atEnd } from '../../support/at-end.ts';
import { writeCertificate, writeText } from '../../support/certificates.ts';
import { ANY_PORTS, connectionEnv } from '../../support/environment.ts';
import { mirrorMaker } from '../../support/kafka-scripts.ts';
import { startOwnRegistry } from '../../support/own-kafka.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { readRecords } from '../../support/read-records.ts';
import { runBlock, startBlock } from '../../support/runbook.ts';
import { brokerCertificates } from '../../support/secured-kafka.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { touchline } from '../demo/platform.ts';

// 400 s at load 20.
vi.setConfig({ testTimeout: 1_800_000 });

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/guides/grow.md'), 'utf8');
const BLOCK = /^ *```(?:sh|properties) grow\n([\s\S]*?)^ *```$/gm;
const PARTITIONS = 2;
/** Competition and season of the two played data sets. */
const CUP = { dataset: 'world-cup-2018', competition: 3100, season: 31_018 };
const LEAGUE = { dataset: 'england-2017-18', competition: 3200, season: 32_017 };
const USUAL = /\btouchline(\\\\)?\.(?=[ .]| |$|\*)/gm;

type Env = Readonly<Record<string, string>>;

function blocks(): { next(): string; readonly left: number } {
  const all = [...PAGE.matchAll(BLOCK)].map(([, block = '']) => block.replaceAll(/^ {3}/gm, ''));
  return {
    next: () => all.shift() ?? expect.fail('the page has no further block'),
    get left() {
      return all.length;
    },
  };
}

async function succeeds(block: string, env: Env, folder?: string): Promise<string> {
  const { code, out, err } = await runBlock(block, env, folder);
  expect(code, `${block}\n${out.slice(-3_000)}${err}`).toBe(0);
  return out;
}

async function ask(url: string, path: string) {
  const response = await fetch(url + path);
  return { status: response.status, api: JSON.parse(await response.text()).api };
}

/** Returns the events of a season, as a client sees them; waits for an api that starts. */
function events(url: string, season: number, token: string): Promise<unknown> {
  return until('the api answers', async () => {
    const { status, api } = await ask(url, `/v2/events?season_id=${season}&token=${token}`).catch(() => ({
      status: 0,
      api: null,
    }));
    return status === 200 ? api.data : undefined;
  });
}

/** Plays matches under a `touchline up`. Returns a client's token, and what the client sees. */
async function playUnderUp(connection: TestBackbone, DATA_DIR: string) {
  const port = await freePort();
  const up = touchline(['up'], {
    ...connectionEnv(connection),
    DATA_DIR,
    TOPIC_PARTITIONS: String(PARTITIONS),
    WEBHOOK_SECRET: '',
    ...ANY_PORTS,
    API_PORT: String(port),
  });
  const [, url = ''] = await up.says(/Webhook +POST (\S+)/);
  const [, id = '', secret = ''] = await up.says(/Client +id (\d+), secret key (\w+)/);
  await up.says('Ctrl-C stops everything');
  const WEBHOOK_SECRET = readFileSync(join(DATA_DIR, 'webhook-secret'), 'utf8').trim();
  for (const { dataset } of [CUP, LEAGUE])
    await succeeds('npx touchline simulator', {
      WEBHOOK_URL: url,
      WEBHOOK_SECRET,
      DATASET: dataset,
      MATCHES: '3',
      SPEED: 'max',
    });
  for (const processor of ['match-processor', 'standings-processor'])
    await untilTrue(`${processor} is behind nothing`, async () => {
      const shown = await succeeds(`npx touchline position ${processor}`, { DATA_DIR });
      return shown
        .trim()
        .split('\n')
        .slice(1)
        .every((row) => / 0$/.test(row));
    });
  const api = `http://127.0.0.1:${port}`;
  const granted = await ask(api, `/v2/oauth?client_id=${id}&secret_key=${secret}`);
  const token: string = granted.api.data.token;
  const seen = await untilAllFinished(api, token);
  up.child.kill('SIGTERM');
  expect(await up.end()).toBe(0);
  return { token, seen };
}

/** Returns the events of both seasons once the views have the end of all matches. */
async function untilAllFinished(api: string, token: string): Promise<Record<number, unknown>> {
  return until('all matches are finished', async () => {
    const cup = await events(api, CUP.season, token);
    const league = await events(api, LEAGUE.season, token);
    const types = JSON.stringify([cup, league]).match(/"status_type":"(\w+)"/g) ?? [];
    return types.length >= 6 && types.every((type) => type.includes('finished'))
      ? { [CUP.season]: cup, [LEAGUE.season]: league }
      : undefined;
  });
}

async function mirrored({ brokers, prefix }: TestBackbone, cluster: KafkaCluster): Promise<void> {
  for (const name of TOPIC_NAMES) {
    const topic = topicName(prefix, name);
    const records = (await readRecords(brokers, topic)).length;
    await untilTrue(`${topic} is copied`, async () => {
      const copied = await topicBounds({ brokers: cluster.brokers, clientId: 'test' }, [topic]).catch(
        () => [],
      );
      return copied.length > 0 && copied.reduce((sum, { start, end }) => sum + end - start, 0) >= records;
    });
  }
}

test('a platform grows from up to three brokers with TLS and two apis, with its data and clients', async () => {
  const page = blocks();
  const old = backbone();
  const DATA_DIR = temporaryFolder();
  const { token, seen } = await playUnderUp(old, DATA_DIR);

  // Processes of their own.
  const secrets = page.next();
  const port = await freePort();
  const ports = { API_PORT: String(port), WEBHOOK_PORT: '0', METRICS_PORT: '0' };
  const own = { ...connectionEnv(old), ...ports, DATA_DIR, TOPIC_PARTITIONS: String(PARTITIONS) };
  const processes = startBlock(`${secrets}\n${page.next()}`, own);
  expect(await untilAllFinished(`http://127.0.0.1:${port}`, token)).toEqual(seen);
  await succeeds(page.next(), own);
  await processes.stop();

  // Three brokers with TLS.
  const { folder, authority, tls, ca } = await brokerCertificates();
  const cluster = await startKafkaCluster({
    dataDir: join(folder, 'cluster'),
    ...securedListeners({ tls, users: {} }),
    jvmArgs: QUICK_START,
  });
  atEnd(() => cluster.stop());
  const pair = await authority.sign('touchline');
  const { cert, key } = writeCertificate(folder, 'touchline', pair);
  const NEW_BROKERS = cluster.nodes.map(({ ports }) => `127.0.0.1:${ports.TLS}`).join(',');
  const values: Env = {
    OLD_BROKERS: old.brokers.join(','),
    NEW_BROKERS,
    CA_FILE: ca,
    CERTIFICATE_WITH_KEY_FILE: writeText(folder, 'both.pem', `${pair.key}\n${pair.cert}`),
  };
  // The page copies the topics of the usual prefix.
  const placed = (block: string): string =>
    block.replaceAll(USUAL, (_, escaped = '') => `${old.prefix.slice(0, -1)}${escaped}.`);
  const properties = placed(page.next()).replaceAll(/\$\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  writeFileSync(join(folder, 'mirror.properties'), properties);
  const mirror = startBlock(`PATH="$PATH:${await mirrorMaker()}"\n${page.next().trim()} &`, {}, folder);
  await mirrored(old, cluster).catch((error: unknown) =>
    expect.fail(`${error}\n${mirror.text.slice(-5_000)}`),
  );
  await mirror.stop();
  const registry = await startOwnRegistry(cluster.brokers, join(folder, 'registry'));
  const grown = {
    KAFKA_BROKERS: NEW_BROKERS,
    KAFKA_TLS: 'on',
    KAFKA_TLS_CA_FILE: ca,
    KAFKA_TLS_CERT_FILE: cert,
    KAFKA_TLS_KEY_FILE: key,
    SCHEMA_REGISTRY_URL: registry.url,
    TOPIC_PREFIX: old.prefix,
    TOPIC_PARTITIONS: String(PARTITIONS),
    METRICS_PORT: '0',
  };
  await succeeds(page.next(), grown);
  expect(await succeeds(placed(page.next()), grown)).toContain('the same (level log)');
  const doctor = await succeeds(page.next(), grown);
  expect(doctor).toMatch(/ok +broker +3 answer/);
  expect(doctor).not.toMatch(/^failed/m);

  // Several apis.
  const [FIRST_PORT, SECOND_PORT] = [String(await freePort()), String(await freePort())];
  startBlock(`${secrets}\n${page.next()}`, {
    ...grown,
    TOPIC_PREFIX: 'grown.',
    DATA_DIR,
    FIRST_PORT,
    SECOND_PORT,
  });
  for (const [at, own_, other] of [
    [FIRST_PORT, CUP, LEAGUE],
    [SECOND_PORT, LEAGUE, CUP],
  ] as const) {
    const url = `http://127.0.0.1:${at}`;
    expect(await events(url, own_.season, token)).toEqual(seen[own_.season]);
    const elsewhere = await ask(url, `/v2/events?season_id=${other.season}&token=${token}`);
    expect(elsewhere).toMatchObject({ status: 404, api: { error: { internal_code: 8 } } });
  }
  expect(page.left).toBe(0);
});
