import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { composeUp, findEngine } from './backbone.ts';
import { installProgram } from './testing/programs.ts';

const ENGINE = 'unix:///run/docker.sock';
let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

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
