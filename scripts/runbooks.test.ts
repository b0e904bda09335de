import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const FOLDER = new URL('../docs/guides/runbooks/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, FOLDER), 'utf8');
const pages = readdirSync(FOLDER).filter((file) => file !== 'README.md');

describe.each(pages)('%s', (file) => {
  const text = read(file);

  test('names its readers, the risk, the end, what cannot be undone, and its test', () => {
    const [, , opening = ''] = text.split('\n');
    expect(opening).toMatch(/^For operators\b/);
    for (const part of ['At risk.', 'Over when', 'annot be undone']) expect(text).toContain(part);
    expect(text).toMatch(/^Tried (by|by hand)\b/m);
  });

  test('is in the index', () => {
    expect(read('README.md')).toContain(`](${file})`);
  });
});
