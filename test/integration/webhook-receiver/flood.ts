/**
 * A worker that opens many connections and sends a forged body over each: all but the last byte at once, that byte later.
 * It runs outside the test's thread so that it does not block the test. Once all connections are closed it posts the
 * status of every answer, '' for none.
 */
import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from '#signing/signing.ts';

/** The `workerData` of the worker. */
export type FloodOptions = {
  readonly port: number;
  readonly connections: number;
  /** Size of each body. */
  readonly bytes: number;
  readonly finishAfterMs: number;
};

const { port, connections, bytes, finishAfterMs }: FloodOptions = workerData;
const expires = Math.floor(Date.now() / 1000) + 300;
const forged = Buffer.alloc(bytes - 1, 'x');
const head = [
  'POST /webhook HTTP/1.1',
  'host: localhost',
  `${TIMESTAMP_HEADER}: ${expires}`,
  `${SIGNATURE_HEADER}: ${'0'.repeat(64)}`,
  `content-length: ${bytes}`,
];
const answers: string[] = [];
const sockets = Array.from({ length: connections }, send);
const finish = setTimeout(() => {
  for (const socket of sockets) if (socket.writable) socket.end('x');
}, finishAfterMs);

function send(): Socket {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('connect', () => {
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(forged);
  });
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  // The receiver may cut the connection; only the answer received before matters.
  socket.on('error', () => {});
  socket.on('close', () => {
    answers.push(received.slice(9, 12));
    if (answers.length < connections) return;
    clearTimeout(finish);
    parentPort?.postMessage(answers);
  });
  return socket;
}
