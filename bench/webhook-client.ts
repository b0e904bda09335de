import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { SIGNATURE_HEADER, sign, TIMESTAMP_HEADER } from '#signing/signing.ts';

/** Maximum time of retries of a delivery that is answered 503: new topics may have no leaders for a while. */
const REPEAT_MS = 30_000;
const REPEAT_PAUSE_MS = 100;

/** Sends signed deliveries over kept connections, as a provider does. */
export class WebhookClient {
  readonly #url: string;
  readonly #secret: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(url: string, secret: string) {
    this.#url = url;
    this.#secret = secret;
  }

  /** Resolves when the delivery is accepted. Retries on 503, and rejects on any other answer. */
  async post(body: Buffer): Promise<void> {
    const until = performance.now() + REPEAT_MS;
    for (;;) {
      const { status, text } = await this.#send(body);
      if (status === 200 && text === 'Accepted') return;
      if (status !== 503 || performance.now() > until)
        throw new Error(`a delivery was answered ${status} ${text}`);
      await delay(REPEAT_PAUSE_MS);
    }
  }

  #send(body: Buffer): Promise<{ status: number | undefined; text: string }> {
    const expires = String(Math.floor(Date.now() / 1_000) + 300);
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      [TIMESTAMP_HEADER]: expires,
      [SIGNATURE_HEADER]: sign(body, expires, this.#secret),
    };
    const { promise, resolve, reject } = Promise.withResolvers<{
      status: number | undefined;
      text: string;
    }>();
    const sent = request(this.#url, { method: 'POST', agent: this.#agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
    return promise;
  }

  /** Waits until an empty delivery is accepted. */
  async untilReady(withinMs: number): Promise<void> {
    const until = performance.now() + withinMs;
    for (;;) {
      try {
        return await this.post(Buffer.from('[]'));
      } catch (error) {
        if (performance.now() > until) throw error;
        await delay(100);
      }
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}
