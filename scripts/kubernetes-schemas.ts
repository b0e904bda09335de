/**
 * Writes the JSON schemas of Kubernetes into a folder for kubeconform: `npm run kubernetes-schemas <folder>`. The
 * schemas come from the PyPI package kubernetes-validate, because kubeconform's own come from GitHub, which not every
 * machine reaches. Needs python3 with pip.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const PACKAGE = 'kubernetes-validate==1.37.0';
const VERSION = 'v1.37.0-local-strict';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder');
const work = mkdtempSync(join(tmpdir(), 'touchline-schemas-'));
const python = (...args: string[]) =>
  execFileSync('python3', ['-m', ...args], { cwd: work, stdio: 'inherit' });
try {
  python('pip', 'download', '--quiet', '--no-deps', PACKAGE);
  const [wheel = ''] = readdirSync(work).filter((file) => file.endsWith('.whl'));
  python('zipfile', '--extract', wheel, '.');
  const from = join(work, 'kubernetes_validate', 'kubernetes-json-schema', VERSION);
  mkdirSync(folder, { recursive: true });
  // The schemas refer to each other by a path of the machine that generated them.
  const definitions = pathToFileURL(join(resolve(folder), '_definitions.json')).href;
  for (const file of readdirSync(from)) {
    const schema = readFileSync(join(from, file), 'utf8').replaceAll(
      '"/api/_definitions.json',
      `"${definitions}`,
    );
    writeFileSync(join(folder, file), schema);
  }
} finally {
  rmSync(work, { recursive: true });
}
