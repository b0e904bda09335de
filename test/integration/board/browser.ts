import { existsSync } from 'node:fs';
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core';
import { atEnd } from '../../support/at-end.ts';
import { DEADLINE_MS } from '../../support/poll.ts';

const CHROMIUM_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of the browser: the setting `CHROMIUM`, else the installed one; null: none. */
export const CHROMIUM = process.env.CHROMIUM ?? CHROMIUM_PATHS.find((path) => existsSync(path)) ?? null;

/** Suffix for the names of test groups that are skipped because there is no browser. */
export const NEEDS_CHROMIUM = CHROMIUM === null ? ' (no Chromium: install it, or name it in CHROMIUM)' : '';

/** Debian's Chromium without tabs and windows, which takes half of the processor time. All of its pages are in the front. */
const SHELL = '/usr/bin/chromium-headless-shell';
const OF_PAGES = process.env.CHROMIUM === undefined && existsSync(SHELL) ? SHELL : CHROMIUM;

/** The browser of this worker, shared by its test files; it ends with the worker. */
let chromium: Promise<Browser> | undefined;

/**
 * Returns the browser of this worker, without cookies. It keeps an empty page, so that the next page needs no new process: in a context
 * of its own, each would cost twice as much of the processor.
 */
export async function openBrowser(): Promise<BrowserContext> {
  if (chromium === undefined) {
    const starting = startChromium(OF_PAGES);
    chromium = starting;
    (await starting).once('disconnected', () => {
      chromium = undefined;
    });
  }
  const context = (await chromium).defaultBrowserContext();
  await context.deleteCookie(...(await context.cookies()));
  return context;
}

/** Returns a whole browser for the current test: one tab of a window is in the front. */
export async function openTabs(): Promise<BrowserContext> {
  const browser = await startChromium(CHROMIUM);
  atEnd(() => browser.close());
  return browser.defaultBrowserContext();
}

/** Without a process for each site and a spare one, a page costs a quarter less of the processor. */
const FEW_PROCESSES = [
  '--disable-site-isolation-trials',
  '--disable-features=SpareRendererForSitePerProcess',
  '--renderer-process-limit=2',
];

/** Starts Chromium without a window; as root without its sandbox, which does not work there. */
async function startChromium(executablePath: string | null): Promise<Browser> {
  if (executablePath === null) throw new Error(NEEDS_CHROMIUM);
  const root = process.getuid?.() === 0;
  return puppeteer.launch({
    executablePath,
    timeout: DEADLINE_MS,
    args: [...(root ? ['--no-sandbox'] : []), '--disable-dev-shm-usage', '--disable-gpu', ...FEW_PROCESSES],
  });
}

/** A page, its requests and its problems. */
export class Visit {
  readonly page: Page;
  /** Errors and warnings in the console, failed scripts, and answers with an error status. */
  readonly complaints: string[] = [];
  /** URLs that the page requested. */
  readonly requests: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on('console', (message) => {
      if (['error', 'warn'].includes(message.type())) this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('request', (request) => this.requests.push(request.url()));
    page.on('response', (response) => {
      if (response.status() >= 400) this.complaints.push(`${response.status()} ${response.url()}`);
    });
  }

  /** Visits a URL in a window of its own, because all tabs of a window but the last are hidden, and so not connected. */
  static async open(
    browser: Pick<BrowserContext, 'newPage'>,
    url: string,
    options: VisitOptions = {},
  ): Promise<Visit> {
    return Visit.of(await browser.newPage({ type: 'window' }), url, options);
  }

  /** Visits a URL in an existing page, which is closed at the end of the test. */
  static async of(
    page: Page,
    url: string,
    { width = 1280, height = 900, features = {} }: VisitOptions = {},
  ): Promise<Visit> {
    const visit = new Visit(page);
    atEnd(() => page.close());
    page.setDefaultTimeout(DEADLINE_MS);
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures(Object.entries(features).map(([name, value]) => ({ name, value })));
    await page.goto(url, { waitUntil: 'load' });
    return visit;
  }

  /** Waits until the page is connected to its stream. */
  async live(): Promise<void> {
    await this.page.waitForSelector('#connection[data-state="live"]');
  }

  /** Returns the value of an expression in the page. */
  ask<T>(expression: string): Promise<T> {
    return this.page.evaluate(expression) as Promise<T>;
  }

  /** Returns the rendered texts of all matching elements. */
  texts(selector: string): Promise<string[]> {
    return this.ask(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.innerText.replace(/\\s+/g, ' ').trim())`,
    );
  }

  /** Brings the page to the front, as browsers draw no other, and waits until an expression is true in it: asked less often than it draws. */
  async until(expression: string): Promise<void> {
    await this.page.bringToFront();
    await this.page.waitForFunction(expression, { polling: 100 });
  }

  /** Records short-lived contents of matching elements from now on: the values of `of`, an expression with the element `one`. */
  async keep(selector: string, of: string): Promise<void> {
    await this.ask(`{
      window.kept ??= [];
      const look = () => {
        for (const one of document.querySelectorAll(${JSON.stringify(selector)})) {
          const shown = ${of};
          if (shown && !kept.includes(shown)) kept.push(shown);
        }
      };
      new MutationObserver(look).observe(document, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
    }`);
  }

  /** Waits until a text has been recorded since `keep`. */
  async kept(text: string): Promise<void> {
    await this.until(`window.kept.some((one) => one.includes(${JSON.stringify(text)}))`);
  }

  /** Waits until a matching element contains a text. */
  async shows(selector: string, text: string): Promise<void> {
    const [where, what] = [JSON.stringify(selector), JSON.stringify(text)];
    await this.until(
      `[...document.querySelectorAll(${where})].some((one) => one.textContent.replace(/\\s+/g, ' ').includes(${what}))`,
    );
  }
}

export type VisitOptions = {
  readonly width?: number;
  readonly height?: number;
  /** Media features, e.g. `prefers-color-scheme`. */
  readonly features?: Readonly<Record<string, string>>;
};
