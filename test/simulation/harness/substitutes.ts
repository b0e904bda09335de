/**
 * Loads the code of libs in this thread with a simulated network, timers and clocks. Nothing in libs knows of it. Also applies
 * source changes that restore former defects (defects.ts).
 */
import { registerHooks } from 'node:module';

const at = (path: string): string => new URL(`../${path}`, import.meta.url).href;

/** Modules of libs by the end of their path, with their substitutes. */
const MODULES: readonly (readonly [end: string, url: string])[] = [
  ['/libs/streams/client/platformatic/library.ts', at('client/library.ts')],
  ['/libs/streams/client/platformatic/session-connection.ts', at('client/library.ts')],
  ['/libs/streams/client/platformatic/fetch.ts', at('client/fetch.ts')],
];
/** Packages and Node modules by their import name, with their substitutes. */
const PACKAGES: Readonly<Record<string, string>> = {
  'node:timers/promises': at('world/timers-promises.ts'),
  'prom-client': at('world/metrics.ts'),
};
/** Modules with the timers, clocks and signals of the simulated process. */
const SIMULATED = /\/libs\/(kafka-20734|streams|timing)\/.*\.ts$/;
const GLOBALS =
  `import { performance, Date, setTimeout, clearTimeout } from ${JSON.stringify(at('world/timers.ts'))}; ` +
  `import { AbortController } from ${JSON.stringify(at('world/abort.ts'))}; `;

/** A change of a source file. `find` occurs exactly once in the file whose path ends with `file`. */
export type SourceChange = { readonly file: string; readonly find: string; readonly replace: string };

/** Installs the substitutes. Must be called before any module of libs is loaded. */
export function substitute(changes: readonly SourceChange[]): void {
  registerHooks({
    resolve(specifier, context, next) {
      const isOfLibs = context.parentURL?.includes('/libs/') === true;
      const substitute = isOfLibs ? PACKAGES[specifier] : undefined;
      if (substitute !== undefined) return next(substitute, context);
      const resolved = next(specifier, context);
      if (!isOfLibs) return resolved;
      const found = MODULES.find(([end]) => resolved.url.endsWith(end));
      return found === undefined ? resolved : next(found[1], context);
    },
    load(url, context, next) {
      const loaded = next(url, context);
      if (!SIMULATED.test(url) || loaded.source === undefined || loaded.source === null) return loaded;
      let source = loaded.source.toString();
      for (const change of changes) if (url.endsWith(change.file)) source = changed(source, change);
      return { ...loaded, source: GLOBALS + source };
    },
  });
}

function changed(source: string, { file, find, replace }: SourceChange): string {
  const parts = source.split(find);
  if (parts.length !== 2)
    throw new Error(`${file} has ${parts.length - 1} times the code that a change replaces: ${find}`);
  return parts.join(replace);
}
