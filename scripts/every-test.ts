/**
 * Runs every test of a change, for `.ci/run`: `node scripts/every-test.ts <file>`.
 *
 * First all files run in parallel. A file that fails runs once more alone, because a shared machine may have been too
 * busy for its deadlines. A file that fails again counts as failed. A file that passes alone is named with its reason:
 * a test that needs a quiet machine is a defect of the test or of the program.
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

/** Maximum number of lines of a reason. */
const REASON_LINES = 12;

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

const failedFiles = ({ files }: Run) => files.filter(({ status }) => status === 'failed');

/** Returns the first run, with the second result of each file that ran again. */
export function settled(first: Run, again: Run | undefined): Run {
  if (again === undefined) return first;
  const anew = new Map(again.files.map((file) => [file.name, file]));
  return { code: again.code, files: first.files.map((file) => anew.get(file.name) ?? file) };
}

/**
 * Returns the counts of tests, and the names of the failed ones, each with the first line of its reason. A file that
 * failed without a failed test counts as one failed test (it cannot be loaded, or its set-up failed), and so does a run
 * that failed without a failed file.
 */
export function counted(run: Run): { passed: number; failed: number; names: string[] } {
  const statuses = run.files.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const passed = statuses.filter((status) => status === 'passed').length;
  const names = failedFiles(run).flatMap((file) => {
    const tests = file.assertionResults.filter(({ status }) => status === 'failed');
    const path = relative(process.cwd(), file.name);
    if (tests.length === 0) return [`${path}: ${firstLine(file.message)}`];
    return tests.map(
      ({ fullName, failureMessages }) => `${path} > ${fullName}: ${firstLine(failureMessages?.[0] ?? '')}`,
    );
  });
  if (names.length === 0 && (run.code !== 0 || passed === 0)) names.push('the run itself');
  return { passed, failed: names.length, names };
}

/** Returns the lines for `.ci/run`. */
export function reportLines({ passed, failed, names }: ReturnType<typeof counted>): string[] {
  return [`${passed} ${failed}`, ...names.map((name) => name.replaceAll('\n', ' '))];
}

/** Returns the lines to print about the failed files, each with its reason. */
export function failureLines(run: Run): string[] {
  return failedFiles(run).flatMap((file) => {
    const messages = file.assertionResults.flatMap(({ failureMessages }) => failureMessages ?? []);
    const reason = (messages.length > 0 ? messages.join('\n') : file.message).split('\n');
    return [
      relative(process.cwd(), file.name),
      ...reason.slice(0, REASON_LINES).map((line) => `    ${line}`),
    ];
  });
}

async function vitest(args: readonly string[]): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'touchline-report-'));
  const report = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=./scripts/left-out.ts', '--reporter=json'];
    const child = spawn(
      'npx',
      [
        'vitest',
        'run',
        '--project',
        '!image',
        '--project',
        '!release',
        ...reporters,
        `--outputFile.json=${report}`,
        ...args,
      ],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
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
  const first = await vitest([]);
  const names = failedFiles(first).map(({ name }) => relative(process.cwd(), name));
  let again: Run | undefined;
  if (names.length > 0) {
    process.stdout.write(`\nfailed, now run with nothing beside them:\n${failureLines(first).join('\n')}\n`);
    again = await vitest(['--no-file-parallelism', ...names]);
  }
  const last = settled(first, again);
  await writeFile(file, `${reportLines(counted(last)).join('\n')}\n`);
  const passedAlone = failedFiles(first).filter(({ name }) =>
    last.files.some((other) => other.name === name && other.status !== 'failed'),
  );
  for (const line of failureLines({ code: 0, files: passedAlone }))
    process.stdout.write(`failed beside others, passed alone: ${line}\n`);
  for (const line of failureLines(last)) process.stdout.write(`failed: ${line}\n`);
}
