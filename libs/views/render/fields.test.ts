import { expect, test } from 'vitest';
import { eventSlug, slugOf } from './fields.ts';

test('builds a slug of name and id as providers do', () => {
  expect(slugOf('Brisbane (W)', 466)).toBe('brisbane-w,466');
  expect(slugOf('Puchar złotej lotki', 6626)).toBe('puchar-zlotej-lotki,6626');
  expect(eventSlug('Pavlyuchenkova A. - Kerber Angelique', 1799408)).toBe(
    'pavlyuchenkova-a_kerber-angelique,1799408',
  );
  expect(eventSlug('Awesome event', 2135481)).toBe('awesome-event,2135481');
});
