/** An embedded broker whose disk is full, or becomes read-only: one clear line, nothing lost, and recovery. */
import { expect, test } from 'vitest';
import { type Backbone, startBackbone } from '#embedded/backbone.ts';
import { atEnd } from '../../support/at-end.ts';
import { FailingDisk, fillDisk, freeDisk } from '../../support/disk.ts';
import { untilTrue } from '../../support/poll.ts';
import { System } from '../../support/system.ts';
import { Deliveries } from './deliveries.ts';

const MIB = 1024 * 1024;
const DISK_BYTES = 384 * MIB;
/** The broker writes while the disk is filled: less than the indexes of a segment is left. */
const LEFT_BYTES = MIB;
const REFUSED = 3;

/** Starts an embedded broker with its data on a disk of its own, as `touchline up` does. */
async function startOn(disk: FailingDisk): Promise<{ backbone: Backbone; problems: string[] }> {
  const problems: string[] = [];
  // Nothing that leads to a configured broker, or to one in Docker.
  const { KAFKA_BROKERS: _, SCHEMA_REGISTRY_URL: __, ...env } = process.env;
  const backbone = await startBackbone({
    dataDir: disk.folder,
    env: { ...env, DOCKER_HOST: 'unix:///nowhere/docker.sock' },
    onProgress: () => {},
    onProblem: (line) => problems.push(line),
    isShort: true,
  });
  atEnd(() => backbone.stop());
  return { backbone, problems };
}

/** Starts a broker on the disk and a receiver, which has accepted some deliveries. */
async function startReceiving(disk: FailingDisk) {
  const { backbone, problems } = await startOn(disk);
  const system = await System.create({ brokers: backbone.brokers });
  const receiver = await system.startReceiver({ PATIENCE_MS: '2000' });
  const deliveries = new Deliveries(receiver.url);
  await deliveries.sendAll(5);
  return { backbone, problems, system, deliveries };
}

async function untilRefused(deliveries: Deliveries): Promise<void> {
  let refused = 0;
  await untilTrue('deliveries are refused', async () => {
    if (!(await deliveries.send())) refused += 1;
    return refused >= REFUSED;
  });
}

test('says that its disk is full, and has all that was accepted when there is room (needs the right to mount)', async ({
  skip,
}) => {
  const disk = FailingDisk.mount(DISK_BYTES);
  if (disk === null) return skip();
  const { problems, system, deliveries } = await startReceiving(disk);
  fillDisk(disk.folder, LEFT_BYTES);
  await untilRefused(deliveries);
  await untilTrue('the end is explained', () =>
    problems.some((line) =>
      /^broker (ended with|was ended by) .*: the disk is full: free space on it \(/.test(line),
    ),
  );
  for (const line of problems) expect(line).not.toContain('\n');
  freeDisk(disk.folder);
  await untilTrue('the broker runs again', () => problems.includes('broker runs again'));
  await deliveries.untilAccepted();
  await deliveries.expectAll(system);
});

test('says that its disk is read-only, and has all that was accepted when it is writable (needs the right to mount)', async ({
  skip,
}) => {
  const disk = FailingDisk.mount(DISK_BYTES);
  if (disk === null) return skip();
  const { backbone, problems, system, deliveries } = await startReceiving(disk);
  // What the broker has acknowledged and the system not yet written is lost with a disk that fails.
  await deliveries.expectAll(system);
  disk.fail();
  await untilRefused(deliveries);
  await untilTrue('the end is explained', () =>
    problems.some((line) => line.includes('the file system is read-only: mount it writable')),
  );
  for (const line of problems) expect(line).not.toContain('\n');
  await backbone.stop();
  disk.repair();
  const again = await startOn(disk);
  expect(again.backbone.brokers).toEqual(backbone.brokers);
  await deliveries.untilAccepted();
  await deliveries.expectAll(system);
});
