import { expect, test } from 'vitest';
import type { ClientDirectory, ClientDraft } from '#clients/directory.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { createFirstClient } from './platform.ts';

test.each([
  ['is created with a secret', undefined],
  ['keeps the secret of another process that creates it at the same time', sampleOf('clients')],
])('the first client %s', async (_, created) => {
  const edited: ClientDraft[] = [];
  const directory = {
    list: async () => [],
    requireReadable: async () => {},
    edit: async (_id: number, change: (known: typeof created) => ClientDraft) => {
      edited.push(change(created));
      return edited[0];
    },
  } as unknown as ClientDirectory;
  const first = await createFirstClient(directory);
  expect(first).toEqual(created === undefined ? { id: 1, secretKey: expect.any(String) } : null);
  if (created !== undefined) expect(edited).toEqual([created]);
});
