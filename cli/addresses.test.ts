import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { dataDirFor, shellWord } from './addresses.ts';

const TEXTS = ['plain/path-1.2', 'two words', "it's", '$HOME `id` "x" \\', '', 'ümlaut', '-n;ls'];
test.each(TEXTS)('quotes %j as one word of a shell', (text) => {
  const printed = execFileSync('/bin/sh', ['-c', `printf '[%s]' ${shellWord(text)}`], { encoding: 'utf8' });
  expect(printed).toBe(`[${text}]`);
});

test('names a data folder by its absolute path, except the default one', () => {
  expect(dataDirFor('elsewhere')).toBe(`DATA_DIR=${shellWord(resolve('elsewhere'))} `);
  expect(dataDirFor(resolve(import.meta.dirname, '../.touchline'))).toBe('');
});
