import { describe, expect, it } from 'vitest';

it('runs', () => expect(1).toBe(1));
describe.runIf(false)('the board in Chromium (no Chromium: install it)', () => {
  it('shows a match', () => {});
  it('shows a table', () => {});
});
it('is compared with its source', ({ skip }) => {
  skip('the source is not here');
});
