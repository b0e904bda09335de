import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heapFlags, mallocSettings } from './memory.ts';

test('compose starts services with the same flags', () => {
  const compose = readFileSync(join(import.meta.dirname, '../../docker-compose.yml'), 'utf8');
  const options = Array.from(compose.matchAll(/^ +NODE_OPTIONS: (.*)$/gm), ([, value]) => value);
  const [ofAll, ofReceiver] = [heapFlags('match-processor'), heapFlags('webhook-receiver')];
  expect(options).toEqual([ofAll.join(' '), `'${ofReceiver.join(' ')}'`]);
});

test('compose starts services with the same settings of malloc', () => {
  const compose = readFileSync(join(import.meta.dirname, '../../docker-compose.yml'), 'utf8');
  // A service begins with its name, two spaces in.
  const found = compose.split(/^ {2}(?=[a-z])/m).flatMap((service) => {
    const settings = Array.from(service.matchAll(/^ +(MALLOC_\w+): '(\d+)'$/gm), ([, name, value]) => [
      name,
      value,
    ]);
    return settings.length === 0 ? [] : [[service.slice(0, service.indexOf(':')), settings]];
  });
  expect(found).toEqual(
    ['feed-poller', 'webhook-dispatcher'].map((name) => [name, Object.entries(mallocSettings(name))]),
  );
  expect(mallocSettings('api')).toEqual({});
});
