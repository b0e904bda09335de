import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startKafka } from '#embedded/kafka.ts';
import { QUICK_START } from '#embedded/settings.ts';

test('data of a newer broker is refused with what to do about it', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'touchline-newer-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const newer = await startKafka({ dataDir, version: '4.3.1', jvmArgs: QUICK_START });
  await newer.stop();
  await expect(startKafka({ dataDir, jvmArgs: QUICK_START })).rejects.toMatchObject({
    code: 'DATA_FOLDER_NEWER',
    message: expect.stringContaining(`the data in ${dataDir} was written by a newer Kafka`),
  });
  // Refused, not damaged: the newer one still reads it.
  const again = await startKafka({ dataDir, version: '4.3.1', jvmArgs: QUICK_START });
  await again.stop();
});
