import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  ConfigError,
  describeSettings,
  integer,
  kafkaSettings,
  list,
  loadConfig,
  processSettings,
  renderHelp,
  secret,
  secretValues,
} from './config.ts';

const spec = z.object({
  ...kafkaSettings,
  ...processSettings,
  WEBHOOK_PORT: integer(0, 65_535, 8080).describe('Port of the webhook.'),
  WEBHOOK_SECRET: secret(list(z.string().length(32, 'each secret must have exactly 32 characters'))).describe(
    'The shared secret, comma for two.',
  ),
  NOTE: z.string().optional().describe('Free text.'),
});

const good = {
  KAFKA_BROKERS: 'one:9092, two:9093',
  SCHEMA_REGISTRY_URL: 'http://localhost:8081/apis/ccompat/v7/',
  WEBHOOK_SECRET: `${'a'.repeat(32)},${'b'.repeat(32)}`,
};

function problemsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(spec, env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).code).toBe('CONFIG_INVALID');
    return (error as ConfigError).message.split('\n').slice(1);
  }
  return [];
}

describe('loadConfig', () => {
  test('parses settings and fills in defaults', () => {
    expect(loadConfig(spec, { ...good, UNRELATED: 'x' })).toEqual({
      KAFKA_BROKERS: ['one:9092', 'two:9093'],
      SCHEMA_REGISTRY_URL: 'http://localhost:8081/apis/ccompat/v7',
      TOPIC_PREFIX: 'touchline.',
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: 0,
      KAFKA_TLS: 'off',
      LOG_LEVEL: 'info',
      OTEL_TRACES_SAMPLER: 'parentbased_always_on',
      OTEL_TRACES_SAMPLER_ARG: 1,
      WEBHOOK_PORT: 8080,
      WEBHOOK_SECRET: ['a'.repeat(32), 'b'.repeat(32)],
    });
  });

  test('treats an empty text as not set', () => {
    expect(loadConfig(spec, { ...good, WEBHOOK_PORT: '', TOPIC_PREFIX: '' })).toMatchObject({
      WEBHOOK_PORT: 8080,
      TOPIC_PREFIX: 'touchline.',
    });
  });

  test('names every wrong setting at once', () => {
    expect(
      problemsOf({
        KAFKA_BROKERS: 'one:9092,,two',
        WEBHOOK_PORT: '80x',
        LOG_LEVEL: 'loud',
        METRICS_PORT: '70000',
        METRICS_HOST: 'metrics.example',
        TOPIC_PREFIX: 'a b',
        WEBHOOK_SECRET: 'short',
      }),
    ).toEqual([
      '  KAFKA_BROKERS: must be host:port, with commas between several, is "one:9092,,two"',
      '  SCHEMA_REGISTRY_URL: is not set and has no default',
      '  TOPIC_PREFIX: may contain letters, digits, dot, underscore and hyphen, 100 at most, is "a b"',
      '  METRICS_PORT: must be a whole number from 0 to 65535, is "70000"',
      '  METRICS_HOST: must be an IP address, or localhost, is "metrics.example"',
      '  LOG_LEVEL: must be one of trace, debug, info, warn, error, fatal, silent, is "loud"',
      '  WEBHOOK_PORT: must be a whole number from 0 to 65535, is "80x"',
      '  WEBHOOK_SECRET: each secret must have exactly 32 characters',
    ]);
  });

  test.each(['1.5', '1e3', '0x10', ' 5', '-1', '65536', 'NaN'])('rejects %j as a port', (value) => {
    expect(problemsOf({ ...good, WEBHOOK_PORT: value })).toHaveLength(1);
  });

  test.each(['ftp://localhost', 'localhost:8081', 'http://'])('rejects %j as an address', (value) => {
    expect(problemsOf({ ...good, SCHEMA_REGISTRY_URL: value })).toHaveLength(1);
  });
});

test.each([
  ['http://user:pa/hidden-value@registry.example:8081', 'http://[redacted]@registry.example:8081'],
  ['http://user:hidden-value@hidden-value@registry.example:x', 'http://[redacted]@registry.example:x'],
  ['user:hidden-value@registry.example:8081', '[redacted]@registry.example:8081'],
])('shows a wrong address without user and password: %s', (url, shown) => {
  expect(problemsOf({ ...good, SCHEMA_REGISTRY_URL: url })).toEqual([
    `  SCHEMA_REGISTRY_URL: must be an http or https address, is "${shown}"`,
  ]);
});

describe('help', () => {
  test('describes every setting from the same definition', () => {
    const about = 'The shared secret, comma for two. Or WEBHOOK_SECRET_FILE, a file that contains it.';
    const port = { name: 'WEBHOOK_PORT', about: 'Port of the webhook.', secret: false, fallback: '8080' };
    expect(describeSettings(spec)).toContainEqual(port);
    const shared = { name: 'WEBHOOK_SECRET', about, secret: true, fallback: null };
    expect(describeSettings(spec)).toContainEqual(shared);
    expect(describeSettings(spec).filter((setting) => setting.about === '')).toEqual([]);
  });

  test('shows name, default and meaning, one line per setting', () => {
    const text = renderHelp({ usage: 'touchline x', about: 'Does x.', config: spec });
    expect(text).toContain('Usage: touchline x\n\nDoes x.\n');
    expect(text).toMatch(/^ {2}KAFKA_BROKERS +required +Brokers to connect to first/m);
    expect(text).toMatch(/^ {2}TOPIC_PREFIX +touchline\. +Prefix of/m);
    expect(text).toMatch(/^ {2}NOTE +\(none\) +Free text\.$/m);
  });
});

test('returns the secret values, each item of a list separately', () => {
  expect(secretValues(spec, loadConfig(spec, good))).toEqual(['a'.repeat(32), 'b'.repeat(32)]);
});
