/** Reads the cpu time of all processes below the bench. */
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { format } from './context.ts';
import { cpuSecondsOf } from './processes.ts';

/** Cpu time so far by name of the process, seconds. */
export type MachineUse = ReadonlyMap<string, number>;

/** The part of the broker's time in which its virtual machine compiles code, as it still does minutes after its start. */
export const BROKER_COMPILER = 'broker’s compiler';

/** Returns the cpu time of this process and its running descendants. */
export async function machineUse(): Promise<MachineUse> {
  const children = new Map<number, number[]>();
  for (const entry of await readdir('/proc').catch(() => [])) {
    const pid = Number(entry);
    const parent = Number.isInteger(pid) ? await parentOf(pid) : null;
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const use = new Map<string, number>();
  const add = async (pid: number): Promise<void> => {
    const [name, seconds] = [await nameOf(pid), await cpuSecondsOf(pid)];
    if (!Number.isNaN(seconds)) use.set(name, (use.get(name) ?? 0) + seconds);
    if (name === 'broker')
      use.set(BROKER_COMPILER, (use.get(BROKER_COMPILER) ?? 0) + (await compilerSecondsOf(pid)));
    for (const child of children.get(pid) ?? []) await add(child);
  };
  await add(process.pid);
  return use;
}

/** Returns the cpu time of one process between two readings per message, microseconds. */
export function usedBy(name: string, before: MachineUse, after: MachineUse, messages: number): number {
  return (1e6 * ((after.get(name) ?? 0) - (before.get(name) ?? 0))) / messages;
}

/** Describes the cpu time of all processes between two readings per message, microseconds, largest first. */
export function usePerMessage(before: MachineUse, after: MachineUse, messages: number): string {
  return [...after.keys()]
    .filter((name) => name !== BROKER_COMPILER)
    .map((name) => [name, usedBy(name, before, after, messages)] as const)
    .filter(([, used]) => used > 0)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, used]) => `${name} ${format(used)}`)
    .join(', ');
}

/** Returns the cpu time of the threads in which a Java process compiles code, seconds. */
async function compilerSecondsOf(pid: number): Promise<number> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const times = tasks.map(async (task) => {
    const name = await readFile(`/proc/${pid}/task/${task}/comm`, 'utf8').catch(() => '');
    return /^C[12] Compiler/.test(name) ? cpuSecondsOf(`${pid}/task/${task}`) : 0;
  });
  return (await Promise.all(times)).reduce((sum, seconds) => sum + seconds, 0);
}

async function parentOf(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return stat === null ? null : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** Returns the name of a service, the file of a script, or the command of another process. */
async function nameOf(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const words = line.split('\0');
  // The last one: a script before it is loaded into the process by `--import`.
  const script = words.findLast((word) => word.endsWith('.ts'));
  if (pid === process.pid) return 'the bench';
  if (script !== undefined)
    return /services\/([^/]+)\/main\.ts$/.exec(script)?.[1] ?? basename(script, '.ts');
  if (line.includes('kafka.Kafka')) return 'broker';
  if (line.includes('java')) return 'registry';
  return basename((words[0] ?? '').split(' ')[0] ?? '');
}
