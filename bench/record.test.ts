import { describe, expect, test } from 'vitest';
import type { Figure } from './context.ts';
import { isMet, withFigures } from './record.ts';

const figure: Figure = {
  name: 'rate',
  ours: 30,
  beside: { name: 'peer', value: 20 },
  unit: 'msg/s',
  target: 1.5,
};

describe('the page of figures', () => {
  test('has the figures between the marks of their bench, and nothing else changed', () => {
    const page = 'before\n<!-- bench one -->\nold\n<!-- end one -->\nafter\n';
    const measured = { bench: 'one', machine: 'machine: m', figures: [figure], raw: ['round 1'] };
    const once = withFigures(page, measured);
    expect(once).toContain('| rate | 30.0 msg/s | peer: 20.0 msg/s | 1.50 | at least 1.5 |');
    expect(once).toContain('    machine: m\n    round 1\n');
    expect(once).not.toContain('old');
    expect(once.startsWith('before\n<!-- bench one -->\n')).toBe(true);
    expect(once.endsWith('<!-- end one -->\nafter\n')).toBe(true);
    expect(withFigures(once, measured)).toBe(once);
  });

  test('must have marks for the bench', () => {
    const measured = { bench: 'two', machine: '', figures: [], raw: [] };
    expect(() => withFigures('<!-- bench one -->\n<!-- end one -->', measured)).toThrow(
      'no marks for bench two',
    );
  });

  test('says what was missed', () => {
    expect(isMet({ ...figure, ours: 29 })).toBe(false);
    expect(isMet({ ...figure, better: 'less' })).toBe(true);
    expect(isMet({ ...figure, better: 'less', ours: 31 })).toBe(false);
  });
});
