/**
 * `npm run bench` runs all benches, `npm run bench -- NAME …` the named ones. `--record` also writes the figures into
 * docs/reference/performance.md, `--smallest` only checks that each runs. Exits with code 1 when a bench failed.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { type Backbone, startBackbone } from '#embedded/backbone.ts';
import { QUICK_START } from '#embedded/settings.ts';
import { type Bench, type Figure, format } from './context.ts';
import { killAll } from './processes.ts';
import { ratioOf, record } from './record.ts';
import { SMALLEST } from './size.ts';

/** All benches in their order; a bench is loaded when it runs. */
const BENCHES: Readonly<Record<string, () => Promise<{ readonly bench: Bench }>>> = {
  throughput: () => import('./throughput.ts'),
  latency: () => import('./latency.ts'),
  live: () => import('./live.ts'),
  failover: () => import('./failover.ts'),
  receiver: () => import('./receiver.ts'),
  restore: () => import('./restore.ts'),
  memory: () => import('./memory.ts'),
  incidents: () => import('./incidents.ts'),
  api: () => import('./api.ts'),
  views: () => import('./views.ts'),
  webhooks: () => import('./webhooks.ts'),
};

/** Number of parallel benches: two in the smallest form, whose figures do not matter and which mostly waits. */
const AT_ONCE = SMALLEST ? 2 : 1;

const { values, positionals: names } = parseArgs({
  options: {
    record: { type: 'boolean', default: false },
    smallest: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const recording = values.record;
const unknown = names.filter((name) => !(name in BENCHES));
if (recording && SMALLEST)
  refuse('--record and --smallest exclude each other: the smallest form measures nothing.');
if (recording && git('status', '--porcelain', '--untracked-files=no') !== '')
  refuse('Commit first: a record names the commit that it was measured at.');
if (values.help || unknown.length > 0) {
  console.error(await usage());
  if (values.help) process.exit(0);
  refuse(`No bench ${unknown.join(', ')}.`);
}
const commit = git('rev-parse', '--short', 'HEAD');
const failed = await runBenches(names.length === 0 ? Object.keys(BENCHES) : names);
process.exit(failed.length === 0 ? 0 : 1);

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
}

function refuse(why: string): never {
  console.error(why);
  process.exit(2);
}

async function usage(): Promise<string> {
  const lines = Object.entries(BENCHES).map(
    async ([name, load]) => `  ${name.padEnd(12)}${(await load()).bench.about}`,
  );
  const list = (await Promise.all(lines)).join('\n');
  return `Usage: npm run bench -- [--record | --smallest] [NAME …]\nWithout a name all of them run, in this order:\n${list}`;
}

/** Runs the benches, and resolves with the names of the failed ones. A failure does not stop the others. */
async function runBenches(chosen: readonly string[]): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'touchline-bench-'));
  if (SMALLEST) startCheaply(dir);
  const print = (line: string) => console.log(line);
  const dataDir = join(dir, 'backbone');
  const backbone = await startBackbone({ dataDir, env: process.env, onProgress: print });
  process.once('SIGINT', () => void backbone.stop().finally(() => process.exit(130)));
  const results: string[] = [];
  const failed: string[] = [];
  try {
    const machine = await machineLine(backbone);
    print(`\n${machine}`);
    const turns = chosen.values();
    const takeTurns = async (): Promise<void> => {
      for (const name of turns) {
        const lines = await runOne(name, dir, backbone, machine).catch((error: unknown) => {
          console.error(`${name} failed:`, error);
          failed.push(name);
          if (AT_ONCE === 1) killAll();
          return [];
        });
        results.push(...lines);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
    if (SMALLEST)
      print(`\n${chosen.length - failed.length} of ${chosen.length} benches ran in their smallest form`);
    else print(`\n== Result\n${machine}\n${results.join('\n')}`);
    if (failed.length > 0) print(`failed: ${failed.join(', ')}`);
    return failed;
  } finally {
    await backbone.stop();
    if (failed.length > 0) print(`Logs are kept in ${dir}`);
    else await rm(dir, { recursive: true, force: true });
  }
}

/** Runs a bench, records it if requested, and resolves with the lines of its result. */
async function runOne(name: string, dir: string, backbone: Backbone, machine: string): Promise<string[]> {
  const load = BENCHES[name];
  if (load === undefined) return [];
  const { bench } = await load();
  console.log(`\n== ${name}: ${bench.about}`);
  const figures: Figure[] = [];
  const raw: string[] = [];
  await bench.run({
    backbone,
    brokers: backbone.brokers,
    registryUrl: backbone.registryUrl,
    dir,
    prefix: (part) => `bench-${process.pid.toString(36)}-${name}-${part}.`,
    print(line) {
      raw.push(line);
      console.log(AT_ONCE === 1 ? line : `${name}: ${line}`);
    },
    figure: (figure) => figures.push(figure),
  });
  if (recording) await record({ bench: name, commit, machine, figures, raw });
  return figures.map((figure) => `${name.padEnd(11)}${lineOf(figure)}`);
}

/** Sets options for cheap starts: processes of the smallest form do little else than start. */
function startCheaply(dir: string): void {
  process.env.JDK_JAVA_OPTIONS = [process.env.JDK_JAVA_OPTIONS ?? '', ...QUICK_START].join(' ');
  process.env.NODE_COMPILE_CACHE = join(dir, 'compiled');
}

function lineOf(figure: Figure): string {
  const { name, ours, beside, unit } = figure;
  if (beside === undefined) return `${name}: ${format(ours)} ${unit}`;
  const [ratio, wanted] = ratioOf(figure);
  const peer = `${beside.name} ${format(beside.value)} ${unit}`;
  return `${name}: ${format(ours)} ${unit}, ${peer}: ratio ${ratio}${wanted === '' ? '' : `, wanted ${wanted}`}`;
}

async function machineLine({ kind }: Backbone): Promise<string> {
  const cores = cpus();
  const { stderr } = await promisify(execFile)('java', ['-version']);
  const java = /version "([^"]+)"/.exec(stderr)?.[1] ?? 'unknown';
  const memory = Math.round(totalmem() / 2 ** 30);
  return (
    `machine: ${cores.length} cores ${cores[0]?.model ?? ''}, ${memory} GiB, ${process.platform}, load ${loadavg()[0]?.toFixed(1)} at the start; ` +
    `node ${process.versions.node}, java ${java}, kafka ${kind}`
  );
}
