import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { install } from '#embedded/installation.ts';
import { SIGNATURE_HEADER, signatureHeaders, TIMESTAMP_HEADER } from '#signing/signing.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { JAVA, runs } from './prepare.ts';

const FOLDER = join(import.meta.dirname, '../../../docs/examples/webhook-receiver');
const SECRET = '0123456789abcdef0123456789ABCDEF';
/** The signed text, with blanks and multi-byte characters. */
const BODY = '[ {"id":"5-1:7:0","type":"incident","name":"Müller ⚽"},\n {"uuid":"5-1:8:0"} ]';

type Language = {
  readonly name: string;
  readonly present: boolean;
  readonly command: () => Promise<readonly [string, ...string[]]>;
};

const LANGUAGES: readonly Language[] = [
  { name: 'TypeScript', present: true, command: async () => [process.execPath, 'receiver.ts'] },
  { name: 'Python', present: runs('python3', '--version'), command: async () => ['python3', 'receiver.py'] },
  {
    name: 'Java',
    present: JAVA !== null,
    command: async () => {
      // The broker's libraries include Jackson.
      const { kafkaLibs } = await install(process.env, () => {});
      return [JAVA ?? 'java', '-cp', join(kafkaLibs, '*'), 'Receiver.java'];
    },
  },
];

/** Starts an example, which the end of the test kills. */
async function start(language: Language, store: string) {
  const [command, ...args] = await language.command();
  const { PATH, HOME } = process.env;
  const child = spawn(command, args, {
    cwd: FOLDER,
    env: { PATH, HOME, WEBHOOK_SECRET: SECRET, PORT: '0', STORE: store },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const port = await until(`${language.name} listens`, () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    return lines.map((line) => /^listening on (\d+)$/.exec(line)?.[1]).find((found) => found !== undefined);
  });
  const applied = (): string[] => lines.flatMap((line) => /^applied (.+)$/.exec(line)?.[1] ?? []);
  return {
    applied,
    /**
     * Posts a body with these headers. Returns status and text of the answer, and all messages applied so
     * far.
     */
    async post(body: string, headers: Record<string, string>): Promise<[number, string, string[]]> {
      const response = await fetch(`http://127.0.0.1:${port}/webhook`, { method: 'POST', body, headers });
      return [response.status, await response.text(), applied()];
    },
    async kill(): Promise<void> {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}

const signed = (body: string, secret = SECRET, validSeconds?: number): Record<string, string> => ({
  'content-type': 'application/json',
  ...signatureHeaders(Buffer.from(body), secret, Date.now(), validSeconds),
});

describe.each(LANGUAGES)('the example receiver in $name', (language) => {
  const needs = language.present ? '' : ` (needs ${language.name}, which is not on this machine)`;

  test.runIf(language.present)(`applies authentic messages once${needs}`, async () => {
    const store = join(temporaryFolder(), 'store');
    const example = await start(language, store);
    const both = ['5-1:7:0', '5-1:8:0'];

    expect(await example.post('[]', signed('[]'))).toEqual([200, 'Accepted', []]);

    const forged = await example.post(BODY, signed(BODY, 'f'.repeat(32)));
    expect(forged).toEqual([401, 'not authentic', []]);
    const changed = await example.post(BODY.replace('7', '8'), signed(BODY));
    expect(changed).toEqual([401, 'not authentic', []]);
    const { [SIGNATURE_HEADER]: _signature, ...unsigned } = signed(BODY);
    expect(await example.post(BODY, unsigned)).toEqual([401, 'not authentic', []]);
    expect(await example.post('{', { ...signed('['), 'content-type': 'text/plain' })).toEqual([
      401,
      'not authentic',
      [],
    ]);

    const expired = await example.post(BODY, signed(BODY, SECRET, -1));
    expect(expired).toEqual([401, 'expired', []]);
    for (const timestamp of ['', '0', '-1', 'soon', '1e12', `${signed(BODY)[TIMESTAMP_HEADER]}.0`]) {
      const odd = await example.post(BODY, { ...signed(BODY), [TIMESTAMP_HEADER]: timestamp });
      expect(odd).toEqual([401, 'expired', []]);
    }

    expect((await example.post('{', signed('{')))[0]).toBe(400);
    expect((await example.post('{"id":1}', signed('{"id":1}')))[0]).toBe(400);
    expect((await example.post('[{}]', signed('[{}]')))[0]).toBe(400);
    expect(example.applied()).toEqual([]);

    expect((await example.post(BODY, signed(BODY))).slice(0, 2)).toEqual([200, 'Accepted']);
    await untilTrue('both are applied', () => example.applied().length === 2);
    expect(example.applied()).toEqual(both);

    // Repetitions: the whole delivery, another batch, within one batch, and after a crash.
    expect(await example.post(BODY, signed(BODY))).toEqual([200, 'Accepted', both]);
    await example.kill();
    const restarted = await start(language, store);
    const batch = '[{"id":"5-1:7:0"},{"id":"5-1:9:0"},{"id":"5-1:9:0"},{"id":"5-1:10:0"}]';
    expect((await restarted.post(batch, signed(batch))).slice(0, 2)).toEqual([200, 'Accepted']);
    expect((await restarted.post(batch, signed(batch))).slice(0, 2)).toEqual([200, 'Accepted']);
    await untilTrue('it is applied', () => restarted.applied().length === 2);
    expect(restarted.applied()).toEqual(['5-1:9:0', '5-1:10:0']);
  });
});
