import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { SIGNATURE_HEADER, sign, TIMESTAMP_HEADER } from '#signing/signing.ts';

/** Sends signed deliveries over kept connections, as a provider does. */
export class WebhookClient {
  readonly #url: string;
  readonly #secret: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(url: string, secret: string) {
    this.#url = url;
    this.#secret = secret;
  }

  /** Resolves when the delivery was accepted; rejects with any other answer. */
  async post(body: Buffer): Promise<void> {
    const expires = String(Math.floor(Date.now() / 1_000) + 300);
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      [TIMESTAMP_HEADER]: expires,
      [SIGNATURE_HEADER]: sign(body, expires, this.#secret),
    };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sent = request(this.#url, { method: 'POST', agent: this.#agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200 && text === 'Accepted') resolve();
        else reject(new Error(`a delivery was answered ${response.statusCode} ${text}`));
      });
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
