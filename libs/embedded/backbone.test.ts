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

test.each([
  [`${URL}/`, URL, URL],
  ['https://me:x@registry/v7?token=x', 'https://me:x@registry/v7?token=x', 'https://registry/v7'],
])('uses the configured broker and registry %s, and shows no password', async (given, registryUrl, shown) => {
  const env = { ...bare(), KAFKA_BROKERS: 'one:9092, two:9093,', SCHEMA_REGISTRY_URL: given };
  const why = `using one:9092,two:9093 and ${shown}, as configured`;
  const brokers = ['one:9092', 'two:9093'];
  expect(await start(env)).toMatchObject({ kind: 'configured', brokers, registryUrl, why });
  expect(configured({ KAFKA_BROKERS: ' ', SCHEMA_REGISTRY_URL: '' })).toBeUndefined();
});

test.each([{ KAFKA_BROKERS: 'one:9092' }, { SCHEMA_REGISTRY_URL: URL }])('rejects %o', (env) => {
  expect(() => configured(env)).toThrow('only one of KAFKA_BROKERS and SCHEMA_REGISTRY_URL is set');
});
