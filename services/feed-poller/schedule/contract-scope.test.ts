import { expect, test } from 'vitest';
import { testMetrics } from '../testing/answers.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { ContractScope } from './contract-scope.ts';

const EVENT = 'event/9';

function scope() {
  const clock = new FakeClock();
  return { clock, contract: new ContractScope({ clock, log: { error() {} }, metrics: testMetrics() }) };
}

test('refuses nothing once the contract has changed, also during the refused request', () => {
  const { contract } = scope();
  const { changed } = contract;
  contract.refuse('event/8', changed);
  contract.widen();
  contract.refuse(EVENT, changed);
  expect([contract.isRefused('event/8'), contract.isRefused(EVENT)]).toEqual([false, false]);
  contract.refuse(EVENT, contract.changed);
  expect(contract.isRefused(EVENT)).toBe(true);
});

test.each(['the contract', 'the term'] as const)('ends a wait with %s', async (what) => {
  const { clock, contract } = scope();
  const term = new AbortController();
  clock.sleep = (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  const waiting = contract.reopened(contract.refuse(EVENT, contract.changed), term.signal);
  if (what === 'the term') term.abort();
  else contract.widen();
  await waiting;
});
