import { expect, test } from 'vitest';
import type { Access } from '#contract/rest/provider.ts';
import { servedAccess } from '../store/served.ts';
import { EVERYTHING } from '../testing/world.ts';
import { accessKey, notFound, requireAccess } from './access.ts';

const SERVED = new Set([61, 52]);
const some = (...ids: number[]): Access => ({ ...EVERYTHING, competitions: new Set(ids) });

/** Returns the code and message of a refusal; null if there is none. */
function refusal(access: Access, competitionId: number | null): string | null {
  try {
    requireAccess(access, competitionId);
    return null;
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  }
}

test('refuses competitions outside the contract, and names the served ones for those inside', () => {
  const all = servedAccess(EVERYTHING, SERVED);
  const notHere = 'NOT_SERVED: Not found here: this server serves';
  expect(refusal(all, 52)).toBeNull();
  expect(refusal(all, 7)).toBe(`${notHere} only the competitions 52, 61`);
  expect(refusal(all, null)).toBe(`${notHere} only the competitions 52, 61`);
  const narrow = servedAccess(some(52, 7), SERVED);
  expect(refusal(narrow, 52)).toBeNull();
  expect(refusal(narrow, 61)).toBe('FORBIDDEN: Outside the contract');
  expect(refusal(narrow, 7)).toBe(`${notHere} of your contract only the competition 52`);
  const none = `${notHere} none of the competitions of your contract`;
  expect(refusal(servedAccess(some(7), SERVED), 7)).toBe(none);
  expect(refusal(some(7), 52)).toBe('FORBIDDEN: Outside the contract');
});

test('answers an unknown id with not found, or not found here if only some competitions are served', () => {
  expect(notFound(EVERYTHING).message).toBe('Not found');
  expect(notFound(servedAccess(EVERYTHING, SERVED)).message).toBe(
    'Not found here: this server serves only the competitions 52, 61',
  );
  const many = new Set(Array.from({ length: 52 }, (_, n) => n + 1));
  expect(notFound(servedAccess({ ...EVERYTHING }, many)).message).toMatch(/ 49, 50 and 2 more$/);
});

test('builds different keys for clients whose refusals differ', () => {
  const narrow = some(52);
  expect(servedAccess(narrow, null)).toBe(narrow);
  const keys = [some(52), some(52, 7), some(52, 8), some(52, 7)].map((of) =>
    accessKey(servedAccess(of, SERVED)),
  );
  expect(new Set(keys).size).toBe(3);
  expect(keys[1]).toBe(keys[3]);
});
