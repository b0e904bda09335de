import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { composeUp, configured, findEngine, startBackbone } from './backbone.ts';
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

const ENGINE = 'unix:///run/docker.sock';

test('finds the engine that docker reaches, and none where there is neither', async () => {
  expect(await findEngine({ PATH: folder })).toBeUndefined();
  await installProgram(folder, 'docker', 'test "$DOCKER_HOST" != "unix:///nowhere"');
  expect(await findEngine({ PATH: folder, DOCKER_HOST: 'unix:///nowhere' })).toBeUndefined();
  expect(await findEngine({ PATH: folder, DOCKER_HOST: ENGINE })).toBe(ENGINE);
  expect(await findEngine({ PATH: folder })).toBe('its default socket');
});

test.each(['tcp://elsewhere:2375', 'ssh://me@elsewhere'])('starts nothing at %s', async (engine) => {
  await expect(composeUp(engine, { PATH: folder })).rejects.toMatchObject({
    code: 'DOCKER_FAILED',
    message: expect.stringContaining(`${engine} is not on this machine`),
  });
});

/** Installs a `docker` that records its arguments, lists `running` services, and runs the script `up` for `up`. */
async function fakeDocker({ running, up }: { running: string; up: string }): Promise<Record<string, string>> {
  const script = `
    shift 3
    echo "$@" >> "$HERE/calls"
    case $1 in ps) echo "${running}";; up) ${up};; esac`;
  await installProgram(folder, 'docker', script);
  return { PATH: `${folder}:/usr/bin:/bin`, HERE: folder };
}

const stopped = async (): Promise<string[]> =>
  (await readFile(join(folder, 'calls'), 'utf8')).split('\n').filter((line) => line.startsWith('stop '));

test.each([
  ['none', '', ['stop registry', 'stop kafka']],
  ['the broker', 'kafka', ['stop registry']],
])(
  'stops what it has started when a service fails to start; %s ran before',
  async (_name, running, expected) => {
    const env = await fakeDocker({ running, up: 'echo "port is already allocated" >&2; exit 1' });
    await expect(composeUp(ENGINE, env)).rejects.toMatchObject({
      code: 'DOCKER_FAILED',
      message: 'docker compose up failed: port is already allocated',
    });
    expect(await stopped()).toEqual(expected);
  },
);

test('stops only services that did not run before', async () => {
  const env = await fakeDocker({ running: 'registry', up: 'exit 0' });
  const containers = await composeUp(ENGINE, env);
  expect(await stopped()).toEqual([]);
  await containers.stop();
  expect(await stopped()).toEqual(['stop kafka']);
});
