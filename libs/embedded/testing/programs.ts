import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Installs a program that runs these lines of shell. */
export async function installProgram(folder: string, name: string, script: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}
