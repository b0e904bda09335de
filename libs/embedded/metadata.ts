import { connect } from 'node:net';

const METADATA = 3;
const VERSION = 2;
const CORRELATION_ID = 1;
/** A metadata answer without topics is some hundred bytes: a larger one is not a broker's. */
const LARGEST_ANSWER = 1 << 20;

/**
 * True when a broker answers a metadata request, knows itself and a controller, and belongs to the given cluster
 * (undefined: any). Never rejects. Uses the wire protocol (Metadata version 2, no topics): no other request is needed.
 */
export function answersMetadata(
  host: string,
  port: number,
  clusterId?: string,
  timeoutMs = 2_000,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    let received = Buffer.alloc(0);
    socket.setTimeout(timeoutMs, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
    socket.once('connect', () => socket.write(metadataRequest()));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 4) return;
      const length = received.readInt32BE(0);
      if (length > LARGEST_ANSWER) finish(false);
      else if (received.length >= 4 + length) finish(isReady(received.subarray(4, 4 + length), clusterId));
    });
  });
}

function metadataRequest(): Buffer {
  const clientId = Buffer.from('touchline-ready');
  const request = Buffer.alloc(4 + 2 + 2 + 4 + 2 + clientId.length + 4);
  let at = request.writeInt32BE(request.length - 4, 0);
  at = request.writeInt16BE(METADATA, at);
  at = request.writeInt16BE(VERSION, at);
  at = request.writeInt32BE(CORRELATION_ID, at);
  at = request.writeInt16BE(clientId.length, at);
  at += clientId.copy(request, at);
  request.writeInt32BE(0, at); // no topics
  return request;
}

/** Reads `correlation id, [broker: node id, host, port, rack], cluster id, controller id` of the answer. */
function isReady(answer: Buffer, clusterId: string | undefined): boolean {
  let at = 0;
  const int32 = () => {
    at += 4;
    return answer.readInt32BE(at - 4);
  };
  const nullableString = () => {
    const length = answer.readInt16BE(at);
    at += 2 + Math.max(0, length);
    return length < 0 ? null : answer.toString('utf8', at - length, at);
  };
  try {
    if (int32() !== CORRELATION_ID) return false;
    const brokers = int32();
    for (let index = 0; index < brokers; index++) {
      int32(); // node id
      nullableString(); // host
      int32(); // port
      nullableString(); // rack
    }
    const cluster = nullableString();
    const controller = int32();
    return brokers > 0 && controller >= 0 && (clusterId === undefined || clusterId === cluster);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
