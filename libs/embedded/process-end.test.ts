import { expect, test } from 'vitest';
import { endedForMemory, endText } from './process-end.ts';

test('counts the processes that the system has ended for memory', () => {
  expect(endedForMemory('oom_victims 9\noom_kill 3\nnuma_hit 1\n')).toBe(3);
  expect(endedForMemory('')).toBe(0);
});

test.each([
  [{ code: 1, signal: null }, 'ended with exit code 1'],
  [{ code: null, signal: 'SIGABRT' }, 'was ended by SIGABRT'],
  [
    { code: null, signal: 'SIGKILL' },
    'was ended by SIGKILL when memory is used up: give the machine or the container more',
  ],
] as const)('says how a process ended while the system ended one for memory: %j', (end, text) =>
  expect(endText(end, 2, 3)).toBe(text),
);

test('does not blame memory for a SIGKILL when the system ended none', () => {
  expect(endText({ code: null, signal: 'SIGKILL' }, 3, 3)).toBe('was ended by SIGKILL');
});
