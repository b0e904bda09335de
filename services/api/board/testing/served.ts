import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { Registry } from 'prom-client';
import { onTestFinished } from 'vitest';
import { answerErrors } from '#contract/rest/error-answers.ts';
import { fastifyServer } from '#service/http-server.ts';
import type { GateOptions } from '../gate.ts';
import { type BoardOptions, boardRoutes, notFoundPage } from '../routes.ts';
import { PlayedViews } from './playing.ts';

/** Opens the whole board to anyone on this machine. */
export const OPEN: GateOptions = {
  sessions: { open: async () => null, viewer: () => null, end: () => {} },
  openOnLoopback: true,
  competitions: null,
  publicUrl: undefined,
};

/** A server of the board over views that a test publishes to. It is closed after the test. */
export class ServedBoard {
  readonly played = new PlayedViews();
  readonly metrics = new Registry();
  /** With the headers and limits of the service itself: they decide what a browser allows a page. */
  readonly app: FastifyInstance = fastify(fastifyServer({}));
  #origin: string | undefined;

  static async start(options: Partial<BoardOptions> = {}): Promise<ServedBoard> {
    const served = new ServedBoard();
    onTestFinished(() => served.close());
    answerErrors(served.app, {
      now: () => Date.now() / 1000,
      version: '1.0.0',
      notFound: notFoundPage,
    });
    await served.app.register(boardRoutes, {
      view: served.played.views,
      now: () => Date.now() / 1000,
      metrics: served.metrics,
      gate: OPEN,
      ...options,
    });
    return served;
  }

  /** Starts to listen with the first call. Returns the origin. */
  async listen(port = 0): Promise<string> {
    if (this.#origin === undefined) {
      await this.app.listen({ host: '127.0.0.1', port });
      this.#origin = `http://127.0.0.1:${(this.app.server.address() as AddressInfo).port}`;
    }
    return this.#origin;
  }

  /** Returns the value of a metric; NaN when it has none. */
  async metric(name: string): Promise<number> {
    const metric = await this.metrics.getSingleMetric(name)?.get();
    return metric?.values[0]?.value ?? Number.NaN;
  }

  async close(): Promise<void> {
    await this.app.close();
  }
}
