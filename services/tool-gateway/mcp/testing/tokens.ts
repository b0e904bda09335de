import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** Factor for other tokenizers, which count up to 15 % more. */
const MARGIN = 1.15;

/** Estimates the tokens of a text, on the high side: those of o200k_base and 15 %. */
export function tokensOf(text: string): number {
  return Math.ceil(countTokens(text) * MARGIN);
}
