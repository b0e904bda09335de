import { expect, test } from 'vitest';
import { EVERYTHING } from '#views/testing/world.ts';
import { ToolAnswerCache } from './answers.ts';
import type { Tool, ToolScope } from './tools/tool.ts';

test('returns a cached answer to the same call and contract within a tenth of a second, while the views are unchanged', () => {
  let version = 1;
  let made = 0;
  const answers = new ToolAnswerCache(() => version);
  const tool = { name: 'count', call: () => ({ made: ++made }) } as unknown as Tool;
  const madeBy = (args: object, now = 10, competitions: ReadonlySet<number> | null = null) =>
    answers.get(tool, args, { access: { ...EVERYTHING, competitions }, now } as ToolScope).structuredContent
      .made;
  expect([madeBy({}), madeBy({}), madeBy({}, 10.09)]).toEqual([1, 1, 1]);
  expect(madeBy({ page: 2 })).toBe(2);
  expect(madeBy({}, 10, new Set([5]))).toBe(3);
  expect(madeBy({}, 10, new Set([6]))).toBe(4);
  expect(madeBy({}, 10.1)).toBe(5);
  version += 1;
  expect(madeBy({}, 10.1)).toBe(6);
});
