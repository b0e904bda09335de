/** A reporter that prints at the end of a run which tests were left out, why, and what they need. */
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** A test that was skipped. */
export type LeftOutTest = {
  /** Title of the test, after those of its suites. */
  readonly name: string;
  readonly file: string;
  /** The reason that the test gave for skipping itself. */
  readonly note?: string | undefined;
};

type Reason = { readonly pattern: RegExp; readonly of: string; readonly why: string };

const REASONS: readonly Reason[] = [
  {
    pattern: /Chromium/,
    of: 'of the live board in a browser',
    why: 'no Chromium was found; install it (Debian: apt install chromium), or name a browser in CHROMIUM',
  },
  {
    pattern: /needs (?<what>\w+), which is not on this machine/,
    of: 'of an example',
    why: 'a language is missing; install python3 with pip, or Java 17 with Maven',
  },
  {
    pattern: /needs (?:helm|kubeconform)/,
    of: 'of the Helm chart',
    why: 'helm, kubeconform or the schemas of Kubernetes are missing; docs/guides/kubernetes.md has the commands',
  },
  {
    pattern: /needs docker-compose/,
    of: 'of docker-compose.yml',
    why: 'docker-compose is missing; CONTRIBUTING.md says how to build it',
  },
  {
    pattern: /the image; needs/,
    of: 'of the image',
    why: 'it is built by root with buildah and mmdebstrap (Debian: apt install buildah mmdebstrap)',
  },
  {
    pattern: /needs zsh/,
    of: 'of completion',
    why: 'zsh is missing; install it (Debian: apt install zsh)',
  },
  {
    pattern: /needs fish/,
    of: 'of completion in fish',
    why: 'fish is missing; install it (Debian: apt install fish)',
  },
  {
    pattern: /needs nginx/,
    of: 'of servers behind a proxy',
    why: 'nginx is missing; install it (Debian: apt install nginx-light)',
  },
  {
    pattern: /needs (?:promtool|prometheus)/,
    of: 'of alert rules and dashboards',
    why: 'promtool or prometheus is missing; install it (Debian: apt install prometheus)',
  },
  {
    pattern: /needs (?:SCHEMATHESIS|PHP_CLIENT)/,
    of: 'of the contract by programs of others',
    why: 'they need Python and PHP; CONTRIBUTING.md has the commands',
  },
  {
    pattern: /shared|beside the project|the provider shows/,
    of: 'beside the provider’s own examples and official tables',
    why: 'these files are not part of the repository; they are read from ../shared where it is present',
  },
];

/** Returns one line for each reason of left-out tests, after a heading; none when no test was left out. */
function leftOutLines(tests: readonly LeftOutTest[]): string[] {
  if (tests.length === 0) return [];
  const groups = new Map<string, number>();
  for (const test of tests) {
    const reason = REASONS.find(({ pattern }) => pattern.test(`${test.name} ${test.note ?? ''}`));
    const text =
      reason === undefined
        ? `${test.name} (${test.file}): ${test.note ?? 'no reason given'}`
        : `${reason.of}: ${reason.why}`;
    groups.set(text, (groups.get(text) ?? 0) + 1);
  }
  return ['Left out:', ...groups.entries().map(([text, count]) => `  ${count} ${text}`)];
}

/** Prints nothing when tests are selected by name: the others are left out on purpose. */
export default class LeftOut implements Reporter {
  #byName = false;

  onInit(vitest: Vitest): void {
    this.#byName = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#byName) return;
    const tests = modules.flatMap(({ children, relativeModuleId: file }) =>
      [...children.allTests('skipped')].map((test) => {
        const { note } = test.result() as { readonly note?: string };
        return { name: test.fullName, file, note };
      }),
    );
    for (const line of leftOutLines(tests)) process.stdout.write(`${line}\n`);
  }
}
