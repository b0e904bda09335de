import { expect, test } from 'vitest';
import { parseRestFaults, REST_FAULT_NAMES, RestFaults } from './faults.ts';

test('parses settings of REST faults, and rejects unknown ones with the known names', () => {
  expect(parseRestFaults('some,timeout=0.5')).toEqual({ ...parseRestFaults('some'), timeout: 0.5 });
  expect(parseRestFaults('slow=1')).toEqual({ ...parseRestFaults('none'), slow: 1 });
  for (const name of REST_FAULT_NAMES) expect(parseRestFaults('many')[name]).toBeGreaterThan(0);
  expect(() => parseRestFaults('late=1')).toThrow(/unknown fault "late"; known are none, some, many, unauth/);
});

test('injects different faults independently', () => {
  const faults = new RestFaults(parseRestFaults('slow=0.5,timeout=0.5'), 'a');
  const together = Array.from({ length: 200 }, () => faults.strikes('slow') === faults.strikes('timeout'));
  expect(new Set(together).size).toBe(2);
});
