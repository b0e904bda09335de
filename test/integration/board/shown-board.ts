/** Fixture of the board's tests in Chromium: a served board for each test. */
import type { BrowserContext, Page } from 'puppeteer-core';
import { beforeEach } from 'vitest';
import { ServedBoard } from '../../../services/api/board/testing/served.ts';
import { TcpProxy } from '../../support/proxy.ts';
import { openBrowser, Visit, type VisitOptions } from './browser.ts';

export type ShownBoardOptions = {
  /** Publishes the matches that each test begins with. */
  readonly play: (served: ServedBoard) => void;
  /** Default `openBrowser`. */
  readonly open?: typeof openBrowser;
};

/** Call `ShownBoard.set` in a `describe`: its tests can use the returned board. */
export class ShownBoard {
  #browser: BrowserContext | undefined;
  #served: ServedBoard | undefined;
  #origin = '';

  static set({ play, open = openBrowser }: ShownBoardOptions): ShownBoard {
    const stage = new ShownBoard();
    beforeEach(async () => {
      stage.#browser = await open();
      stage.#served = await ServedBoard.start();
      play(stage.#served);
      stage.#origin = await stage.#served.listen();
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
    const proxy = await TcpProxy.start();
    proxy.forwardTo(Number(new URL(this.#origin).port));
    this.#origin = `http://localhost:${proxy.ports[0]}`;
    return proxy;
  }

  /** Opens a page of the board. */
  async open(path: string, options: VisitOptions = {}): Promise<Visit> {
    return Visit.open(this.browser, this.#urlOf(path), options);
  }

  /** Opens a page of the board and waits until it is connected to its stream. */
  async follow(path: string, options: VisitOptions = {}): Promise<Visit> {
    const visit = await this.open(path, options);
    await visit.live();
    return visit;
  }

  /** Opens an address of the board in an existing page. */
  async openIn(page: Page, path: string): Promise<Visit> {
    return Visit.of(page, this.#urlOf(path));
  }

  #urlOf(path: string): string {
    return path.startsWith('/') ? `${this.#origin}${path}` : path;
  }
}
