/** The kinds of settings: zod schemas of texts, as in the environment. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { parseRange } from './addresses.ts';

/** A whole number from `min` to `max`. */
export function integer(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^-?\d+$/, { error, abort: true })
    .transform(Number)
    .pipe(z.number().min(min, error).max(max, error));
}

/** A TCP port; 0 uses a free one. */
export function port() {
  return integer(0, 65_535);
}

/** An address of this machine to listen on. */
export function host() {
  return z
    .string()
    .refine((text) => isIP(text) !== 0 || text === 'localhost', 'must be an IP address, or localhost');
}

/** An http or https address, without a trailing slash. */
export function httpUrl() {
  const error = 'must be an http or https address';
  return z.url({ protocol: /^https?$/, error }).transform((url) => url.replace(/\/+$/, ''));
}

/** A comma-separated list of at least one item, each checked by `item`. */
export function list<T extends z.ZodType<unknown, string>>(item: T) {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item).min(1));
}

/** Comma-separated ids, `least` of them at least. */
export function ids(least: 0 | 1) {
  return z
    .string()
    .regex(/^\s*(\d{1,15}\s*(,\s*\d{1,15}\s*)*)?$/, 'must be ids with commas between them')
    .transform((text) => [...text.matchAll(/\d+/g)].map(Number))
    .refine((found) => found.length >= least, `must name ${least} at least`);
}

/** Comma-separated addresses and networks, such as `10.0.0.0/8`. */
export function networks() {
  return list(z.string().refine(isNetwork, 'must be addresses or networks as 10.0.0.0/8'));
}

function isNetwork(text: string): boolean {
  return isIP(text) !== 0 || (parseRange(text)?.prefix ?? 0) >= 1;
}

/** A file with certificates in PEM, read once: the setting's value is the text. */
export function certificates() {
  return z.string().transform((path, context) => {
    try {
      const pem = readFileSync(path, 'utf8');
      new X509Certificate(pem);
      return pem;
    } catch {
      const message = 'must be a file that can be read and holds a certificate in PEM';
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
  });
}

/** Marks a setting as secret: its value stays out of errors, `--help` and logs. */
export function secret<T extends z.ZodType>(schema: T): T {
  return schema.meta({ ...schema.meta(), secret: true });
}
