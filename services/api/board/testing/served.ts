import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { Registry } from 'prom-client';
import { answerErrors } from '#contract/rest/error-answers.ts';
import { fastifyServer } from '#service/http-server.ts';
import { atEnd } from '../../../../test/support/at-end.ts';
import type { GateOptions } from '../gate.ts';
import { type BoardOptions, boardRoutes, notFoundPage } from '../routes.ts';
import { PlayedViews } from './playing.ts';
import { leagueTable } from './provider-tables.ts';
import { playBoard, playSerbiaBrazil, SERBIA_BRAZIL } from './scenes.ts';

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
    atEnd(() => served.close());
    const now = (): number => Date.now() / 1000;
    answerErrors(served.app, { now, version: '1.0.0', notFound: notFoundPage });
    await served.app.register(boardRoutes, {
      view: served.played.views,
      now,
      metrics: served.metrics,
      gate: OPEN,
      ...options,
    });
    return served;
  }

  /** Starts a board of matches in every phase, with a league table and a live one (39720). */
  static async startPlayed(options: Partial<BoardOptions> = {}): Promise<ServedBoard> {
    const served = await ServedBoard.start(options);
    playBoard(served.played, Date.now() / 1000);
    playSerbiaBrazil(served.played, Date.now() / 1000);
    served.played.table(39719, 2, 'League standings', leagueTable());
    served.played.table(39720, 244, 'League standings live', leagueTable(SERBIA_BRAZIL.id));
    return served;
  }

  async get(url: string, headers: Readonly<Record<string, string>> = {}) {
    const response = await this.app.inject({ url, headers: { ...headers } });
    return { status: response.statusCode, text: response.body, headers: response.headers };
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
