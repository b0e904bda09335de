import { expect, test } from 'vitest';
import { catalogueValue } from '../testing/records.ts';
import { ViewsWorld } from '../testing/world.ts';

test('remembers missing ids until their record arrives', () => {
  const { catalogue } = new ViewsWorld().views;
  expect(catalogue.name('season', 5)).toBeNull();
  catalogue.apply(catalogueValue('season', 5, null, { name: 'A' }), 1);
  expect(catalogue.name('season', 5)).toBe('A');
});
