/** Services and a broker that run out of file descriptors or of disk: a clear line, nothing lost, and recovery when there is room. */
import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startKafka } from '#embedded/kafka.ts';
import { QUICK_START } from '#embedded/settings.ts';
import { incidentMessage } from '#ingestion/testing/messages.ts';
import { signatureHeaders } from '#signing/signing.ts';
import { startApi } from '../../support/api.ts';
import { atEnd } from '../../support/at-end.ts';
import { mountDisk } from '../../support/disk.ts';
import { untilTrue } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';
import { System, WEBHOOK_SECRET } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MIB = 1024 * 1024;
const DISK_BYTES = 192 * MIB;
const EVENT = 7_000_000;
const STARVED_MS = 8_000;
const NO_MORE_FILES = 3;
const ENOUGH_FILES = 1_024;

const mayLimit = spawnSync('prlimit', ['--version']).status === 0;

/** Sends a delivery with one incident of an event of its own. Returns whether it was accepted. */
async function deliver(url: string, id: number): Promise<boolean> {
  const message = incidentMessage({ id }, { id: `5-${id}` }, { id: EVENT + id });
  const body = Buffer.from(JSON.stringify([message]));
  const headers = {
    'content-type': 'application/json',
    ...signatureHeaders(body, WEBHOOK_SECRET, Date.now()),
  };
  const signal = AbortSignal.timeout(5_000);
  return fetch(url, { method: 'POST', headers, body, signal }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** Repeats a delivery until it is accepted, and adds its id to `accepted`. */
async function untilAccepted(url: string, accepted: number[], id: number): Promise<void> {
  await untilTrue('a delivery is accepted again', () => deliver(url, id));
  accepted.push(id);
}

/** Sets how many files and connections a process may have open: with three it can open none. */
function limitFiles({ pid }: TestService, limit: number): void {
  const done = spawnSync('prlimit', [`--pid=${pid}`, `--nofile=${limit}:`]);
  if (done.status !== 0) throw new Error(String(done.stderr));
}

/** Expects each accepted message in the topics of matches, and no change twice. */
async function expectAll(system: System, accepted: readonly number[]): Promise<void> {
  const { incidents, transitions } = await system.output();
  expect(accepted.filter((id) => !incidents.has(`${EVENT + id}/5-${id}`))).toEqual([]);
  const changes = transitions.map(({ event_id, version, n }) => `${event_id}/${version}/${n}`);
  expect(changes.length).toBe(new Set(changes).size);
}

test.runIf(mayLimit)(
  'services without descriptors say so, lose nothing, and go on when they get some (needs prlimit)',
  async () => {
    const kafka = await startKafka({ jvmArgs: QUICK_START, dataDir: temporaryFolder() });
    atEnd(() => kafka.stop());
    const system = await System.create([...kafka.brokers]);
    const receiver = await system.startReceiver({ PATIENCE_MS: '2000' });
    const api = await startApi(system.pipeline.place, temporaryFolder());
    const services = { receiver: receiver.service, processor: system.processor, api: api.service };
    const accepted: number[] = [];
    for (let id = 0; id < 5; id += 1) if (await deliver(receiver.url, id)) accepted.push(id);
    expect(accepted).toHaveLength(5);
    for (const service of Object.values(services)) limitFiles(service, NO_MORE_FILES);
    // Each connection to the broker ends, and no other can be opened.
    await kafka.kill();
    await kafka.start();
    const until = performance.now() + STARVED_MS;
    for (let id = 5; performance.now() < until; id += 1) {
      if (await deliver(receiver.url, id)) accepted.push(id);
      await delay(200);
    }
    for (const { exited, log } of Object.values(services)) expect(exited, log).toBe(false);
    for (const { lines } of [services.receiver, services.processor])
      expect(lines.some((line) => line.includes('EMFILE'))).toBe(true);
    for (const service of Object.values(services)) limitFiles(service, ENOUGH_FILES);
    await untilAccepted(receiver.url, accepted, 1_000);
    await expectAll(system, accepted);
  },
);

test('a broker whose disk is full ends, and all that was accepted is there when it has room (needs the right to mount)', async ({
  skip,
}) => {
  const dataDir = temporaryFolder();
  if (!mountDisk(dataDir, DISK_BYTES)) return skip();
  const kafka = await startKafka({ jvmArgs: QUICK_START, dataDir });
  atEnd(() => kafka.stop());
  const system = await System.create([...kafka.brokers]);
  const receiver = await system.startReceiver({ PATIENCE_MS: '2000' });
  const accepted: number[] = [];
  for (let id = 0; id < 5; id += 1) if (await deliver(receiver.url, id)) accepted.push(id);
  const filling = join(dataDir, 'filling');
  const { bavail, bsize } = statfsSync(dataDir);
  // The broker writes meanwhile: less than a segment's indexes is left.
  writeFileSync(filling, Buffer.alloc(bavail * bsize - MIB));
  let refused = 0;
  for (let id = 5; id < 5_000 && refused < 3; id += 1) {
    if (await deliver(receiver.url, id)) accepted.push(id);
    else refused += 1;
  }
  expect(refused).toBe(3);
  rmSync(filling);
  await kafka.kill().catch(() => {});
  await kafka.start();
  await untilAccepted(receiver.url, accepted, 10_000);
  await expectAll(system, accepted);
});
