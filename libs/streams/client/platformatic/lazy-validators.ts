/**
 * The library compiles validators (ajv) for the options of every method of its clients as it is imported: half of the
 * CPU time of the import, and 13 MB of each process (docs/reference/performance.md). Here only its connections and requests are
 * used, which have none: each validator is compiled when it is first called. Loaded before the library's entry.
 */
import { createRequire } from 'node:module';
import type * as Library from '@platformatic/kafka';

type Compile = typeof Library.ajv.compile;

const require = createRequire(import.meta.url);
// By its file: the entry point would compile them. The exact version is pinned.
const { ajv }: Pick<typeof Library, 'ajv'> = require(
  require.resolve('@platformatic/kafka').replace(/index\.js$/, 'utils.js'),
);
const compile: Compile = ajv.compile.bind(ajv);

ajv.compile = ((...of: Parameters<Compile>) => {
  let compiled: ReturnType<Compile> | undefined;
  const validate = (data: unknown) => {
    compiled ??= compile(...of);
    return compiled(data);
  };
  // Where ajv leaves what is wrong.
  return Object.defineProperty(validate, 'errors', { get: () => compiled?.errors });
}) as Compile;
