import { expect, test, vi } from 'vitest';
import { checkSignature, type SignatureCheck } from '#signing/signing.ts';
import { IncomingBody, UnprovenBodies } from './unproven-bodies.ts';

function check(): SignatureCheck {
  const found = checkSignature({ timestamp: '1790000300', signature: '0'.repeat(64) }, ['s'.repeat(32)], 0);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

test('above the limit refuses the body with the most bytes times milliseconds, not that of a new sender', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const bodies = new UnprovenBodies(100_000);
  const refused: string[] = [];
  const opened = (name: string) => new IncomingBody(check(), () => void refused.push(name));
  const [slow, small] = [opened('slow'), opened('small')];
  bodies.add(slow, Buffer.alloc(40_000));
  bodies.add(small, Buffer.alloc(10));
  vi.advanceTimersByTime(1_000);
  const honest = opened('honest');
  bodies.add(honest, Buffer.alloc(60_000));
  expect(refused).toEqual(['slow']);
  expect(bodies.bytes).toBe(small.held + honest.held);
  bodies.add(opened('large'), Buffer.alloc(200_000));
  expect(refused).toEqual(['slow', 'small', 'large']);
  expect(bodies.bytes).toBe(honest.held);
  bodies.release(honest);
  bodies.release(honest);
  expect(bodies.bytes).toBe(0);
  vi.useRealTimers();
});

test('counts the received bytes, and the objects of tiny chunks', () => {
  const bodies = new UnprovenBodies(1_000_000);
  const body = new IncomingBody(check(), () => {});
  for (let n = 0; n < 1_000; n++) bodies.add(body, Buffer.alloc(1));
  expect(body.length).toBe(1_000);
  expect(bodies.bytes).toBeGreaterThan(500_000);
});
