/** Blocks of code: buttons for copying them, and colours for JSON. */

/** Time for which a button shows the result of its click, milliseconds. */
const RESULT_MS = 2_000;
/** Matches keys, strings, and numbers or literals; a key is a string with a colon behind it. */
const TOKENS = /(?<text>"(?:[^"\\]|\\.)*")(?<colon>\s*:)?|\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*/g;

/** Shows the button of each block, unless the browser has no clipboard for the page, as over plain HTTP. */
export function offerCopies(): void {
  if (!isSecureContext) return;
  for (const button of document.querySelectorAll<HTMLButtonElement>('button.copy')) {
    button.hidden = false;
    const words = button.textContent;
    button.addEventListener('click', async () => {
      const text = button.parentElement?.querySelector('code')?.textContent ?? '';
      const { curl } = button.dataset;
      const copy = curl === undefined ? text : `curl '${location.origin}${curl}'`;
      // The reader or the browser may deny access to the clipboard.
      button.textContent = await navigator.clipboard.writeText(copy).then(
        () => 'Copied',
        () => 'Not copied',
      );
      setTimeout(() => {
        button.textContent = words;
      }, RESULT_MS);
    });
  }
}

/** Colours JSON with highlight ranges instead of elements, as the page has ten thousand tokens. */
export function colourJson(code: Element): void {
  const [text] = code.childNodes;
  if (!(text instanceof Text) || typeof Highlight === 'undefined') return;
  for (const found of text.data.matchAll(TOKENS)) {
    const { text: quoted, colon } = found.groups ?? {};
    const range = new StaticRange({
      startContainer: text,
      startOffset: found.index,
      endContainer: text,
      endOffset: found.index + (quoted ?? found[0]).length,
    });
    highlightOf(colon !== undefined ? 'json-key' : quoted !== undefined ? 'json-text' : 'json-value').add(
      range,
    );
  }
}

function highlightOf(name: string): Highlight {
  const known = CSS.highlights.get(name) ?? new Highlight();
  CSS.highlights.set(name, known);
  return known;
}
