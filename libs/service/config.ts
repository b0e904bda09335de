/**
 * Settings of a process: read from the environment once, checked as a whole at start.
 * A setting is a zod schema of a text with `.describe()`; the same definition gives `--help`.
 */

import { isIP } from 'node:net';
import { z } from 'zod';
import { TouchlineError } from '#errors/touchline-error.ts';
import { parseRange } from './address-range.ts';

/** Settings are missing or wrong; the message names each on its own line, never a secret's value. */
export class ConfigError extends TouchlineError<'ConfigError'> {
  override readonly name = 'ConfigError';

  constructor(problems: readonly string[]) {
    super(
      'CONFIG_INVALID',
      ['These settings are wrong:', ...problems.map((problem) => `  ${problem}`)].join('\n'),
    );
  }
}

/** Environment variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

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
function host() {
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

/** Comma-separated addresses and networks, such as `10.0.0.0/8`. */
export function networks() {
  return list(z.string().refine(isNetwork, 'must be addresses or networks as 10.0.0.0/8'));
}

function isNetwork(text: string): boolean {
  return isIP(text) !== 0 || (parseRange(text)?.prefix ?? 0) >= 1;
}

/** Marks a setting as secret: its value stays out of errors, `--help` and logs. */
export function secret<T extends z.ZodType>(schema: T): T {
  return schema.meta({ ...schema.meta(), secret: true });
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const brokerAddress = z
  .string()
  .regex(/^[^\s:/]+:\d{1,5}$|^\[[0-9a-fA-F:]+\]:\d{1,5}$/, 'must be host:port, with commas between several');

const LOOPBACK = '127.0.0.1';

/** Settings of every process. */
export const processSettings = {
  METRICS_PORT: port()
    .prefault('0')
    .describe('HTTP port of /metrics, /health/live and /health/ready; 0 takes a free one and logs it.'),
  METRICS_HOST: host()
    .default(LOOPBACK)
    .describe('Address that METRICS_PORT is bound to; 0.0.0.0 is all of this machine, :: those of IPv6 too.'),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`)
    .default('info')
    .describe(`Least level that is logged: ${LOG_LEVELS.join(', ')}.`),
};

/** Settings of every process that serves requests besides metrics and health. */
export const listenSettings = {
  LISTEN_HOST: host()
    .default(LOOPBACK)
    .describe(
      'Address that it serves on: by default this machine alone reaches it; 0.0.0.0 is all addresses, :: those of IPv6 too.',
    ),
};

/** Settings of every process that reads or writes topics. */
export const kafkaSettings = {
  KAFKA_BROKERS: list(brokerAddress).describe(
    'Brokers to start from, host:port, with commas between several.',
  ),
  SCHEMA_REGISTRY_URL: httpUrl().describe('Address of the schema registry (Confluent API).'),
  TOPIC_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._-]{0,100}$/, 'may hold letters, digits, dot, underscore and hyphen, 100 at most')
    .default('touchline.')
    .describe('Put before every topic, subject, group and transaction name.'),
};

/** Settings of every process that shares the partitions of its input with other replicas. */
export const groupSettings = {
  SESSION_TIMEOUT_MS: integer(6_000, 300_000)
    .prefault('10000')
    .describe('How long a process that went silent keeps its partitions, in milliseconds.'),
};

/** Settings of every process that keeps its position in its input. */
const inputSettings = {
  ON_LOST_INPUT: z
    .enum(['stop', 'continue'], 'must be stop or continue')
    .default('stop')
    .describe(
      'Where the broker removed input before it was processed: stop that partition and say so, or continue without it.',
    ),
};

/** Settings of every processor. */
export const processorSettings = { ...processSettings, ...kafkaSettings, ...groupSettings, ...inputSettings };

/** Settings of a process that keeps files. */
export const dataSettings = {
  DATA_DIR: z.string().default('.touchline').describe('Folder for what is kept on this machine.'),
};

/**
 * Checks every setting of `spec` in `env` and returns them parsed. An empty text counts as not set.
 * Throws one `ConfigError` that names every wrong setting.
 */
export function loadConfig<S extends z.ZodObject>(spec: S, env: Environment): z.output<S> {
  const given: Record<string, string> = {};
  for (const name of Object.keys(spec.shape)) {
    const value = env[name];
    if (value !== undefined && value !== '') given[name] = value;
  }
  const result = spec.safeParse(given);
  if (result.success) return result.data;
  const secrets = new Set(
    describeSettings(spec)
      .filter((setting) => setting.secret)
      .map((setting) => setting.name),
  );
  const problems = result.error.issues.map(({ path, message }) => {
    const name = String(path[0] ?? '(settings)');
    const value = given[name];
    if (value === undefined) return path.length === 0 ? message : `${name}: is not set and has no default`;
    return secrets.has(name) ? `${name}: ${message}` : `${name}: ${message}, is ${JSON.stringify(value)}`;
  });
  throw new ConfigError([...new Set(problems)]);
}

/** A setting in `--help`; `fallback` is null where it is required. */
export type SettingHelp = { name: string; about: string; secret: boolean; fallback: string | null };

/** Describes the settings of a specification, in its order. */
export function describeSettings(spec: z.ZodObject): SettingHelp[] {
  const properties = z.toJSONSchema(spec, { io: 'input', unrepresentable: 'any' }).properties ?? {};
  return Object.entries(spec.shape).map(([name, schema]) => {
    const about = properties[name];
    const unset = z.safeParse(schema, undefined);
    const meta = typeof about === 'object' ? about : {};
    return {
      name,
      about: meta.description ?? '',
      secret: meta.secret === true,
      fallback: unset.success ? renderValue(unset.data) : null,
    };
  });
}

/** The values of all secret settings of a parsed configuration, each list item separately: never log them. */
export function secretValues<S extends z.ZodObject>(spec: S, config: z.output<S>): string[] {
  const values: Record<string, unknown> = config;
  return describeSettings(spec)
    .filter((setting) => setting.secret)
    .flatMap((setting) => values[setting.name])
    .filter((value) => typeof value === 'string');
}

/** The settings as aligned lines: name, default, meaning. */
export function renderSettings(spec: z.ZodObject): string {
  const rows = describeSettings(spec).map((setting): [string, string, string] => [
    setting.name,
    setting.fallback === null ? 'required' : setting.secret ? '(secret)' : setting.fallback || '(empty)',
    setting.about,
  ]);
  const width = (column: 0 | 1): number => Math.max(0, ...rows.map((row) => row[column].length));
  return rows
    .map(([name, fallback, about]) =>
      `  ${name.padEnd(width(0))}  ${fallback.padEnd(width(1))}  ${about}`.trimEnd(),
    )
    .join('\n');
}

/** The text of `--help` of a process. */
export function renderHelp(help: { usage: string; about: string; config: z.ZodObject }): string {
  return `Usage: ${help.usage}\n\n${help.about}\n\nSettings, from the environment (name, default, meaning):\n${renderSettings(help.config)}\n`;
}

function renderValue(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(',') : value === undefined ? '(none)' : String(value);
}
