import { expect, test } from 'vitest';
import type { Figure } from './context.ts';
import { ratioOf, withFigures } from './record.ts';

const figure: Figure = {
  name: 'rate',
  ours: 30,
  beside: { name: 'peer', value: 20 },
  unit: 'msg/s',
  target: 1.5,
};

test('replaces the figures of a bench, and changes nothing else', () => {
  const page =
    'before\n\n| bench | figure |\n|---|---|\n| [a](r) | x |\n| [one](r) | old |\n| [z](r) | y |\n\nafter\n';
  const measured = { bench: 'one', commit: 'abc1234', machine: '', figures: [figure], raw: [] };
  const row =
    '| [one](rounds/one.txt) | rate | 30.0 msg/s | peer: 20.0 msg/s | 1.50 | at least 1.5 | abc1234 |';
  const once = withFigures(page, measured);
  expect(once).toBe(page.replace('| [one](r) | old |', row));
  expect(withFigures(once, measured)).toBe(once);
  expect(() => withFigures('no table', measured)).toThrow('no row of one');
});

test('marks missed targets', () => {
  expect(ratioOf({ ...figure, ours: 29 })).toEqual(['1.45 (missed)', 'at least 1.5']);
  expect(ratioOf({ ...figure, better: 'less' })).toEqual(['1.50', 'at most 1.5']);
  expect(ratioOf({ ...figure, better: 'less', ours: 31 })[0]).toBe('1.55 (missed)');
  expect(ratioOf({ name: 'rate', ours: 30, unit: 'msg/s' })).toEqual(['', '']);
});
