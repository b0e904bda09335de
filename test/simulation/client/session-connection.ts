/** Replaces libs/streams/client/platformatic/session-connection.ts. */
export { SimulatedConnection as SessionConnection } from './network.ts';
