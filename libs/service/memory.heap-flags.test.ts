import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heapFlags, mallocSettings } from './memory.ts';

test('compose starts services with the flags of `heapFlags`', () => {
  const compose = readFileSync(join(import.meta.dirname, '../../docker-compose.yml'), 'utf8');
  const options = Array.from(compose.matchAll(/^ +NODE_OPTIONS: (.*)$/gm), ([, value]) => value);
  const [ofAll, ofReceiver] = [heapFlags('match-processor'), heapFlags('webhook-receiver')];
  expect(options).toEqual([ofAll.join(' '), `'${ofReceiver.join(' ')}'`]);
});

test('compose starts the poller with the settings of `mallocSettings`', () => {
  const compose = readFileSync(join(import.meta.dirname, '../../docker-compose.yml'), 'utf8');
  const settings = Array.from(compose.matchAll(/^ +(MALLOC_\w+): '(\d+)'$/gm), ([, name, value]) => [
    name,
    value,
  ]);
  expect(settings).toEqual(Object.entries(mallocSettings('feed-poller')));
  expect(mallocSettings('api')).toEqual({});
});
