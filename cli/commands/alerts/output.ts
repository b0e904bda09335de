import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { z } from 'zod';
import { parseJson } from '#contract/values.ts';
import type { Alert } from '#topics/generated/types.ts';
import { CommandError } from '../../command.ts';
import { sayInTime } from '../../terminal.ts';
import { jsonText } from '../../values.ts';
import type { ALERT_FORMATS } from './command.ts';
import { alertLine } from './line.ts';

/** Where alerts are written to, a line each. */
export type AlertOutput = {
  /** The offset of the first alert to write; null: of the next one that is published. */
  readonly from: number | null;
  /** Ids of the last lines that were written before their alerts were published. */
  readonly early: readonly string[];
  /** `offset`: null where the alert is not published yet. */
  write(alert: Alert, offset: number | null): Promise<void>;
  close(): void;
};

/** A line has its offset on the topic: what a file has says where to go on. */
function lineOf(alert: Alert, offset: number | null): string {
  return jsonText({ ...alert, offset });
}

/** How alerts are written to the standard output: lines for people, or JSON. */
export type AlertFormat = (typeof ALERT_FORMATS)[number];

/** The standard output, from now on. Waits for its reader. */
export function standardOutput(format: AlertFormat): AlertOutput {
  return {
    from: null,
    early: [],
    write: (alert, offset) => sayInTime(format === 'line' ? alertLine(alert) : lineOf(alert, offset)),
    close() {},
  };
}

/** More than the longest line. */
const TAIL_BYTES = 1024 * 1024;

/**
 * A file that has every alert of the topic once, whenever this process is killed: it continues after the last whole line, and
 * cuts a torn one off. Throws `CommandError` where the file cannot be opened, or has anything else, which it leaves as it is.
 */
export function fileOutput(file: string): AlertOutput {
  let handle: number;
  try {
    handle = openSync(file, 'a+');
  } catch (error) {
    throw new CommandError(`the file of alerts cannot be opened: ${(error as Error).message}`);
  }
  try {
    const { size, whole, lines } = readEnd(handle, file);
    const last = lines.findLast(({ offset }) => offset !== null)?.offset ?? null;
    if (whole < size) ftruncateSync(handle, whole);
    return {
      from: last === null ? 0 : last + 1,
      early: lines.filter(({ offset }) => offset === null).map(({ id }) => id),
      async write(alert, offset) {
        writeSync(handle, `${lineOf(alert, offset)}\n`);
      },
      close: () => closeSync(handle),
    };
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

/** The last lines of a file of alerts, its size, and that of its whole lines, bytes. Throws `CommandError` for another file. */
function readEnd(handle: number, file: string): { size: number; whole: number; lines: Line[] } {
  const { size } = fstatSync(handle);
  const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
  readSync(handle, tail, 0, tail.length, size - tail.length);
  const end = tail.lastIndexOf('\n') + 1;
  const isPart = size > tail.length;
  const lines = linesOf(tail.subarray(0, end), isPart, file);
  if (!isTornLine(tail.toString('utf8', end))) throw anotherFile(file);
  if (isPart && lines.every(({ offset }) => offset === null))
    throw new CommandError(`${file} does not say where to go on: name another file`);
  return { size, whole: size - tail.length + end, lines };
}

/** The lines of the end of a file, without the first where it is torn. */
function linesOf(end: Buffer, isTorn: boolean, file: string): Line[] {
  const texts = end
    .toString()
    .split('\n')
    .slice(isTorn ? 1 : 0, -1);
  const lines = texts.map(parseLine);
  if (lines.some((line) => line === null)) throw anotherFile(file);
  return lines.filter((line) => line !== null);
}

function anotherFile(file: string): CommandError {
  return new CommandError(`the last lines of ${file} are no alerts: name another file`);
}

type Line = { readonly id: string; readonly offset: number | null };

/** What tells a line from any other JSON. */
const lineSchema = z.object({ id: z.string(), rule: z.string(), offset: z.int().nullable() });

function parseLine(text: string): Line | null {
  return lineSchema.safeParse(parseJson(text)).data ?? null;
}

/** How a line begins, up to the end of its id. */
const LINE_HEAD = '{"id":"';
const ID = /^(?:[^"\\]|\\.)*\\?/;
const AFTER_ID = '","rule":"';

/** Whether a text may be what a kill left of a line: its beginning, or all of it but the line break. */
function isTornLine(text: string): boolean {
  if (text.length <= LINE_HEAD.length) return LINE_HEAD.startsWith(text);
  if (!text.startsWith(LINE_HEAD)) return false;
  const rest = text.slice(LINE_HEAD.length).replace(ID, '').slice(0, AFTER_ID.length);
  if (!AFTER_ID.startsWith(rest)) return false;
  return parseJson(text) === undefined || parseLine(text) !== null;
}
