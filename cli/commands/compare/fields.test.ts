import { describe, expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import { COMPARED, differencesOf, ignoredFields, LEVELS, leavesOf } from './fields.ts';

describe('the fields of a record', () => {
  test('have paths, with JSON in text parsed and arrays in order', () => {
    const value = { b: '{"y":1,"x":["{}"]}', a: [10, { c: null }], text: '{no json', empty: [] };
    expect([...leavesOf(value, ['text'])]).toEqual([
      ['a.0', '10'],
      ['a.1.c', 'null'],
      ['b.x.0', '{}'],
      ['b.y', '1'],
      ['empty', '[]'],
    ]);
  });

  test('that differ are listed with both values, even when one side lacks them', () => {
    const a = leavesOf({ score: { home: 1, away: 0 }, same: 1 }, []);
    const b = leavesOf({ score: null, same: 1 }, []);
    expect(differencesOf(a, b)).toEqual([
      { path: 'score.away', a: '0', b: undefined },
      { path: 'score.home', a: '1', b: undefined },
      { path: 'score', a: undefined, b: 'null' },
    ]);
  });

  test.each(LEVELS)('that level %s ignores exist', (level) => {
    for (const topic of COMPARED) {
      const sample = JSON.parse(JSON.stringify(sampleOf(topic)));
      for (const path of ignoredFields(topic, level)) {
        const value = path.split('.').reduce((at, name) => at?.[name], sample);
        expect([topic, path, value === undefined]).toEqual([topic, path, false]);
      }
    }
  });
});
