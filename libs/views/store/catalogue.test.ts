import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { catalogueValue } from '../testing/records.ts';
import { ViewsWorld } from '../testing/world.ts';

test('remembers missing ids until their record arrives, up to a limit', () => {
  const { catalogue } = new ViewsWorld().views;
  expect(catalogue.name('season', 5)).toBeNull();
  catalogue.apply(catalogueValue('season', 5, null, { name: 'A' }), 1);
  expect(catalogue.name('season', 5)).toBe('A');

  const before = heapUsed();
  for (let id = 1_000; id < 201_000; id++) catalogue.find('season', id);
  expect(heapUsed() - before).toBeLessThan(6 * 2 ** 20);
});

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function heapUsed(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
