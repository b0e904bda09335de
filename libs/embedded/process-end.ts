/** How a process ended, and whether it was for lack of memory. */
import { readFileSync } from 'node:fs';
import { adviceOf } from '#errors/shortages.ts';

/** The end of a process: its exit code, or the signal that ended it. */
export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/**
 * Returns how many processes the system has ended since its start because memory ran out, of the machine or of a container; 0 where it
 * cannot be read. Such a process has no last word, and its parent sees only SIGKILL.
 */
export function endedForMemory(vmstat: string = readVmstat()): number {
  return Number(/^oom_kill (\d+)/m.exec(vmstat)?.[1] ?? 0);
}

/** Returns how a process ended, without its name. `before`: `endedForMemory` at its start. */
export function endText({ code, signal }: Exit, before: number, now = endedForMemory()): string {
  if (signal === null) return `ended with exit code ${code}`;
  const isForMemory = signal === 'SIGKILL' && now > before;
  return `was ended by ${signal}${isForMemory ? ` when ${adviceOf('ENOMEM')}` : ''}`;
}

function readVmstat(): string {
  try {
    return readFileSync('/proc/vmstat', 'utf8');
  } catch {
    return '';
  }
}
