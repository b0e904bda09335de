import { existsSync } from 'node:fs';
import { beforeEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { Server, type ServerSpec } from './server.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** Returns a server that is this line of shell. */
function serverOf(script: string, spec: Partial<ServerSpec> = {}): Server {
  const env = { PATH: process.env.PATH };
  const command = { command: '/bin/sh', args: ['-c', script], env, port: 0 };
  return new Server({ name: 'server', log: 'server', folder, ...command, ready: async () => true, ...spec });
}

const ready = async () => false;

test.each([
  [
    'echo "java.io.IOException: No space left on device"; echo "  at a.B.c"; exit 1',
    'the server ended with exit code 1 while it started: the disk is full: free space on it (FOLDER)',
  ],
  ['echo why; exit 1', 'the server ended with exit code 1 while it started:\nwhy\n'],
])('says why a server ended that starts: %s', async (script, why) => {
  await expect(serverOf(script, { ready }).start()).rejects.toThrow(why.replace('FOLDER', folder));
});

test.each([
  [
    'sleep 0.2; echo "Read-only file system"; exit 3',
    'ended with exit code 3: the file system is read-only: mount it writable (FOLDER)',
  ],
  ['sleep 0.2; exit 3', 'ended with exit code 3'],
])('says how a server ended, and what it lacked: %s', async (script, how) => {
  const server = serverOf(script);
  await server.start();
  expect(await server.endText()).toBe(how.replace('FOLDER', folder));
});

test('stops a server whose process cannot be noted, and one whose start is aborted', async () => {
  const pids: number[] = [];
  const onSpawned = async (pid: number): Promise<void> => {
    pids.push(pid);
    if (pids.length === 1) throw new Error('no room for the note');
  };
  const server = serverOf('exec sleep 60', { ready, onSpawned });
  await expect(server.start()).rejects.toThrow('no room for the note');
  await expect(server.start(AbortSignal.timeout(100))).rejects.toThrow('was ended by SIGTERM');
  await vi.waitUntil(() => pids.every((pid) => !existsSync(`/proc/${pid}`)));
  await server.stop();
  await expect(server.start()).rejects.toThrow('the server was stopped: start a new one');
});
