import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { configured, startBackbone } from './backbone.ts';
import type { Env } from './settings.ts';
import { installProgram } from './testing/programs.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** The environment of a machine without any installation. */
const bare = (): Env => ({ PATH: folder, HOME: folder, DOCKER_HOST: `unix://${folder}/none.sock` });
const start = (env: Env) => startBackbone({ dataDir: join(folder, 'data'), env, onProgress: () => {} });

const program = (name: string, script: string) => installProgram(folder, name, script);

const URL = 'http://registry:8080/apis/ccompat/v7';
const NO_DOCKER = '(KAFKA_BROKERS is not set and no Docker engine answers; docs/guides/run-it.md)';
const ADVICE = 'or start Docker, or set KAFKA_BROKERS and SCHEMA_REGISTRY_URL';

test('returns the configured broker and registry, and starts nothing', async () => {
  const backbone = await start({ ...bare(), KAFKA_BROKERS: 'one:9092', SCHEMA_REGISTRY_URL: URL });
  expect(backbone).toMatchObject({ kind: 'configured', brokers: ['one:9092'], registryUrl: URL });
  expect(backbone.why).toBe(`using one:9092 and ${URL}, as configured`);
  await backbone.stop();
});

test('reports what to install without Java and Docker', async () => {
  await expect(start(bare())).rejects.toMatchObject({
    code: 'NO_BACKBONE',
    message: `no Java found: install Java 17 or later and Maven, ${ADVICE} ${NO_DOCKER}`,
    cause: { code: 'JAVA_MISSING' },
  });
});

test('reports an engine that cannot start containers, and starts the embedded broker instead', async () => {
  await program('docker', '[ "$1" = version ] && exit 0; echo "no such image" >&2; exit 1');
  await expect(start(bare())).rejects.toMatchObject({
    code: 'NO_BACKBONE',
    message: expect.stringContaining(
      '(Docker runs but cannot be used (docker compose ps failed: no such image);',
    ),
  });
});

test('returns brokers and registry if both are set, and undefined if neither is', () => {
  expect(configured({})).toBeUndefined();
  expect(configured({ KAFKA_BROKERS: ' ', SCHEMA_REGISTRY_URL: '' })).toBeUndefined();
  expect(configured({ KAFKA_BROKERS: 'one:9092, two:9093,', SCHEMA_REGISTRY_URL: `${URL}/` })).toMatchObject({
    brokers: ['one:9092', 'two:9093'],
    registryUrl: URL,
    why: `using one:9092,two:9093 and ${URL}, as configured`,
  });
});

test('uses a password in an address but does not show it', () => {
  const url = 'https://me:hidden@registry/v7?token=hidden';
  const given = configured({ KAFKA_BROKERS: 'one:9092', SCHEMA_REGISTRY_URL: url });
  expect(given?.registryUrl).toBe(url);
  expect(given?.why).toBe('using one:9092 and https://registry/v7, as configured');
});

test.each([
  [{ KAFKA_BROKERS: 'one:9092' }, 'KAFKA_BROKERS is set but SCHEMA_REGISTRY_URL is not: set both or none'],
  [{ SCHEMA_REGISTRY_URL: URL }, 'SCHEMA_REGISTRY_URL is set but KAFKA_BROKERS is not: set both or none'],
])('rejects %o', (env, message) => {
  expect(() => configured(env)).toThrow(expect.objectContaining({ code: 'CONFIG_INCOMPLETE', message }));
});
