import { request } from 'undici';

export type ShortAnswer = { readonly status: number; readonly body: string };

type Question = {
  readonly method?: 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
};

const TIMEOUT_MS = 30_000;

/** Sends a request on a connection of its own: a kept one may be closed at the moment of the request. */
export async function ask(url: string, question: Question = {}): Promise<ShortAnswer> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const { statusCode, body } = await request(url, { ...question, reset: true, signal });
  return { status: statusCode, body: await body.text() };
}
