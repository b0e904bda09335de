import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Plugin, type RolldownPlugin, rolldown } from 'rolldown';
import { viteDynamicImportVarsPlugin, viteImportGlobPlugin } from 'rolldown/experimental';
import { API_AND_TOOLS, programOf, serviceNames } from '../../cli/services.ts';
import { COMMAND_LINE } from '../support/bundled.ts';

const require = createRequire(import.meta.url);

/** What a module derives from its own path, which in a bundle is another one. */
const OWN_PATH = /\bimport\.meta\.(url|dirname|resolve\('([^']+)'\))/g;

/** Lets each module of a bundle find the files beside its source. */
const besideSources: Plugin = {
  name: 'beside-sources',
  transform: {
    filter: { code: OWN_PATH },
    handler: (code, id) =>
      code.replaceAll(OWN_PATH, (_, what: string, specifier?: string) => {
        if (specifier !== undefined) return JSON.stringify(import.meta.resolve(specifier));
        return JSON.stringify(what === 'url' ? pathToFileURL(id).href : dirname(id));
      }),
  },
};

/** Packages that find files of their own otherwise. */
const WITH_FILES = /^@fastify\/swagger-ui$/;

const asInstalled: Plugin = {
  name: 'as-installed',
  resolveId: {
    filter: { id: WITH_FILES },
    handler: (id) => ({ id: require.resolve(id), external: 'absolute' }),
  },
};

/** The module that changes one of the client library, which must be that of the bundle. */
const LAZY_VALIDATORS = /lazy-validators\.ts$/;
const UTILS = 'require(UTILS)';

const sameUtils: Plugin = {
  name: 'same-utils',
  transform: {
    filter: { id: LAZY_VALIDATORS },
    handler(code) {
      if (!code.includes(UTILS)) throw new Error(`${LAZY_VALIDATORS} has no ${UTILS}`);
      const path = require.resolve('@platformatic/kafka').replace(/index\.js$/, 'utils.js');
      return `import * as utils from ${JSON.stringify(path)};\n${code.replace(UTILS, 'utils')}`;
    },
  },
};

/** The module that says which program a process of `touchline up` runs. */
const SERVICES = /cli\/services\.ts$/;
const PROGRAM_OF = 'function programOf(process: string): string {';

/** Lets `touchline up` start the bundles of a folder. */
const startsBundlesOf = (folder: string): Plugin => ({
  name: 'starts-bundles',
  transform: {
    filter: { id: SERVICES },
    handler(code) {
      if (!code.includes(PROGRAM_OF)) throw new Error(`${SERVICES} has no ${PROGRAM_OF}`);
      return code.replace(PROGRAM_OF, `${PROGRAM_OF} return \`${folder}/\${process}.mjs\`;`);
    },
  },
});

/**
 * Bundles every service and the command line into a folder: a start loads some files then instead of a thousand modules, at a third of
 * the processor time.
 */
export async function bundlePrograms(folder: string): Promise<void> {
  const services = Object.fromEntries(
    [...serviceNames(), API_AND_TOOLS].map((name) => [name, programOf(name)]),
  );
  await bundle(folder, services);
  // On its own: with its lazy commands beside them, services would be cut into many more files.
  const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
  await bundle(join(folder, dirname(COMMAND_LINE)), { touchline: main }, [
    startsBundlesOf(folder),
    // Commands are loaded by their names.
    viteDynamicImportVarsPlugin(),
    viteImportGlobPlugin(),
  ]);
}

export async function bundle(
  folder: string,
  input: Readonly<Record<string, string>>,
  plugins: readonly RolldownPlugin[] = [],
): Promise<void> {
  const bundled = await rolldown({
    input,
    platform: 'node',
    // Its paths lead to declarations of types.
    tsconfig: false,
    plugins: [sameUtils, besideSources, asInstalled, ...plugins],
    checks: { eval: false },
  });
  await bundled.write({
    dir: folder,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    strictExecutionOrder: true,
  });
  await bundled.close();
}
