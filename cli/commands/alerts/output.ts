import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { withAdvice } from '#errors/shortages.ts';
import { parseJson } from '#json/values.ts';
import type { Alert } from '#records/types.ts';
import { CommandError } from '../../command.ts';
import { printLineAndDrain } from '../../terminal.ts';
import { jsonText } from '../../values.ts';
import type { ALERT_FORMATS } from './command.ts';
import { alertLine } from './line.ts';

/** An output of alerts, a line each. */
export type AlertOutput = {
  /** Offset of the first alert to write; null begins with the next alert that is published. */
  readonly from: number | null;
  /** Ids of alerts that were written before they were published. */
  readonly early: readonly string[];
  /** Writes an alert; `offset` is null when it is not published yet. */
  write(alert: Alert, offset: number | null): Promise<void>;
  close(): void;
};

/** A line has the offset of its alert, so that a file tells where to continue. */
function jsonLine(alert: Alert, offset: number | null): string {
  return jsonText({ ...alert, offset });
}

/** Writes new alerts to the standard output, and waits for its reader. */
export function standardOutput(format: (typeof ALERT_FORMATS)[number]): AlertOutput {
  return {
    from: null,
    early: [],
    write: (alert, offset) =>
      printLineAndDrain(format === 'line' ? alertLine(alert) : jsonLine(alert, offset)),
    close() {},
  };
}

/** Bytes to read from the end of a file: more than the longest line. */
const TAIL_BYTES = 1024 * 1024;

/**
 * Writes every alert of the topic to a file, each once, even when this process is killed: continues after the last complete
 * line, and removes an incomplete one. Throws `CommandError` when the file cannot be opened, or has other content, which stays.
 */
export function fileOutput(file: string): AlertOutput {
  let handle: number;
  try {
    handle = openSync(file, 'a+');
  } catch (error) {
    throw new CommandError(`the file of alerts cannot be opened: ${(error as Error).message}`);
  }
  try {
    const { size, complete, lines } = readEnd(handle, file);
    const last = lines.findLast(({ offset }) => offset !== null)?.offset ?? null;
    if (complete < size) ftruncateSync(handle, complete);
    return {
      from: last === null ? 0 : last + 1,
      early: lines.filter(({ offset }) => offset === null).map(({ id }) => id),
      async write(alert, offset) {
        try {
          writeFileSync(handle, `${jsonLine(alert, offset)}\n`);
        } catch (error) {
          throw new CommandError(
            `${file} cannot be written (${withAdvice(error as Error)}); the next start continues after its last alert`,
          );
        }
      },
      close: () => closeSync(handle),
    };
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

/**
 * Reads the end of a file of alerts. Returns its size and that of its complete lines, in bytes, and the last complete lines.
 * Throws `CommandError` for a file with other content.
 */
function readEnd(handle: number, file: string): { size: number; complete: number; lines: Line[] } {
  const { size } = fstatSync(handle);
  const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
  readSync(handle, tail, 0, tail.length, size - tail.length);
  const end = tail.lastIndexOf('\n') + 1;
  const isPart = size > tail.length;
  const lines = parseLines(tail.subarray(0, end), isPart, file);
  if (!isIncompleteLine(tail.toString('utf8', end))) throw otherContent(file);
  if (isPart && lines.every(({ offset }) => offset === null))
    throw new CommandError(`the last lines of ${file} have no offset to continue from: name another file`);
  return { size, complete: size - tail.length + end, lines };
}

/** Parses lines of a file; `isCut`: without the first, whose beginning is missing. */
function parseLines(end: Buffer, isCut: boolean, file: string): Line[] {
  const texts = end
    .toString()
    .split('\n')
    .slice(isCut ? 1 : 0, -1);
  const lines = texts.map(parseLine);
  if (lines.some((line) => line === null)) throw otherContent(file);
  return lines.filter((line) => line !== null);
}

function otherContent(file: string): CommandError {
  return new CommandError(`the last lines of ${file} are no alerts: name another file`);
}

type Line = { readonly id: string; readonly offset: number | null };

/** The fields that distinguish an alert from other JSON. */
const lineSchema = z.object({ id: z.string(), rule: z.string(), offset: z.int().nullable() });

function parseLine(text: string): Line | null {
  return lineSchema.safeParse(parseJson(text)).data ?? null;
}

/** A line begins with `LINE_HEAD`, its id, and `AFTER_ID`. */
const LINE_HEAD = '{"id":"';
const ID = /^(?:[^"\\]|\\.)*\\?/;
const AFTER_ID = '","rule":"';

/** Whether a text may be the part of a line that a killed process wrote: a beginning, or all but the line break. */
function isIncompleteLine(text: string): boolean {
  if (text.length <= LINE_HEAD.length) return LINE_HEAD.startsWith(text);
  if (!text.startsWith(LINE_HEAD)) return false;
  const rest = text.slice(LINE_HEAD.length).replace(ID, '').slice(0, AFTER_ID.length);
  if (!AFTER_ID.startsWith(rest)) return false;
  return parseJson(text) === undefined || parseLine(text) !== null;
}
