/**
 * A receiver of Touchline's webhooks, for Node 24 without dependencies. Put TLS in front of it.
 *
 *     WEBHOOK_SECRET=<32 characters> PORT=8090 STORE=messages.db node receiver.ts
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';

const { WEBHOOK_SECRET = '', PORT = '8090', STORE = 'messages.db' } = process.env;
const MAX_BODY_BYTES = 5 * 1024 * 1024;

type Message = { readonly id: string; readonly json: string };
type Answer = { readonly status: number; readonly text: string };

const database = new DatabaseSync(STORE);
database.exec('CREATE TABLE IF NOT EXISTS messages (id TEXT PRIMARY KEY, json TEXT NOT NULL)');
const insert = database.prepare('INSERT INTO messages (id, json) VALUES (?, ?) ON CONFLICT DO NOTHING');

/** Checks a delivery in the order of the contract: expiration, signature, and only then the JSON. */
function receive(headers: IncomingMessage['headers'], body: Buffer): Answer {
  const expiration = String(headers['x-signature-expiration-timestamp'] ?? '');
  if (!/^[1-9][0-9]{0,15}$/.test(expiration) || Number(expiration) < Math.floor(Date.now() / 1000)) {
    return { status: 401, text: 'expired' };
  }
  const expected = createHmac('sha256', WEBHOOK_SECRET).update(body).update(`.${expiration}`).digest('hex');
  const signature = String(headers['x-signature-sha256'] ?? '');
  if (signature.length !== expected.length || !timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) {
    return { status: 401, text: 'not authentic' };
  }
  const messages = parse(body);
  if (messages === null) return { status: 400, text: 'not an array of messages with an id' };
  for (const { id } of store(messages)) console.log(`applied ${id}`);
  return { status: 200, text: 'Accepted' };
}

function parse(body: Buffer): Message[] | null {
  try {
    return JSON.parse(body.toString()).map((message: { id?: string | number; uuid?: string }) => {
      const id = message.id ?? message.uuid;
      if (id === undefined) throw new TypeError('a message without an id');
      return { id: String(id), json: JSON.stringify(message) };
    });
  } catch {
    return null;
  }
}

/**
 * Stores the new messages in one transaction, and returns them. Write the effects of a message in this transaction too,
 * beside its id, so that they happen once even after a crash. Start slow work, and calls to other services, from the
 * table afterwards.
 */
function store(messages: readonly Message[]): Message[] {
  database.exec('BEGIN IMMEDIATE');
  try {
    const added = messages.filter(({ id, json }) => insert.run(id, json).changes > 0);
    database.exec('COMMIT');
    return added;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

const server = createServer(async (request, response) => {
  const answer = ({ status, text }: Answer): void => {
    response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
  };
  try {
    if (request.method !== 'POST') return answer({ status: 405, text: 'POST only' });
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of request) {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) return answer({ status: 413, text: 'too large' });
      chunks.push(chunk);
    }
    answer(receive(request.headers, Buffer.concat(chunks)));
  } catch (error) {
    console.error(error);
    answer({ status: 500, text: 'not stored, repeat it' });
  }
});

if (WEBHOOK_SECRET.length !== 32) throw new Error('WEBHOOK_SECRET must have 32 characters');
server.listen(Number(PORT), () => console.log(`listening on ${(server.address() as AddressInfo).port}`));
