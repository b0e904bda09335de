import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { API_AND_TOOLS, programOf, serviceNames } from '../../cli/services.ts';

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

/**
 * Bundles every service into a folder: a start of a service loads some files then instead of a thousand modules, at a third of the
 * processor time.
 */
export async function bundlePrograms(folder: string): Promise<void> {
  const bundle = await rolldown({
    input: Object.fromEntries([...serviceNames(), API_AND_TOOLS].map((name) => [name, programOf(name)])),
    platform: 'node',
    // Its paths lead to declarations of types.
    tsconfig: false,
    plugins: [sameUtils, besideSources, asInstalled],
    checks: { eval: false },
  });
  await bundle.write({
    dir: folder,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    strictExecutionOrder: true,
  });
  await bundle.close();
}
