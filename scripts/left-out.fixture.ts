import { describe, expect, test } from 'vitest';

test('runs', () => expect(1).toBe(1));
describe.runIf(false)('the board in Chromium (no Chromium: install it)', () => {
  test('shows a match', () => {});
  test('shows a table', () => {});
});
test('is compared with its source', ({ skip }) => {
  skip('the source is not here');
});
