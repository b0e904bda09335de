import { expect, test } from 'vitest';
import { ProviderError } from './answer.ts';
import { Outage } from './outage.ts';

const tick = () => new Promise(setImmediate);

/** Returns a breaker whose requests and waits end when the test says so. */
function breaker() {
  const waits: { readonly ms: number; readonly end: () => void }[] = [];
  const requests: string[] = [];
  const answers: ((code: 'ok' | 'UNREACHABLE' | 'TIMEOUT' | 'REJECTED') => void)[] = [];
  const outage = new Outage({
    clock: { sleep: (ms) => new Promise((end) => waits.push({ ms, end })) },
    backoff: { firstMs: 100, ceilingMs: 350, random: () => 1 },
    signal: new AbortController().signal,
  });
  const outcomes: Record<string, string> = {};
  const send = (name: string, signal: AbortSignal = new AbortController().signal): void => {
    const work = async (): Promise<string> => {
      requests.push(name);
      const code = await new Promise<string>((resolve) => answers.push(resolve));
      if (code === 'ok') return 'ok';
      throw new ProviderError(code as 'UNREACHABLE', name, 'no answer');
    };
    void outage.run(name, work, signal).then(
      () => {
        outcomes[name] = 'ok';
      },
      (error: ProviderError) => {
        outcomes[name] = error.code;
      },
    );
  };
  const answer = async (code: Parameters<(typeof answers)[number]>[0]): Promise<void> => {
    answers.shift()?.(code);
    await tick();
  };
  const wake = async (): Promise<number> => {
    const wait = waits.shift();
    wait?.end();
    await tick();
    return wait?.ms ?? Number.NaN;
  };
  return { send, requests, answer, outcomes, wake, waits };
}

/** Returns a breaker after three requests in a row without an answer. */
async function down() {
  const at = breaker();
  for (const name of ['a', 'b', 'c']) at.send(name);
  await tick();
  await at.answer('UNREACHABLE');
  await at.answer('TIMEOUT');
  await at.answer('UNREACHABLE');
  at.requests.length = 0;
  return at;
}

test('blocks no request after failures that are not consecutive', async () => {
  const { send, requests, answer, waits } = breaker();
  for (const code of ['UNREACHABLE', 'TIMEOUT', 'ok', 'UNREACHABLE', 'UNREACHABLE', 'REJECTED'] as const) {
    send(code);
    await tick();
    await answer(code);
  }
  send('next');
  await tick();
  expect([requests.length, waits.length]).toEqual([7, 0]);
});

test('lets one request at a time probe during an outage, after waits that double to a maximum', async () => {
  const { send, requests, answer, outcomes, wake, waits } = await down();
  for (const name of ['d', 'e', 'f', 'g']) send(name);
  await tick();
  expect(requests).toEqual([]);
  const waited: number[] = [];
  for (let probe = 1; probe <= 3; probe += 1) {
    waited.push(await wake());
    expect(requests).toHaveLength(probe);
    expect(waits).toEqual([]);
    await answer('UNREACHABLE');
  }
  expect(requests).toEqual(['d', 'e', 'f']);
  expect(outcomes).toMatchObject({ d: 'UNREACHABLE', e: 'UNREACHABLE', f: 'UNREACHABLE' });
  expect(outcomes.g).toBeUndefined();
  expect([...waited, waits[0]?.ms]).toEqual([100, 200, 350, 350]);
});

test.each(['ok', 'REJECTED'] as const)('releases all waiting requests after an answer (%s)', async (code) => {
  const { send, requests, answer, outcomes, wake, waits } = await down();
  for (const name of ['d', 'e', 'f']) send(name);
  await wake();
  await answer(code);
  expect(outcomes.d).toBe(code);
  expect(requests).toEqual(['d', 'e', 'f']);
  send('g');
  await tick();
  expect([requests.at(-1), waits.length]).toEqual(['g', 0]);
});

test('lets the next request probe when none waits', async () => {
  const { send, requests, wake } = await down();
  await wake();
  send('d');
  send('e');
  await tick();
  expect(requests).toEqual(['d']);
});

test('removes an aborted request from the queue', async () => {
  const { send, requests, outcomes, wake } = await down();
  const stop = new AbortController();
  send('d', stop.signal);
  send('e');
  await tick();
  stop.abort();
  await tick();
  expect(outcomes.d).toBe('STOPPED');
  await wake();
  expect(requests).toEqual(['e']);
});

test('lets the next request probe when the probe is aborted', async () => {
  const { send, requests, answer, wake } = await down();
  send('d');
  send('e');
  await wake();
  await answer('STOPPED' as 'ok');
  await wake();
  expect(requests).toEqual(['d', 'e']);
});
