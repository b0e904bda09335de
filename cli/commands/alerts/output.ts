import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import type { Alert } from '#topics/generated/types.ts';
import { CommandError } from '../../command.ts';
import { jsonText } from '../../values.ts';

/** Where alerts are written to, a line each. */
export type AlertOutput = {
  /** The offset of the first alert to write; null: of the next one that is published. */
  readonly from: number | null;
  write(alert: Alert, offset: number): Promise<void>;
  close(): void;
};

/** A line has its offset on the topic: what a file has says where to go on. */
function lineOf(alert: Alert, offset: number): string {
  return `${jsonText({ ...alert, offset })}\n`;
}

/** The standard output, from now on. Waits for its reader. */
export function standardOutput(): AlertOutput {
  return {
    from: null,
    async write(alert, offset) {
      if (!process.stdout.write(lineOf(alert, offset)))
        await new Promise((drained) => process.stdout.once('drain', drained));
    },
    close() {},
  };
}

/** More than the longest line. */
const TAIL_BYTES = 1024 * 1024;

/**
 * A file that has every alert of the topic once, whenever this process is killed: it continues after the last whole line, and
 * cuts a torn one off. Throws `CommandError` where the file cannot be opened or is another one.
 */
export function fileOutput(file: string): AlertOutput {
  let handle: number;
  try {
    handle = openSync(file, 'a+');
  } catch (error) {
    throw new CommandError(`the file of alerts cannot be opened: ${(error as Error).message}`);
  }
  const { size } = fstatSync(handle);
  const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
  readSync(handle, tail, 0, tail.length, size - tail.length);
  const end = tail.lastIndexOf('\n') + 1;
  if (end < tail.length) ftruncateSync(handle, size - tail.length + end);
  const last = tail.subarray(0, end).toString().trimEnd().split('\n').at(-1) ?? '';
  return {
    from: last === '' ? 0 : offsetOf(last, file) + 1,
    async write(alert, offset) {
      writeSync(handle, lineOf(alert, offset));
    },
    close: () => closeSync(handle),
  };
}

function offsetOf(line: string, file: string): number {
  try {
    const { offset } = JSON.parse(line);
    if (Number.isSafeInteger(offset)) return offset;
  } catch {
    // The same answer.
  }
  throw new CommandError(`the last line of ${file} is no alert: name another file`);
}
