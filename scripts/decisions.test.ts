import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const FOLDER = new URL('../docs/decisions/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, FOLDER), 'utf8');
const records = readdirSync(FOLDER).filter((file) => /^\d{4}-.*\.md$/.test(file));
const SECTIONS = ['Context', 'Decision', 'Consequences', 'Alternatives'];

describe.each(records)('%s', (file) => {
  const text = read(file);

  test('has number, title, date, status and the four sections in their order', () => {
    expect(text).toMatch(new RegExp(`^# ${file.slice(0, 4)} · \\S`));
    expect(text).toMatch(/^Date: \d{4}-\d{2}-\d{2}\. Status: \S/m);
    const titles = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(titles.filter((title) => SECTIONS.includes(title ?? ''))).toEqual(SECTIONS);
  });

  test('is in the index under its title', () => {
    const [, title = ''] = /^# \d{4} · (.+)$/m.exec(text) ?? [];
    expect(read('README.md')).toContain(`| [${file.slice(0, 4)}](${file}) | ${title} |`);
  });
});

test('no number is used twice', () => {
  const numbers = records.map((file) => file.slice(0, 4));
  expect(new Set(numbers).size).toBe(numbers.length);
});
