// Copies the modules that the laws are made of to src/, so that the imports of package.json resolve; then tsc compiles them to dist/.
import { cpSync, rmSync } from 'node:fs';

for (const folder of ['src', 'dist']) rmSync(folder, { recursive: true, force: true });
for (const lib of ['domain', 'errors', 'json', 'records', 'soccer', 'trading'])
  cpSync(`../${lib}`, `src/${lib}`, {
    recursive: true,
    filter: (path) => !/\.test\.ts$|\/(testing|standings|health)$/.test(path),
  });
cpSync('index.ts', 'src/laws/index.ts');
