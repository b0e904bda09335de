/** Reads a secret from a person: never from an argument, which every user of the machine can list. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { readSecret } from '#security/secret.ts';

/** Reads a secret from a file, or from standard input when `file` is `-`; prompts on a terminal. Throws `SecretFileError`. */
export async function readGivenSecret(file: string, prompt: string): Promise<string> {
  if (file !== '-') return readSecret({ file });
  const { stdin } = process;
  return stdin.isTTY ? ask(prompt) : (await text(stdin)).replace(/\r?\n$/, '');
}

/** Prompts on the terminal, without echo. */
async function ask(prompt: string): Promise<string> {
  process.stderr.write(prompt);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
