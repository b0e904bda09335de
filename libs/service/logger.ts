/** Logs JSON to stderr, one object per line, without secrets. */

import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { secretsRead } from '#security/secret.ts';

export type { Logger } from 'pino';

type LoggerOptions = {
  name: string;
  level: string;
  /** Texts that are redacted wherever they occur in a line. */
  secrets?: readonly string[];
  /** Destination of lines. Default: stderr. */
  stream?: DestinationStream;
};

/** Creates a pino logger. It writes synchronously, so that no line before an exit is lost; no hot path logs. */
export function createLogger({ name, level, secrets = [], stream }: LoggerOptions): Logger {
  const redact = redactor(secrets);
  return pino(
    { name, level, base: { pid: process.pid }, hooks: { streamWrite: (line) => redactLine(line, redact) } },
    stream ?? standardError(name),
  );
}

/** Bytes of lines that wait while standard error cannot be written, such as a file on a full disk; further lines are lost. */
const WAITING_BYTES = 1024 * 1024;

/** Returns standard error, which never throws: a log without room ends no service. It reports lost lines once it has room again. */
function standardError(name: string): DestinationStream {
  const stream = destination({ fd: 2, sync: true, maxLength: WAITING_BYTES });
  let lost = 0;
  stream.on('error', () => {});
  stream.on('drop', () => (lost += 1));
  stream.on('drain', () => {
    if (lost === 0) return;
    const line = { level: pino.levels.values.warn, time: Date.now(), pid: process.pid, name };
    stream.write(`${JSON.stringify({ ...line, msg: `${lost} lines of the log are lost` })}\n`);
    lost = 0;
  });
  return stream;
}

const REDACTED = '[redacted]';
/** The end of a key whose value is always secret, compared by letters only: `X-Api-Token`, `secret_key`. */
const SECRET_KEY = /(secrets?|secretkey|tokens?|password|authorization|apikey|cookie)$/;
const SECRET_PARAMETER = /\b(token|secret_key|client_secret|secret|password)=[^&\s"'#]+/gi;
/** Personal access tokens, wherever they occur. */
const ACCESS_TOKEN = /touchline_pat_[\w-]+/g;
const BEARER = /\b(Bearer|Basic)\s+[\w.~+/=-]+/gi;

/** Returns a function that redacts secrets in a text: given ones, those read from files, in query strings, in HTTP credentials, and access tokens. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  return (text) => {
    let clean = text
      .replace(SECRET_PARAMETER, `$1=${REDACTED}`)
      .replace(BEARER, `$1 ${REDACTED}`)
      .replace(ACCESS_TOKEN, REDACTED);
    // The longest first: the end of one that begins with another would stay.
    const known = [...secrets, ...secretsRead()].sort((a, b) => b.length - a.length);
    for (const secret of known) clean = clean.replaceAll(secret, REDACTED);
    return clean;
  };
}

/** Redacts a finished line. Unlike redaction by path, this reaches nested objects, messages, errors and their causes. */
function redactLine(line: string, redact: (text: string) => string): string {
  const clean: unknown = JSON.parse(line, (key, value: unknown) => {
    if (value !== null && value !== undefined && SECRET_KEY.test(key.replace(/[^a-z]/gi, '').toLowerCase()))
      return REDACTED;
    return typeof value === 'string' ? redact(value) : value;
  });
  return `${JSON.stringify(clean)}\n`;
}
