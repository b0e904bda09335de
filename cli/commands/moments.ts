import { UsageError } from '../command.ts';

/** A date with a time and a zone, or whole Unix milliseconds. */
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;
const MILLISECONDS = /^\d{12,14}$/;

/** A moment of the command line as Unix milliseconds, null where it is not given. Throws `UsageError`. */
export function parseMoment(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const time = MILLISECONDS.test(text) ? Number(text) : ISO.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new UsageError(`${option} must be a moment as 2026-11-21T18:00:00Z, not ${JSON.stringify(text)}`);
  return time;
}
