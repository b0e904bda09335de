import { expect, test } from 'vitest';
import { createRestFaults, parseRestFaults } from './faults.ts';

test('injects different faults independently', () => {
  const faults = createRestFaults(parseRestFaults('slow=0.5,timeout=0.5'), 'a');
  const together = Array.from({ length: 200 }, () => faults.strikes('slow') === faults.strikes('timeout'));
  expect(new Set(together).size).toBe(2);
});
