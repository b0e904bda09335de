import { UsageError } from '../command.ts';

/** The value of an option that is a number of things, from 1 to 9999; undefined where it is not given. Throws `UsageError`. */
export function parseCount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new UsageError(`--${option} must be a whole number from 1 to 9999`);
  return Number(text);
}
