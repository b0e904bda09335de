/** Settings of a process, checked together at the start: a zod schema of a text with `.describe()`, from which `--help` is made. */

import { z } from 'zod';
import { defineError } from '#errors/touchline-error.ts';
import type { Brokers } from '#security/brokers.ts';
import { readSecret } from '#security/secret.ts';
import type { RegistryUrl } from '#topics/registry-http.ts';
import { joinConnections, securitySettings, serverTlsSettings } from './connection-settings.ts';
import { host, httpUrl, integer, list, onOff, port } from './setting-types.ts';
import { tracingSettings } from './tracing-settings.ts';

export * from './setting-types.ts';

/** Thrown for missing or wrong settings. The message names each on its own line, never the value of a secret. */
export class ConfigError extends defineError('ConfigError', (problems: readonly string[]) => [
  'CONFIG_INVALID',
  ['These settings are wrong:', ...problems.map((problem) => `  ${problem}`)].join('\n'),
]) {}

/** Environment variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const brokerAddress = z
  .string()
  .regex(/^[^\s:/]+:\d{1,5}$|^\[[0-9a-fA-F:]+\]:\d{1,5}$/, 'must be host:port, with commas between several');

const LOOPBACK = '127.0.0.1';

export const processSettings = {
  METRICS_PORT: port(0).describe(
    'HTTP port for /metrics, /health, /health/live and /health/ready; 0 takes a free one and logs it.',
  ),
  METRICS_HOST: host()
    .default(LOOPBACK)
    .describe('Address to bind METRICS_PORT to; 0.0.0.0 is all IPv4 addresses, :: those of IPv6 too.'),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`)
    .default('info')
    .describe(`Minimum level to log: ${LOG_LEVELS.join(', ')}.`),
  ...serverTlsSettings,
  ...tracingSettings,
};

/** Settings of every process that serves requests other than metrics and health. */
export const listenSettings = {
  LISTEN_HOST: host()
    .default(LOOPBACK)
    .describe(
      'Address to serve on. Only this machine reaches the default; 0.0.0.0 is all IPv4 addresses, :: those of IPv6 too.',
    ),
  DRAIN_MS: integer(0, 300_000, 5_000).describe(
    'Time after SIGTERM in which the process still serves but is not ready, so that load balancers remove it, in milliseconds.',
  ),
};

/** Settings of every process that reads or writes topics. */
export const kafkaSettings = {
  // `joinConnections` adds security to both addresses.
  KAFKA_BROKERS: list(brokerAddress)
    .transform((addresses): Brokers => addresses)
    .describe('Brokers to connect to first, host:port, with commas between several.'),
  SCHEMA_REGISTRY_URL: httpUrl()
    .transform((url): RegistryUrl => url)
    .describe('Address of the schema registry (Confluent API).'),
  TOPIC_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._-]{0,100}$/, 'may contain letters, digits, dot, underscore and hyphen, 100 at most')
    .default('touchline.')
    .describe('Prefix of every topic, subject, group and transaction name.'),
  ...securitySettings,
};

/** Settings of services of which one process leads and the others stand by. */
export const leaderSettings = {
  SESSION_TIMEOUT_MS: integer(6_000, 300_000, 6_000).describe(
    'Time for which a silent process keeps its partitions or its lead, in milliseconds.',
  ),
  GROUP_INSTANCE_ID: z
    .string()
    .regex(/^[A-Za-z0-9._-]{0,200}$/, 'may contain letters, digits, dot, underscore and hyphen, 200 at most')
    .default('')
    .describe(
      'Name of this process in its group, unique within the service: a process restarted under the same name resumes its partitions at once. Empty: host and service.',
    ),
};

/** The setting of a service that reads competition rules. */
export const rulesSettings = {
  RULES_DIR: z
    .string()
    .default('')
    .describe(
      'Folder of the competition rules: one JSON file for each competition, default.json for all others. Empty: data/rules of this program. Read at start.',
    ),
};

/** The setting of the alert processor, and of the commands that start it. */
export const alertRulesSettings = {
  ALERT_RULES_FILE: z
    .string()
    .default('')
    .describe('File of the rules of alerts, JSON (docs/guides/alerts.md). Empty: no alerts. Read at start.'),
};

/** Settings of every processor, whose replicas share the partitions of its input. */
export const processorSettings = {
  ...processSettings,
  ...kafkaSettings,
  ...leaderSettings,
  LEAVE_ON_STOP: onOff('on').describe(
    'Whether a stopped process releases its partitions at once. Set off if it restarts under the same GROUP_INSTANCE_ID: a rolling restart then moves no partition, but others claim those of a process that stays away only after SESSION_TIMEOUT_MS.',
  ),
  ON_LOST_INPUT: z
    .enum(['stop', 'continue'], 'must be stop or continue')
    .default('stop')
    .describe(
      'What to do when the broker removed input before it was processed: stop that partition and report it, or continue without the input.',
    ),
};

/** Settings of a process that keeps files. */
export const dataSettings = {
  DATA_DIR: z.string().default('.touchline').describe('Folder for files of this process.'),
};

/** Parses the settings of `spec` in `env` and the files that `<name>_FILE` names; empty is not set. Throws one `ConfigError` for all. */
export function loadConfig<S extends z.ZodObject>(spec: S, env: Environment): z.output<S> {
  const problems: string[] = [];
  const report = (name: string, problem: string): void => void problems.push(`${name}: ${problem}`);
  const secrets = new Set(secretNames(spec));
  const { given, secretFiles } = readSettings(spec, env, secrets, report);
  const result = spec.safeParse(given);
  for (const { path, message } of result.error?.issues ?? []) {
    const name = String(path[0] ?? '(settings)');
    const value = given[name];
    if (secretFiles.has(name)) report(`${name}_FILE`, message);
    else if (value !== undefined)
      report(name, secrets.has(name) ? message : `${message}, is ${shown(value)}`);
    else if (path.length === 0) problems.push(message);
    else if (env[`${name}_FILE`] === undefined) report(name, 'is not set and has no default');
  }
  const values = result.data ?? validSettings(spec, given);
  const joined = joinConnections({ values, secretFiles }, report);
  if (result.success && problems.length === 0) return { ...result.data, ...joined };
  throw new ConfigError([...new Set(problems)]);
}

function readSettings(
  spec: z.ZodObject,
  env: Environment,
  secrets: ReadonlySet<string>,
  report: (name: string, problem: string) => void,
): { given: Record<string, string>; secretFiles: Map<string, string> } {
  const given: Record<string, string> = {};
  const secretFiles = new Map<string, string>();
  for (const name of Object.keys(spec.shape)) {
    const value = env[name];
    if (value !== undefined && value !== '') given[name] = value;
    const file = secrets.has(name) ? env[`${name}_FILE`] : undefined;
    if (file === undefined || file === '') continue;
    if (name in given) report(`${name}_FILE`, `is set, and ${name} too`);
    try {
      given[name] = readSecret({ file });
      secretFiles.set(name, file);
    } catch (error) {
      report(`${name}_FILE`, (error as Error).message);
    }
  }
  return { given, secretFiles };
}

/** Returns the values of the valid settings when others are wrong: what is wrong with connections is named with them. */
function validSettings(spec: z.ZodObject, given: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(spec.shape).flatMap(([name, schema]) => {
      const { success, data } = z.safeParse(schema, given[name]);
      return success ? [[name, data]] : [];
    }),
  );
}

/** Returns a wrong value as JSON, without what is before its last `@`: a password may contain any character. */
function shown(value: string): string {
  return JSON.stringify(value.replace(/^([\w+.-]+:\/\/)?.*@/s, '$1[redacted]@'));
}

/** A setting in `--help`. `fallback` is null for a required one. */
export type SettingHelp = { name: string; about: string; secret: boolean; fallback: string | null };

/** Describes the settings of a specification, in its order. */
export function describeSettings(spec: z.ZodObject): SettingHelp[] {
  const properties = z.toJSONSchema(spec, { io: 'input', unrepresentable: 'any' }).properties ?? {};
  return Object.entries(spec.shape).map(([name, schema]) => {
    const about = properties[name];
    const unset = z.safeParse(schema, undefined);
    const meta = typeof about === 'object' ? about : {};
    const isSecret = meta.secret === true;
    return {
      name,
      about: isSecret
        ? `${meta.description ?? ''} Or ${name}_FILE, a file that contains it.`
        : (meta.description ?? ''),
      secret: isSecret,
      fallback: unset.success ? renderValue(unset.data) : null,
    };
  });
}

function secretNames(spec: z.ZodObject): string[] {
  return describeSettings(spec)
    .filter((setting) => setting.secret)
    .map((setting) => setting.name);
}

/** Returns the values of all secret settings of a parsed configuration, each list item separately. Never log them. */
export function secretValues<S extends z.ZodObject>(spec: S, config: z.output<S>): string[] {
  const values: Record<string, unknown> = config;
  return secretNames(spec)
    .flatMap((name) => values[name])
    .filter((value) => typeof value === 'string');
}

/** Renders the settings as aligned lines: name, default, meaning. */
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

export function renderHelp(help: { usage: string; about: string; config: z.ZodObject }): string {
  return `Usage: ${help.usage}\n\n${help.about}\n\nSettings, from the environment (name, default, meaning):\n${renderSettings(help.config)}\n`;
}

function renderValue(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(',') : value === undefined ? '(none)' : String(value);
}
