import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heapFlags } from './heap-flags.ts';

test('compose starts services with the same flags', () => {
  const compose = readFileSync(join(import.meta.dirname, '../../docker-compose.yml'), 'utf8');
  const options = Array.from(compose.matchAll(/^ +NODE_OPTIONS: (.*)$/gm), ([, value]) => value);
  const [ofAll, ofReceiver] = [heapFlags('match-processor'), heapFlags('webhook-receiver')];
  expect(options).toEqual([ofAll.join(' '), `'${ofReceiver.join(' ')}'`]);
});
