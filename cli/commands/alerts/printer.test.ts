import { expect, test } from 'vitest';
import type { Alert } from '#records/types.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { AlertPrinter } from './printer.ts';

const alert = (id: string, kind = 'match_stale'): Alert => ({ ...sampleOf('alerts'), id, kind });

function printing() {
  const lines: string[] = [];
  const printer = new AlertPrinter(async ({ id }, offset) => void lines.push(`${id} ${offset}`));
  return { printer, lines };
}

test('prints an alert that is found and not published within 100 ms, and not again when it is published', async () => {
  const { printer, lines } = printing();
  await printer.found([alert('a')], 1_000);
  await printer.found([], 1_099);
  expect(lines).toEqual([]);
  await printer.found([], 1_100);
  expect(lines).toEqual(['a null']);
  await printer.published(alert('a'), 5);
  await printer.found([alert('a')], 1_200);
  await printer.found([], 1_400);
  expect(lines).toEqual(['a null']);
});

test('prints an alert that is published in time once, before or after it is found', async () => {
  const { printer, lines } = printing();
  await printer.found([alert('a')], 1_000);
  await printer.published(alert('a'), 5);
  await printer.published(alert('b', 'match_recovered'), 6);
  await printer.found([alert('b', 'match_recovered')], 1_050);
  await printer.found([], 2_000);
  expect(lines).toEqual(['a 5', 'b 6']);
});
