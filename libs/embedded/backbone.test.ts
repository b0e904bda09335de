import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { startBackbone } from './backbone.ts';
import { installLines, osRelease } from './install-lines.ts';
import type { Env } from './settings.ts';
import { installProgram } from './testing/programs.ts';

let folder: string;
let engine: Server | undefined;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  engine?.close();
});

/** The environment of a machine without any installation. */
const bare = (): Env => ({ PATH: folder, HOME: folder, DOCKER_HOST: `unix://${folder}/none.sock` });
const start = (env: Env) => startBackbone({ dataDir: join(folder, 'data'), env, onProgress: () => {} });

const program = (name: string, script: string) => installProgram(folder, name, script);

const INSTALL = installLines(osRelease()).join('\n');
const NO_DOCKER = '(KAFKA_BROKERS is not set and no Docker engine answers)';
const ADVICE = 'or start Docker, or set KAFKA_BROKERS and SCHEMA_REGISTRY_URL';

test('returns the configured broker and registry, and starts nothing', async () => {
  const url = 'http://registry:8080/apis/ccompat/v7';
  const backbone = await start({ ...bare(), KAFKA_BROKERS: 'one:9092', SCHEMA_REGISTRY_URL: url });
  expect(backbone).toMatchObject({ kind: 'configured', brokers: ['one:9092'], registryUrl: url });
  expect(backbone.why).toBe(`using one:9092 and ${url}, as configured`);
  await backbone.stop();
});

test('reports what to install without Java and Docker, with the command of this platform', async () => {
  await expect(start(bare())).rejects.toMatchObject({
    code: 'NO_BACKBONE',
    message: `no Java found: install Java 17 or later and Maven, ${ADVICE} ${NO_DOCKER}\n${INSTALL}`,
    cause: { code: 'JAVA_MISSING' },
  });
});

test('reports an engine that cannot start containers, and starts the embedded broker instead', async () => {
  const socket = join(folder, 'engine.sock');
  engine = createServer((_request, response) => response.end('OK')).listen(socket);
  await once(engine, 'listening');
  await program('docker', 'echo "no such image" >&2; exit 1');
  await expect(start({ ...bare(), DOCKER_HOST: `unix://${socket}` })).rejects.toMatchObject({
    code: 'NO_BACKBONE',
    message: expect.stringContaining(
      '(Docker runs but cannot be used (docker compose ps failed: no such image))',
    ),
  });
});
