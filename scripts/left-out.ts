/** A reporter that prints at the end of a run which tests were left out, and what they need: the note or title says it. */
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Prints nothing when tests are selected by name: the others are left out on purpose. */
export default class LeftOut implements Reporter {
  #byName = false;

  onInit(vitest: Vitest): void {
    this.#byName = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#byName) return;
    const skipped = modules.flatMap(({ children, relativeModuleId: file }) =>
      [...children.allTests('skipped')].map((test) => {
        const { note } = test.result() as { readonly note?: string };
        return `${file}: ${note ?? /\(([^()]+)\)/.exec(test.fullName)?.[1] ?? test.fullName}`;
      }),
    );
    if (skipped.length > 0) process.stdout.write('Left out:\n');
    for (const [why, tests] of Map.groupBy(skipped, (line) => line))
      process.stdout.write(`  ${tests.length} of ${why}\n`);
  }
}
