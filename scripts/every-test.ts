/**
 * Runs every test of a change, for `.ci/run`: `node scripts/every-test.ts <file>`.
 *
 * First all files run in parallel. A file that fails runs once more alone, because a shared machine may have been too
 * busy for its deadlines; one that fails again counts as failed. One that passes alone is named: a test that needs a
 * quiet machine is a defect of the test or of the program.
 *
 * Writes for `.ci/run` the counts of passed and failed tests, then one line for each failed test.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** Result of one test file, as Vitest's JSON reporter writes it. */
export type FileReport = {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages?: readonly string[] | null;
  }[];
};

/** One run of Vitest: its exit code, and its report by file. */
export type Run = { readonly code: number; readonly files: readonly FileReport[] };

const failedFiles = ({ files }: Run): string[] =>
  files.filter(({ status }) => status === 'failed').map(({ name }) => relative(process.cwd(), name));

/** Returns the first run, with the second result of each file that ran again. */
export function settled(first: Run, again: Run): Run {
  const anew = new Map(again.files.map((file) => [file.name, file]));
  return { code: again.code, files: first.files.map((file) => anew.get(file.name) ?? file) };
}

/**
 * Returns the lines for `.ci/run`: the counts of passed and failed tests, then each failed test with the first line of its reason. A
 * file that failed without a failed test counts as one (it cannot be loaded, or its set-up failed), and so does a run that failed
 * without a failed file.
 */
export function reportLines({ code, files }: Run): string[] {
  const line = (text: string | undefined): string => (text ?? '').split('\n')[0] ?? '';
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const failed = files
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const path = relative(process.cwd(), name);
      const own = assertionResults.filter(({ status }) => status === 'failed');
      if (own.length === 0) return [`${path}: ${line(message)}`];
      return own.map(
        ({ fullName, failureMessages }) => `${path} > ${fullName}: ${line(failureMessages?.[0])}`,
      );
    });
  if (failed.length === 0 && (code !== 0 || passed === 0)) failed.push('the run itself');
  return [`${passed} ${failed.length}`, ...failed.map((name) => name.replaceAll('\n', ' '))];
}

async function vitest(...args: readonly string[]): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'touchline-report-'));
  const report = join(folder, 'report.json');
  // The integration tests are in the project `backbone` too.
  const projects = ['!image', '!release', '!integration'].flatMap((name) => ['--project', name]);
  const reporters = ['--reporter=default', '--reporter=./scripts/left-out.ts', '--reporter=json'];
  const all = ['vitest', 'run', ...projects, ...reporters, `--outputFile.json=${report}`, ...args];
  try {
    const child = spawn('npx', all, { stdio: ['ignore', 'inherit', 'inherit'] });
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (status) => resolve(status ?? 1));
    });
    const written = await readFile(report, 'utf8').catch(() => '{"testResults":[]}');
    return { code, files: (JSON.parse(written) as { testResults: FileReport[] }).testResults };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [file = ''] = process.argv.slice(2);
  // For both runs: with another seed, what a random test found would pass.
  process.env.SEED ??= String(Date.now() % 1_000_000_000);
  let last = await vitest();
  const names = failedFiles(last);
  if (names.length > 0) {
    process.stdout.write('\nfailed, now run with nothing beside them:\n');
    for (const line of reportLines(last).slice(1)) process.stdout.write(`  ${line}\n`);
    last = settled(last, await vitest('--no-file-parallelism', ...names));
    const failedAgain = failedFiles(last);
    for (const name of names)
      if (!failedAgain.includes(name)) process.stdout.write(`failed beside others, passed alone: ${name}\n`);
  }
  await writeFile(file, `${reportLines(last).join('\n')}\n`);
}
