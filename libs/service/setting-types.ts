/** Types of settings: zod schemas that parse texts of the environment. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { parseRange } from './addresses.ts';

/** Returns the schema of a whole number from `min` to `max`; required without `fallback`. */
export function integer(min: number, max: number, fallback?: number): z.ZodType<number> {
  const error = `must be a whole number from ${min} to ${max}`;
  const schema = z
    .string()
    .regex(/^-?\d+$/, { error, abort: true })
    .transform(Number)
    .pipe(z.number().min(min, error).max(max, error));
  return fallback === undefined ? schema : schema.prefault(String(fallback));
}

/** Returns the schema of a TCP port; 0 stands for a free one. */
export function port(fallback?: number) {
  return integer(0, 65_535, fallback);
}

/** Returns the schema of a switch. */
export function onOff(fallback: 'on' | 'off') {
  return z.enum(['on', 'off'], 'must be on or off').default(fallback);
}

/** Returns the schema of a text that need not be set. */
export function optional(about: string) {
  return z.string().optional().describe(about);
}

/** Returns the schema of an address of this machine to listen on. */
export function host() {
  return z
    .string()
    .refine((text) => isIP(text) !== 0 || text === 'localhost', 'must be an IP address, or localhost');
}

/** Returns the schema of an http or https address; removes trailing slashes. */
export function httpUrl() {
  const error = 'must be an http or https address';
  return z.url({ protocol: /^https?$/, error }).transform((url) => url.replace(/\/+$/, ''));
}

/** Returns the schema of a comma-separated list of `item`: with `least` 0 without its empty items, and maybe of none. */
export function list<T extends z.ZodType<unknown, string>>(item: T, least: 0 | 1 = 1) {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .transform((parts) => (least === 0 ? parts.filter((part) => part !== '') : parts))
    .pipe(z.array(item).min(least));
}

/** Returns the schema of comma-separated ids, `least` or more. */
export function ids(least: 0 | 1) {
  return z
    .string()
    .regex(/^\s*(\d{1,15}\s*(,\s*\d{1,15}\s*)*)?$/, 'must be ids with commas between them')
    .transform((text) => [...text.matchAll(/\d+/g)].map(Number))
    .refine((found) => found.length >= least, `must name ${least} at least`);
}

/** Returns the schema of comma-separated addresses and networks, such as `10.0.0.0/8`. */
export function networks() {
  return list(z.string().refine(isNetwork, 'must be addresses or networks as 10.0.0.0/8'));
}

function isNetwork(text: string): boolean {
  return isIP(text) !== 0 || (parseRange(text)?.prefix ?? 0) >= 1;
}

/** Returns the schema of a PEM file with certificates. The file is read once; the setting's value is its text. */
export function certificates() {
  return z.string().transform((path, context) => {
    try {
      const pem = readFileSync(path, 'utf8');
      new X509Certificate(pem);
      return pem;
    } catch {
      const message = 'must be a file that can be read and contains a PEM certificate';
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
  });
}

/** Marks a setting as secret: errors, `--help` and logs never show its value. */
export function secret<T extends z.ZodType>(schema: T): T {
  return schema.meta({ ...schema.meta(), secret: true });
}
