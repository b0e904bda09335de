/** An api and a tool gateway whose data folder has no room, or becomes read-only: one clear line, the views kept, and recovery. */
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { startApi } from '../../support/api.ts';
import { FailingDisk, fillDisk, freeDisk } from '../../support/disk.ts';
import type { TestService } from '../../support/processes.ts';
import { System } from '../../support/system.ts';
import { startGateway, startUpstream } from '../../support/tool-gateway.ts';
import { Deliveries } from './deliveries.ts';

const MIB = 1024 * 1024;
/** Room for the views, and for the journal of the disk. */
const DISK_BYTES = 96 * MIB;

/** What happens to the disk, and how it ends. */
const HARMS = {
  'has no room': {
    harm: ({ folder }: FailingDisk) => fillDisk(folder),
    heal: ({ folder }: FailingDisk) => freeDisk(folder),
  },
  'becomes read-only': {
    harm: (disk: FailingDisk) => disk.fail(),
    heal: (disk: FailingDisk) => disk.repair(),
  },
};

let system: System;
let deliveries: Deliveries;
let upstream: string;

beforeAll(async () => {
  system = await System.create();
  deliveries = new Deliveries((await system.startReceiver()).url);
  ({ url: upstream } = await startUpstream());
});

const SERVICES = {
  api: async (folder: string): Promise<TestService> =>
    (await startApi(system.pipeline.connection, folder)).service,
  'tool-gateway': async (folder: string): Promise<TestService> =>
    (await startGateway(system.pipeline.connection, upstream, { DATA_DIR: folder })).service,
};

/** Waits until a service has ended by itself, and expects one error that names the setting. */
async function endsForFolder(service: TestService, folder: string): Promise<void> {
  // The views write with each record.
  const sending = new AbortController();
  const sent = (async () => {
    while (!sending.signal.aborted) {
      await deliveries.send();
      await delay(100);
    }
  })();
  const errors = await service.failed();
  sending.abort();
  await sent;
  expect(errors.map(({ code }) => code)).toEqual(['FOLDER_UNUSABLE']);
  expect(errors[0]?.message).toContain(`${folder}/`);
  expect(errors[0]?.message).toContain('set DATA_DIR to a folder');
}

describe.each(Object.entries(SERVICES))('%s', (_, start) => {
  test.for(Object.entries(HARMS))(
    'ends when its data folder %s, and goes on from its views (needs the right to mount)',
    async ([, { harm, heal }], { skip }) => {
      const disk = FailingDisk.mount(DISK_BYTES);
      if (disk === null) return skip();
      const first = await start(disk.folder);
      await deliveries.sendAll(5);
      harm(disk);
      await endsForFolder(first, disk.folder);
      heal(disk);
      const second = await start(disk.folder);
      expect(second.lines.filter((line) => line.includes('rebuilds the views'))).toEqual([]);
      await deliveries.sendAll(1);
      await deliveries.expectAll(system);
      expect(await second.stop()).toBe(0);
    },
  );
});
