import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#embedded/ports.ts';
import { signatureHeaders } from '#signing/signing.ts';
import { type BenchContext, connectionEnv } from './context.ts';
import { type Running, startService } from './processes.ts';

/** Maximum time of retries of a delivery that is answered 503: new topics may have no leaders for a while. */
const REPEAT_MS = 30_000;
const REPEAT_PAUSE_MS = 100;
const READY_MS = 60_000;

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
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      ...signatureHeaders(body, this.#secret, Date.now()),
    };
    return new Promise((resolve, reject) => {
      const sent = request(this.#url, { method: 'POST', agent: this.#agent, headers }, (response) => {
        text(response).then((answer) => resolve({ status: response.statusCode, text: answer }), reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
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

/** A running receiver, and a client of it. */
export type StartedReceiver = {
  readonly port: number;
  readonly secret: string;
  readonly client: WebhookClient;
  readonly process: Running;
};

/** Starts a receiver, and waits until it accepts deliveries. */
export async function startReceiver(
  context: BenchContext,
  prefix: string,
  env: Readonly<Record<string, string>> = {},
): Promise<StartedReceiver> {
  const [port, secret] = [await freePort(), randomBytes(16).toString('hex')];
  const settings = { WEBHOOK_PORT: String(port), WEBHOOK_SECRET: secret };
  const process = startService('webhook-receiver', context.dir, {
    ...connectionEnv(context, prefix),
    ...settings,
    ...env,
  });
  const client = new WebhookClient(`http://127.0.0.1:${port}/webhook`, secret);
  await client.untilReady(READY_MS);
  return { port, secret, client, process };
}
