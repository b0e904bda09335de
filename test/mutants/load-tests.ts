import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { testsOf } from './tests-of.ts';
import { type CollectedTest, collect, startOver } from './vitest-stand-in.ts';

export type LoadedTest = CollectedTest & { readonly id: string; readonly fileName: string };

const STAND_INS: Readonly<Record<string, string>> = {
  vitest: new URL('./vitest-stand-in.ts', import.meta.url).href,
  'fast-check': new URL('./fast-check-stand-in.ts', import.meta.url).href,
};

/**
 * Replaces libraries by the stand-ins for all tests that this process loads later; the stand-ins themselves import the
 * real libraries. Call it once.
 */
export function replaceLibraries(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const url = STAND_INS[specifier];
      return url === undefined || context.parentURL === url
        ? next(specifier, context)
        : { url, shortCircuit: true };
    },
  });
}

/** Ends what the tests of a run share, for the next run to start it again. Call it after `replaceLibraries`. */
export async function endRun(): Promise<void> {
  const { endShared } = await import('../support/at-end.ts');
  await endShared();
  startOver();
}

export async function loadTests(folder: string): Promise<LoadedTest[]> {
  await import(pathToFileURL(resolve('test/setup/seed.ts')).href);
  const loaded: LoadedTest[] = [];
  for (const file of testsOf(folder)) {
    const fileName = resolve(file);
    const tests = await collect(() => import(pathToFileURL(fileName).href));
    loaded.push(...tests.map((one) => ({ ...one, fileName, id: `${file} > ${one.name}` })));
  }
  return loaded;
}
