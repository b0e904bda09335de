import { expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { ProviderError } from './answer.ts';
import { type Grant, TokenKeeper } from './token.ts';

/** Returns a keeper whose tokens are `t1`, `t2`, …; `fail` decides the outcome of each exchange. */
function keeper(lifetimeMs: number, fail: (exchange: number) => Error | null = () => null) {
  const clock = new FakeClock();
  let exchanges = 0;
  const exchange = async (): Promise<Grant> => {
    exchanges += 1;
    const mine = exchanges;
    await Promise.resolve();
    const error = fail(mine);
    if (error !== null) throw error;
    return { token: `t${mine}`, lifetimeMs };
  };
  const tokens = new TokenKeeper({ exchange, clock, refusedMs: 60_000 });
  return { clock, tokens, exchanges: () => exchanges };
}

const failure = (code: ProviderError['code']): ProviderError => new ProviderError(code, 'oauth', 'failed');

test('shares one exchange among concurrent requests', async () => {
  const { tokens, exchanges } = keeper(3_600_000);
  expect(await Promise.all([tokens.token(), tokens.token(), tokens.token()])).toEqual(['t1', 't1', 't1']);
  expect(exchanges()).toBe(1);
});

test.each([
  ['five minutes before it expires', 3_600_000, 3_300_000],
  ['at half its life when it is short', 4_000, 2_000],
])('renews a token %s', async (_, lifetimeMs, renewedAt) => {
  const { tokens, clock } = keeper(lifetimeMs);
  await tokens.token();
  clock.now = renewedAt - 1;
  expect(await tokens.token()).toBe('t1');
  clock.now = renewedAt;
  expect(await tokens.token()).toBe('t2');
});

test('replaces a refused token once, however many requests report the refusal', async () => {
  const { tokens, exchanges } = keeper(3_600_000);
  await tokens.token();
  expect(await Promise.all([tokens.replace('t1'), tokens.replace('t1')])).toEqual(['t2', 't2']);
  expect(await tokens.replace('t1')).toBe('t2');
  expect(exchanges()).toBe(2);
});

test('uses a token until it expires while its renewal fails', async () => {
  const { tokens, clock, exchanges } = keeper(3_600_000, (n) => (n > 1 ? failure('SERVER_ERROR') : null));
  await tokens.token();
  clock.now = 3_400_000;
  expect(await tokens.token()).toBe('t1');
  expect(await tokens.token()).toBe('t1');
  expect(exchanges()).toBe(2);
  clock.now = 3_600_000;
  await expect(tokens.token()).rejects.toMatchObject({ code: 'SERVER_ERROR' });
});

test('retries refused credentials only after a pause', async () => {
  const { tokens, clock, exchanges } = keeper(3_600_000, (n) => (n === 1 ? failure('CREDENTIALS') : null));
  await expect(tokens.token()).rejects.toMatchObject({ code: 'CREDENTIALS' });
  await expect(tokens.token()).rejects.toMatchObject({ code: 'CREDENTIALS' });
  expect(exchanges()).toBe(1);
  clock.now = 60_000;
  expect(await tokens.token()).toBe('t2');
});
