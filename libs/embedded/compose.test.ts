import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { composeUp } from './docker.ts';
import { installProgram } from './testing/programs.ts';

const ENGINE = { address: 'unix:///run/docker.sock', local: true };
let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
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
  'stops the services it has started when one fails to start; %s ran before',
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
