import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const FOLDER = new URL('../docs/guides/runbooks/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, FOLDER), 'utf8');
const pages = readdirSync(FOLDER).filter((file) => file !== 'README.md');

test.each(pages)('%s is in the index', (file) => {
  expect(read('README.md')).toContain(`](${file})`);
});
