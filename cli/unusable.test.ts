import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { atEnd } from '../test/support/at-end.ts';
import { commandLine, serviceProgram } from '../test/support/bundled.ts';
import { bareEnvironment } from '../test/support/environment.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { touchline, written } from '../test/support/touchline.ts';
import { API_AND_TOOLS } from './services.ts';

/** Settings with which every service starts up to its first question to a broker. */
const SETTINGS = {
  KAFKA_BROKERS: '127.0.0.1:9',
  SCHEMA_REGISTRY_URL: 'http://127.0.0.1:9',
  CLIENTS_KEY: 'a'.repeat(43),
  WEBHOOK_SECRET: 'abcdefghijklmnopqrstuvwxyz012345',
  METRICS_PORT: '0',
};

/** A folder with a file `file`, below which no folder can be created. */
let base: string;
beforeAll(() => {
  base = temporaryFolder();
  writeFileSync(join(base, 'file'), '');
});

test.each([
  ['up', 'file/data'],
  ['api', '/proc/x'],
])('%s with a data folder that cannot be created, %s, ends and names DATA_DIR', async (name, folder) => {
  const run = touchline([name], { ...SETTINGS, DATA_DIR: resolve(base, folder) });
  expect(await run.ended).toBe(1);
  expect(run.err).toMatch(/cannot be written \(E\w+: .*\): set DATA_DIR to a folder/);
  expect(run.err).not.toMatch(/^ +at /m);
});

test('api and tool gateway in one process name the wrong settings of both at once', () => {
  const env = { ...bareEnvironment(), ...SETTINGS, API_PORT: 'x', MCP_ALLOWED_HOSTS: 'http://a' };
  const { status, stderr } = spawnSync(process.execPath, [serviceProgram(API_AND_TOOLS)], { env });
  expect([status, String(stderr)]).toEqual([
    2,
    'api-and-tools: These settings are wrong:\n' +
      '  MCP_ALLOWED_HOSTS: must be names without scheme and port, is "http://a"\n' +
      '  API_PORT: must be a whole number from 0 to 65535, is "x"\n' +
      'See touchline api --help, touchline tool-gateway --help.\n',
  ]);
});

test.runIf(process.platform === 'linux')(
  'a command whose output has no room says so, and fails',
  async () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [commandLine(), 'version'], {
      env: bareEnvironment(),
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    expect([status, String(stderr)]).toEqual([
      1,
      'touchline: the output cannot be written: ENOSPC: no space left on device, write: the disk is full: free space on it\n',
    ]);
  },
);

test('a command names the brokers within seconds when their port accepts and never answers', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  atEnd(() => server.close());
  const broker = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const run = touchline(['tail', 'match-state'], { ...SETTINGS, KAFKA_BROKERS: broker });
  await written(run, `warning: no broker answers at ${broker}\n`);
  expect(run.child.exitCode).toBeNull();
});
