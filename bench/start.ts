/** Measures the start of `touchline` and its answers without a broker. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Bench, format, median } from './context.ts';
import { FIRST_ROUND, sizeOf } from './size.ts';

const RUNS = sizeOf('BENCH_RUNS', 10, 1);
const LAUNCHER = join(import.meta.dirname, '../bin/touchline.js');
/**
 * Prints the CPU time of its process, user and system, in milliseconds at its exit; wall time would depend on the load
 * of the machine.
 */
const CPU =
  'data:text/javascript,process.on("exit",()=>{const {user,system}=process.cpuUsage();console.error("cpu",(user+system)/1000)})';
const ANSWERS: readonly (readonly string[])[] = [
  ['--help'],
  ['version'],
  ['tail', '--help'],
  ['match', '--help'],
  ['clients', '--help'],
  ['demo', '--help'],
  ['tial'],
];

/** Measures the median of the CPU times with a filled compile cache, beside an empty Node process. */
export const bench: Bench = {
  about: 'CPU time of answers of the command line that need no broker, beside a Node that does nothing',
  subject: ['bin', 'cli'],
  async run(context) {
    const [bare = [], ...answers] = await measure([
      ['-e', '0'],
      ...ANSWERS.map((args) => [LAUNCHER, ...args]),
    ]);
    ANSWERS.forEach((args, at) => {
      const costs = answers[at] ?? [];
      context.print(`touchline ${args.join(' ')}: ${costs.map(format).join(', ')} ms of CPU`);
      context.figure({
        name: `\`touchline ${args.join(' ')}\``,
        ours: median(costs),
        beside: { name: '`node -e 0`', value: median(bare) },
        unit: 'ms',
        better: 'less',
      });
    });
    context.print(`node -e 0: ${bare.map(format).join(', ')} ms of CPU`);
  },
};

/** Returns the costs of each command, measured in turns, so that other load affects all alike. */
async function measure(commands: readonly (readonly string[])[]): Promise<number[][]> {
  const costs: number[][] = commands.map(() => []);
  for (let round = FIRST_ROUND; round <= RUNS; round++)
    for (const [at, args] of commands.entries()) {
      const cost = await cpuOf(args);
      if (round > 0) costs[at]?.push(cost);
    }
  return costs;
}

async function cpuOf(args: readonly string[]): Promise<number> {
  // An invalid command exits with another code, and is measured too.
  const { stderr } = await promisify(execFile)(process.execPath, ['--import', CPU, ...args]).catch(
    (error: { readonly stderr?: string }) => ({ stderr: error.stderr ?? '' }),
  );
  const cost = Number(/cpu (\S+)/.exec(stderr)?.[1]);
  if (Number.isNaN(cost)) throw new Error(`${args.join(' ')} did not say what it cost: ${stderr}`);
  return cost;
}
