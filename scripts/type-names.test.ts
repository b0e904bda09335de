/** A public type has a name of its own: a reader who searches for it finds one definition. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const DEFINITION = /^export (?:declare )?(?:abstract )?(?:type|interface|class) (\w+)/gm;

test('an exported type name is defined once in the tree', () => {
  const listed = execFileSync('git', ['ls-files', '-z', '--', '*.ts'], { cwd: ROOT, encoding: 'utf8' });
  const places = new Map<string, string[]>();
  for (const file of listed.split('\0').filter(Boolean)) {
    for (const [, name = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(DEFINITION)) {
      places.set(name, [...(places.get(name) ?? []), file]);
    }
  }
  expect(places.size).toBeGreaterThan(1_000);
  expect([...places].filter(([, files]) => files.length > 1)).toEqual([]);
});
