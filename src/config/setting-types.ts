import { dayMs } from '../clock.js';

/** A value as commands print it. */
export type ShownValue = string | number | boolean;

/** The numbers that a setting, an argument or a flag accepts. */
export interface NumberRange {
  readonly type: 'integer' | 'number';
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The values that a setting accepts, and how they are written. */
export interface SettingType<Value> {
  /** Completes the sentence "the setting must be …". */
  readonly rule: string;
  /** The values, if there are only a few. */
  readonly choices?: readonly string[];
  /** Set if the values are numbers. */
  readonly range?: NumberRange;
  /** Parses text of a user or of the config file. Returns `undefined` if the text breaks the rule. */
  parse(text: string): Value | undefined;
  /** Returns the value without secrets. */
  show(value: Value): ShownValue;
}

export const textType = (rule: string, pattern: RegExp): SettingType<string> => ({
  rule,
  parse: (value) => (pattern.test(value) ? value : undefined),
  show: String,
});

/** One of a few words. */
export const choiceType = <Choice extends string>(choices: readonly Choice[]): SettingType<Choice> => ({
  rule: `one of ${choices.join(', ')}`,
  choices,
  parse: (value) => choices.find((choice) => choice === value),
  show: String,
});

export const booleanType: SettingType<boolean> = {
  rule: 'true or false',
  choices: ['true', 'false'],
  parse: parseBoolean,
  show: Boolean,
};

/** A duration, in milliseconds here and in seconds outside. */
export const secondsType = (minMs: number, rule: string): SettingType<number> => ({
  rule: `a number of seconds ${rule}`,
  range: { type: 'number', minimum: minMs / 1000, maximum: 86_400 },
  parse: (text) => {
    const ms = /^[0-9]{1,5}(\.[0-9]{1,9})?$/.test(text) ? Number(text) * 1000 : Number.NaN;
    return ms >= minMs && ms <= dayMs ? ms : undefined;
  },
  show: (ms) => ms / 1000,
});

export const countType = (min: number, max: number): SettingType<number> => ({
  rule: `a whole number from ${min} to ${max}`,
  range: { type: 'integer', minimum: min, maximum: max },
  parse: (text) => {
    const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  },
  show: Number,
});

/** Parses true, yes, on or 1 and their opposites. Returns `undefined` for any other text. */
export function parseBoolean(text: string): boolean | undefined {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  return /^(0|false|no|off)$/i.test(text) ? false : undefined;
}
