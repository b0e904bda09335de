import { expect, test } from 'vitest';
import { Producer } from './library.ts';

const clientId = 'test';
const bootstrapBrokers = ['127.0.0.1:1'];

test('compiles a validator of the library on its first call, and reports its errors', async () => {
  const wrong = { clientId, bootstrapBrokers, idempotent: 5, strict: true } as unknown as {
    clientId: string;
  };
  expect(() => new Producer({ bootstrapBrokers, ...wrong })).toThrow('/options/idempotent must be boolean');
  const right = new Producer({ clientId, bootstrapBrokers, idempotent: true, strict: true });
  await right.close();
});
