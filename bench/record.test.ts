import { describe, expect, test } from 'vitest';
import type { Figure } from './context.ts';
import { type BenchResult, isMet, withFigures } from './record.ts';

const figure: Figure = {
  name: 'rate',
  ours: 30,
  beside: { name: 'peer', value: 20 },
  unit: 'msg/s',
  target: 1.5,
};

const measured: BenchResult = {
  bench: 'one',
  commit: 'abc1234',
  machine: 'machine: m',
  figures: [figure],
  raw: ['round 1'],
};

describe('the page of figures', () => {
  const head = '| bench | figure |\n|---|---|\n';
  const page = `before\n<!-- figures -->\n${head}| [a](r) | x |\n| [one](r) | old |\n| [z](r) | y |\n<!-- end figures -->\nafter\n`;
  const row =
    '| [one](rounds/one.txt) | rate | 30.0 msg/s | peer: 20.0 msg/s | 1.50 | at least 1.5 | abc1234 |';

  test('replaces the figures of a bench, and changes nothing else', () => {
    const once = withFigures(page, measured);
    expect(once).toBe(page.replace('| [one](r) | old |', row));
    expect(withFigures(once, measured)).toBe(once);
  });

  test('appends the figures of a new bench', () => {
    expect(withFigures(page.replace('| [one](r) | old |\n', ''), measured)).toBe(
      page.replace('| [one](r) | old |\n', '').replace('| y |\n', `| y |\n${row}\n`),
    );
  });

  test('must have a table', () => {
    expect(() => withFigures('no table', measured)).toThrow('no marks for figures');
  });

  test('marks missed targets', () => {
    expect(isMet({ ...figure, ours: 29 })).toBe(false);
    expect(isMet({ ...figure, better: 'less' })).toBe(true);
    expect(isMet({ ...figure, better: 'less', ours: 31 })).toBe(false);
  });
});
