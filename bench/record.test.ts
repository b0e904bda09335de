import { describe, expect, test } from 'vitest';
import { ageLine } from './age.ts';
import type { Figure } from './context.ts';
import { type BenchResult, isMet, roundsText, withFigures } from './record.ts';
import { treeOf } from './subject.ts';

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
  trees: new Map([
    ['libs/streams', '11aa'],
    ['services/api', '22bb'],
  ]),
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

describe('the age of figures', () => {
  const rounds = roundsText(measured);

  test('is empty while the measured code is the same', () => {
    expect(ageLine('one', rounds, (folder) => measured.trees.get(folder) ?? null)).toBe(
      'one: as measured at abc1234',
    );
  });

  test('names folders that have changed or are missing since', () => {
    expect(ageLine('one', rounds, (folder) => (folder === 'libs/streams' ? '33cc' : null))).toBe(
      'one: measured at abc1234; changed since: libs/streams, services/api',
    );
  });

  test('is reported for a record without a commit', () => {
    expect(ageLine('one', 'machine: m\nround 1\n', () => null)).toBe(
      'one: the record does not name its commit',
    );
  });

  test('ignores tests and their helpers', () => {
    expect(treeOf('libs/domain')).toMatch(/^[0-9a-f]{40}$/);
    expect(treeOf('libs/domain/testing')).toBeNull();
    expect(treeOf('libs/no-such-folder')).toBeNull();
  });
});
