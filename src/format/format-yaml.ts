import { isLosslessNumber } from 'lossless-json';
import { type Scalar, type ScalarTag, stringify } from 'yaml';
import { escapeDocument, toSafeText } from './safe-text.js';

/** Formats a value as one YAML 1.2 document. Numbers keep their digits, and unsafe characters are escaped. */
export function formatYaml(value: unknown): string {
  return escapeDocument(
    stringify(value, {
      customTags: (tags) => [exactNumberTag, quotedTextTag, ...tags],
      aliasDuplicateObjects: false,
      lineWidth: 0,
    }) ?? 'null\n',
    (code) => `\\U${code.toString(16).padStart(8, '0')}`,
  );
}

const exactNumberTag: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: isLosslessNumber,
  resolve: (text) => text,
  stringify: ({ value }: Scalar) => String(value),
};

/** Only double-quoted YAML strings support escapes. */
const quotedTextTag: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) => typeof value === 'string' && toSafeText(value) !== value,
  resolve: (text) => text,
  stringify: ({ value }: Scalar) => JSON.stringify(value),
};
