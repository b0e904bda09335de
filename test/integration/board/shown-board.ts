/** Fixture of the board's tests in Chromium: a browser context and a served board for each test. */
import type { BrowserContext, Page } from 'puppeteer-core';
import { afterEach, beforeEach } from 'vitest';
import { ServedBoard } from '../../../services/api/board/testing/served.ts';
import { TcpProxy } from '../../support/proxy.ts';
import { openBrowser, Visit, type VisitOptions } from './browser.ts';

export type ShownBoardOptions = {
  /** Publishes the matches that each test begins with. */
  readonly play: (served: ServedBoard) => void;
};

/** Call `ShownBoard.set` in a `describe`: its tests can use the returned board. */
export class ShownBoard {
  #browser: BrowserContext | undefined;
  #served: ServedBoard | undefined;
  #proxy: TcpProxy | undefined;
  #origin = '';
  readonly #visits: Visit[] = [];

  static set({ play }: ShownBoardOptions): ShownBoard {
    const stage = new ShownBoard();
    beforeEach(async () => {
      stage.#browser = await openBrowser();
      stage.#served = await ServedBoard.start();
      play(stage.#served);
      stage.#origin = await stage.#served.listen();
    });
    afterEach(async () => {
      for (const visit of stage.#visits.splice(0)) await visit.close();
      // Closed before the server, which waits for its connections; a frozen network does not end them.
      await stage.#browser?.close();
      await stage.#proxy?.close();
      await stage.#served?.close();
    });
    return stage;
  }

  get browser(): BrowserContext {
    if (this.#browser === undefined) throw new Error('no browser before the first test');
    return this.#browser;
  }

  get served(): ServedBoard {
    if (this.#served === undefined) throw new Error('no board outside of a test');
    return this.#served;
  }

  get origin(): string {
    return this.#origin;
  }

  /** Puts a proxy that can be frozen between the pages of this test and the board. */
  async proxied(): Promise<TcpProxy> {
    this.#proxy = await TcpProxy.start();
    this.#proxy.forwardTo(Number(new URL(this.#origin).port));
    this.#origin = `http://localhost:${this.#proxy.ports[0]}`;
    return this.#proxy;
  }

  /** Opens a page of the board. It is closed at the end of the test. */
  async open(path: string, options: VisitOptions = {}): Promise<Visit> {
    return this.#keep(await Visit.open(this.browser, this.#urlOf(path), options));
  }

  /** Opens a page of the board and waits until it is connected to its stream. */
  async follow(path: string, options: VisitOptions = {}): Promise<Visit> {
    const visit = await this.open(path, options);
    await visit.live();
    return visit;
  }

  /** Opens an address of the board in an existing page. */
  async openIn(page: Page, path: string): Promise<Visit> {
    return this.#keep(await Visit.of(page, this.#urlOf(path)));
  }

  #keep(visit: Visit): Visit {
    this.#visits.push(visit);
    return visit;
  }

  #urlOf(path: string): string {
    return path.startsWith('/') ? `${this.#origin}${path}` : path;
  }
}
