import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort } from '#embedded/ports.ts';
import { signatureHeaders } from '#signing/signing.ts';
import { retry } from '#timing/retry.ts';
import { type BenchContext, connectionEnv } from './context.ts';
import { type Running, startService } from './processes.ts';

/** Retries of a delivery that is answered 503: new topics may have no leaders for a while. */
const REPEAT = { firstMs: 100, ceilingMs: 100, deadlineMs: 30_000 };
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
  post(body: Buffer): Promise<void> {
    return retry(() => this.#send(body), { ...REPEAT, passes: (error) => (error as Error).cause === 503 });
  }

  #send(body: Buffer): Promise<void> {
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      ...signatureHeaders(body, this.#secret, Date.now()),
    };
    return new Promise((resolve, reject) => {
      const sent = request(this.#url, { method: 'POST', agent: this.#agent, headers }, async (response) => {
        const answer = await text(response).catch(reject);
        if (response.statusCode === 200 && answer === 'Accepted') resolve();
        else {
          const { statusCode: cause } = response;
          reject(new Error(`a delivery was answered ${cause} ${answer}`, { cause }));
        }
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Waits until an empty delivery is accepted. */
  untilReady(deadlineMs = READY_MS): Promise<void> {
    return retry(() => this.#send(Buffer.from('[]')), { ...REPEAT, deadlineMs, passes: () => true });
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
export async function startReceiver(context: BenchContext, prefix: string): Promise<StartedReceiver> {
  const [port, secret] = [await freePort(), randomBytes(16).toString('hex')];
  const settings = { WEBHOOK_PORT: String(port), WEBHOOK_SECRET: secret };
  const process = startService('webhook-receiver', context.dir, {
    ...connectionEnv(context, prefix),
    ...settings,
  });
  const client = new WebhookClient(`http://127.0.0.1:${port}/webhook`, secret);
  await client.untilReady();
  return { port, secret, client, process };
}
