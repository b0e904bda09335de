import { expect, test } from 'vitest';
import { EVERYTHING } from '#views/testing/world.ts';
import { ToolAnswerCache } from './answers.ts';
import type { Tool, ToolScope } from './tools/tool.ts';

test('gives an answer again for the same question of the same contract, within a tenth of a second, while nothing changed', () => {
  let version = 1;
  let made = 0;
  const answers = new ToolAnswerCache(() => version);
  const tool = { name: 'count', call: () => ({ made: ++made }) } as unknown as Tool;
  const ask = (args: object, now = 10, competitions: ReadonlySet<number> | null = null) =>
    answers.get(tool, args, { access: { ...EVERYTHING, competitions }, now } as ToolScope).structuredContent
      .made;
  expect([ask({}), ask({}), ask({}, 10.09)]).toEqual([1, 1, 1]);
  expect(ask({ page: 2 })).toBe(2);
  expect(ask({}, 10, new Set([5]))).toBe(3);
  expect(ask({}, 10, new Set([6]))).toBe(4);
  expect(ask({}, 10.1)).toBe(5);
  version += 1;
  expect(ask({}, 10.1)).toBe(6);
});
