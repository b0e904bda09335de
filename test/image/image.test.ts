/** Tests of the image of the Dockerfile: its files, and every service started from it (`npm run verify:image`). */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '#embedded/ports.ts';
import { serviceNames } from '../../cli/services.ts';
import { backbone, type TestBackbone } from '../setup/backbone.ts';
import { composeServices } from '../support/compose-services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type BuiltImage, buildImage, missing } from './built-image.ts';
import { Container } from './container.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDERS = ['bin', 'cli', 'data', 'libs', 'node_modules', 'schemas', 'services'];
/** Matches files that a container does not need; Node runs no TypeScript of packages. */
const NEEDLESS =
  /\.(?:test|fixture)\.ts$|\.map$|^node_modules\/.*\.[cm]?ts$|^(?!node_modules).*\/(?:testing|histories)\//;
const PROVIDER = { REST_CLIENT_ID: '7', REST_SECRET_KEY: 'a secret of a provider' };
const GRACE_MS = 30_000;

const absent = missing();

/** Returns every file below a folder, relative to it. */
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));

describe.skipIf(absent.length > 0)(`the image; needs ${absent.join(', ') || 'nothing'}`, () => {
  let folder: string;
  let image: BuiltImage;
  let connection: TestBackbone;

  beforeAll(async () => {
    connection = backbone();
    folder = temporaryFolder();
    image = await buildImage(folder);
    process.stderr.write(`built on ${image.base}\n`);
  });

  test('has the files that run, and no others', () => {
    const app = join(image.files, 'app');
    expect(readdirSync(app).sort()).toEqual([...FOLDERS, 'LICENSE', 'package.json'].sort());
    const files = filesOf(app);
    expect(files.filter((file) => NEEDLESS.test(file))).toEqual([]);
    const tracked = new Set(execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n'));
    const own = files.filter((file) => !file.startsWith('node_modules/'));
    expect(own.filter((file) => !tracked.has(file))).toEqual([]);
    const bytes = files.reduce((sum, file) => sum + statSync(join(app, file)).size, 0);
    process.stderr.write(`${files.length} files of ours and of packages, ${Math.round(bytes / 1e6)} MB\n`);
  });

  test('has no package manager', async () => {
    for (const name of ['npm', 'npx', 'corepack', 'yarn', 'pnpm'])
      expect(await new Container(image, folder).run('which', name)).toMatchObject({ code: 1 });
  });

  test('runs without root, and writes only to its volumes', async () => {
    const container = new Container(image, folder);
    const write = (file: string) => container.run('node', '-e', `require('fs').writeFileSync('${file}', '')`);
    expect(await container.run('id', '-u')).toEqual({ code: 0, output: '1000\n' });
    for (const file of ['/app/x', '/app/libs/x', '/etc/x', '/x'])
      expect(await write(file)).toMatchObject({ code: 1, output: expect.stringContaining('EROFS') });
    for (const file of ['/data/x', '/tmp/x']) expect(await write(file)).toEqual({ code: 0, output: '' });
    const status = await container.run('grep', 'CapEff\\|CapBnd\\|NoNewPrivs', '/proc/self/status');
    expect(status.output.replaceAll(/\s+/g, ' ')).toBe(
      'CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1 ',
    );
  });

  test('prints its help without a command', async () => {
    const { Entrypoint } = image.config;
    const { code, output } = await new Container(image, folder).run(...Entrypoint, '--help');
    expect(code).toBe(0);
    for (const name of serviceNames()) expect(output).toContain(name);
  });

  test('starts every service as docker-compose.yml does, until ready, and stops it by SIGTERM', async () => {
    const ports = { provider: await freePort(), api: await freePort() };
    const variables = {
      WEBHOOK_SECRET: 'w'.repeat(32),
      CLIENTS_KEY: 'k'.repeat(32),
      PROVIDER_BASE_URL: `http://127.0.0.1:${ports.provider}`,
      PROVIDER_CLIENT_ID: PROVIDER.REST_CLIENT_ID,
      PROVIDER_SECRET_KEY: PROVIDER.REST_SECRET_KEY,
      UPSTREAM_BASE_URL: `http://127.0.0.1:${ports.api}`,
      TOPIC_PREFIX: connection.prefix,
    };
    const ours = Object.entries(composeServices(variables)).filter(([, { build }]) => build !== undefined);
    const contained = (settings: Readonly<Record<string, string>>) =>
      new Container(image, folder, {
        ...settings,
        KAFKA_BROKERS: connection.brokers.join(),
        SCHEMA_REGISTRY_URL: connection.registryUrl,
        LISTEN_HOST: '127.0.0.1',
        METRICS_HOST: '127.0.0.1',
      });
    const topics = await contained({ TOPIC_PREFIX: connection.prefix }).run(
      ...image.config.Entrypoint,
      'topics',
    );
    expect(topics).toMatchObject({ code: 0 });
    const rest = {
      ...PROVIDER,
      REST_PORT: String(ports.provider),
      METRICS_PORT: '0',
      DATASET: 'world-cup-2018',
    };
    const running = [
      { name: 'simulator', service: await contained({ ...rest, MATCHES: '1' }).start('simulator') },
    ];
    for (const [name, { environment = {}, command = [] }] of ours) {
      if (name === 'topics') continue;
      const metricsPort = String(await freePort());
      const listens = Object.keys(environment).filter((setting) => setting.endsWith('_PORT'));
      const free = Object.fromEntries(listens.map((setting) => [setting, '0']));
      const settings = { ...environment, ...free, METRICS_PORT: metricsPort };
      const own = name === 'api' ? { ...settings, API_PORT: String(ports.api) } : settings;
      running.push({ name, service: await contained(own).start(...command) });
    }
    expect(running.map(({ name }) => name).sort()).toEqual(serviceNames());
    for (const { service } of running) await service.ready();
    for (const { name, service } of running) {
      const begun = performance.now();
      expect([name, await service.stop()]).toEqual([name, 0]);
      expect(performance.now() - begun).toBeLessThan(GRACE_MS);
    }
  });
});
