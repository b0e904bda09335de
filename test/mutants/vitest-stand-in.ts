/**
 * The part of Vitest that the tests of pure rules use, in this process: it collects the tests once and runs them for
 * each mutant. `expect` and `vi.spyOn` are Vitest's own.
 */
import { vi as vitest } from 'vitest';

export { expect } from 'vitest';

type Step = () => unknown;
// biome-ignore lint/suspicious/noExplicitAny: a case of any table.
type Body = (...values: any[]) => unknown;
type Suite = { readonly names: readonly string[]; readonly before: Step[]; readonly after: Step[] };

export type CollectedTest = { readonly name: string; readonly run: () => Promise<void> };

/** Fixed, so that a mutant always meets the same random examples. */
const SEED = 1;

let collected: CollectedTest[] = [];
let suites: Suite[] = [];
let finished: Step[] = [];
let isRunning = false;
let starts = 1;

export async function collect(load: () => Promise<unknown>): Promise<CollectedTest[]> {
  collected = [];
  suites = [{ names: [], before: [], after: [] }];
  await load();
  return collected;
}

/** Lets the next test of each file run its `beforeAll` again. */
export function startOver(): void {
  starts += 1;
}

function define(name: string, body: Body, values: readonly unknown[] = []): void {
  const around = [...suites];
  const names = [...(around.at(-1)?.names ?? []), name];
  const run = async () => {
    finished = [];
    isRunning = true;
    try {
      for (const { before } of around) for (const step of before) await step();
      await body(...values);
    } finally {
      for (const { after } of around.toReversed()) for (const step of after) await step();
      for (const step of finished.toReversed()) await step();
      isRunning = false;
    }
  };
  collected.push({ name: names.join(' > '), run });
}

function defineSuite(name: string, body: Body, values: readonly unknown[] = []): void {
  suites.push({ names: [...(suites.at(-1)?.names ?? []), name], before: [], after: [] });
  try {
    body(...values);
  } finally {
    suites.pop();
  }
}

/** Returns `test` or `describe` with tables of cases and conditions. The names of cases end with their number. */
function withTables(one: typeof define) {
  const each =
    (cases: readonly unknown[]) =>
    (name: string, body: Body): void => {
      cases.forEach((values, i) => {
        one(`${name} [${i}]`, body, Array.isArray(values) ? values : [values]);
      });
    };
  const plain = (name: string, body: Body): void => one(name, body);
  const skipped = Object.assign(() => {}, { each: () => () => {} });
  const all = Object.assign(plain, { each });
  const runIf = (condition: unknown) => (condition ? all : skipped);
  return Object.assign(all, { runIf, skipIf: (condition: unknown) => runIf(!condition) });
}

export const test = withTables(define);
export const describe = withTables(defineSuite);

export function beforeEach(step: Step): void {
  suites.at(-1)?.before.push(step);
}

/** Runs a step before the first test after each `startOver`, since a mutant is active only while tests run. */
export function beforeAll(step: Step): void {
  let last = 0;
  beforeEach(async () => {
    if (last === starts) return;
    last = starts;
    isRunning = false;
    await step();
    isRunning = true;
  });
}

export function afterEach(step: Step): void {
  suites.at(-1)?.after.push(step);
}

export function onTestFinished(step: Step): void {
  finished.push(step);
}

/** Tells a running test from the load of its file. */
export const TestRunner = { getCurrentTest: () => (isRunning ? { meta: {} } : undefined) };

export function inject(name: 'seed'): number {
  if (name !== 'seed') throw new Error(`no such value: ${name}`);
  return SEED;
}

/** Spies as Vitest does. Ignores timeouts: Stryker has its own. */
export const vi = { setConfig: () => {}, spyOn: vitest.spyOn };
