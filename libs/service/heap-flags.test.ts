import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HEAP_FLAGS } from './heap-flags.ts';

test('the image starts services with the same flags', () => {
  const dockerfile = readFileSync(join(import.meta.dirname, '../../Dockerfile'), 'utf8');
  const entry = dockerfile.split('\n').find((line) => line.startsWith('ENTRYPOINT '));
  expect(JSON.parse(entry?.slice('ENTRYPOINT '.length) ?? '')).toEqual([
    'node',
    ...HEAP_FLAGS,
    '/app/bin/touchline.js',
  ]);
});
