import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { serviceNames } from '../../cli/services.ts';
import { bareEnvironment } from '../support/environment.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Fills NODE_COMPILE_CACHE with the code of every service. Node writes the cache when a process exits normally, but
 * tests mostly kill their processes: without this, hundreds of starts would compile all of their modules.
 */
export async function fillCompileCache(): Promise<void> {
  for (const name of serviceNames()) {
    const args = [`services/${name}/main.ts`, '--help'];
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: bareEnvironment() });
  }
}
