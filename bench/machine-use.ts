/** Reads the cpu time of all processes below the bench. */
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { cpuSecondsOf } from './processes.ts';

/** Cpu time so far by name of the process, seconds. */
export type MachineUse = ReadonlyMap<string, number>;

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
    for (const child of children.get(pid) ?? []) await add(child);
  };
  await add(process.pid);
  return use;
}

/** Returns the cpu time of one process between two readings per message, microseconds. */
export function usedBy(name: string, before: MachineUse, after: MachineUse, messages: number): number {
  return (1e6 * ((after.get(name) ?? 0) - (before.get(name) ?? 0))) / messages;
}

async function parentOf(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return stat === null ? null : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** Returns the name of a service, the file of a script, or the command of another process. */
async function nameOf(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const words = line.split('\0');
  const script = words.find((word) => word.endsWith('.ts'));
  if (pid === process.pid) return 'the bench';
  if (script !== undefined)
    return /services\/([^/]+)\/main\.ts$/.exec(script)?.[1] ?? basename(script, '.ts');
  if (line.includes('kafka.Kafka')) return 'broker';
  if (line.includes('java')) return 'registry';
  return basename((words[0] ?? '').split(' ')[0] ?? '');
}
