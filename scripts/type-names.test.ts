/** A public type has a unique, specific name, so that a search finds one definition. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const DEFINITION = /^export (?:declare )?(?:abstract )?(?:type|interface|class) (\w+)/gm;

function exportedTypes(): Map<string, string[]> {
  const listed = execFileSync('git', ['ls-files', '-z', '--', '*.ts'], { cwd: ROOT, encoding: 'utf8' });
  const files = new Map<string, string[]>();
  for (const file of listed.split('\0').filter(Boolean)) {
    for (const [, name = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(DEFINITION)) {
      files.set(name, [...(files.get(name) ?? []), file]);
    }
  }
  return files;
}

test('an exported type name is defined once in the tree', () => {
  const types = exportedTypes();
  expect(types.size).toBeGreaterThan(0);
  expect([...types].filter(([, files]) => files.length > 1)).toEqual([]);
});
