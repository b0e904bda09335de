import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { startServer } from './server.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** Returns a server that is this line of shell. */
function serverOf(script: string) {
  const outputFile = join(folder, 'server.out');
  const env = { PATH: process.env.PATH };
  return {
    name: 'server',
    process: { command: '/bin/sh', args: ['-c', script], env, outputFile, graceSeconds: 1 },
    logFile: outputFile,
    ready: async () => true,
    readyTimeoutMs: 10_000,
    stopTimeoutMs: 5_000,
  };
}

test('a server that ends while it starts for lack of something has one line that says so', async () => {
  const script = 'echo "java.io.IOException: No space left on device"; echo "  at a.B.c"; exit 1';
  const starting = startServer({ ...serverOf(script), ready: async () => false });
  await expect(starting).rejects.toThrow(
    `the server ended while starting (code 1): the disk is full: free space on it (${folder})`,
  );
});

test('a server that ends while it starts for another reason shows the end of its log', async () => {
  const starting = startServer({ ...serverOf('echo why; exit 1'), ready: async () => false });
  await expect(starting).rejects.toThrow('the server ended while starting (code 1):\nwhy\n');
});

test('says how a server ended, and what it lacked', async () => {
  const full = await startServer(serverOf('sleep 0.2; echo "Read-only file system"; exit 3'));
  expect(await full.endText()).toBe(
    `ended with exit code 3: the file system is read-only: mount it writable (${folder})`,
  );
  const other = await startServer(serverOf('sleep 0.2; exit 3'));
  expect(await other.endText()).toBe('ended with exit code 3');
});

test('stops a server whose process cannot be noted', async () => {
  let pid = 0;
  const starting = startServer({
    ...serverOf('sleep 60'),
    async onSpawned(spawned) {
      pid = spawned;
      throw new Error('no room for the note');
    },
  });
  await expect(starting).rejects.toThrow('no room for the note');
  await vi.waitUntil(() => !existsSync(`/proc/${pid}`));
});
