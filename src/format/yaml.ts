import { isLosslessNumber } from 'lossless-json';
import { type Scalar, type ScalarTag, stringify } from 'yaml';
import { escapeStrings, safe } from './safe.js';

/** Writes a value as one YAML 1.2 document: numbers digit by digit, unsafe characters as escapes. */
export function formatYaml(value: unknown): string {
  return escapeStrings(
    stringify(value, {
      customTags: (tags) => [exactNumber, guardedText, ...tags],
      aliasDuplicateObjects: false,
      lineWidth: 0,
    }) ?? 'null\n',
    (code) => `\\U${code.toString(16).padStart(8, '0')}`,
  );
}

const exactNumber: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: isLosslessNumber,
  resolve: (text) => text,
  stringify: ({ value }: Scalar) => String(value),
};

/** Only double quotes know escapes, so text that needs them is always written in double quotes. */
const guardedText: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) => typeof value === 'string' && safe(value) !== value,
  resolve: (text) => text,
  stringify: ({ value }: Scalar) => JSON.stringify(value),
};
