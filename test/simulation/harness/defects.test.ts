import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFECTS } from './defects.ts';

const root = new URL('../../..', import.meta.url);

test.each(DEFECTS)('finds the code that "$name" replaces exactly once', ({ changes }) => {
  for (const { file, find } of changes) {
    const source = readFileSync(new URL(`.${file}`, root), 'utf8');
    expect(source.split(find).length - 1, `${file}: ${find}`).toBe(1);
  }
});
