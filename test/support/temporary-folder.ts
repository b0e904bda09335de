import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';

/** Creates a folder in `root` that is deleted after the test, or after the file when called in `beforeAll`. */
export function temporaryFolder(root = tmpdir()): string {
  const folder = mkdtempSync(join(root, 'touchline-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
