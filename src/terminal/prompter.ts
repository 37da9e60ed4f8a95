/** One answer of several; `name` may be text from outside, and is escaped. */
interface Choice<Value> {
  readonly value: Value;
  readonly name: string;
}

export interface Question {
  readonly message: string;
  /** What to do where no one can answer: `pass --name with the name of the pet`. */
  readonly otherwise: string;
}

/**
 * Questions to a person, asked on stderr. Where no one can answer each fails (usage) with what to pass
 * instead; Ctrl-C fails (canceled), the end of input fails (usage).
 */
export interface Ask {
  /** Someone can answer: stdin and stderr are terminals, and nothing says that no one is there. */
  readonly possible: boolean;
  /** `problemWith` says what is wrong with an answer, or nothing. */
  text(
    question: Question & { readonly problemWith: (answer: string) => string | undefined },
  ): Promise<string>;
  /** Typed unseen. */
  secret(
    question: Question & { readonly problemWith: (answer: string) => string | undefined },
  ): Promise<string>;
  choose<Value>(
    question: Question & { readonly choices: readonly Choice<Value>[]; readonly current?: Value },
  ): Promise<Value>;
  /** A list that narrows while one types. */
  search<Value>(
    question: Question & { readonly choices: readonly Choice<Value>[] },
  ): Promise<Value>;
  /** `--yes` answers with yes, unasked; Enter alone with `default`, which is yes. */
  confirm(question: Question & { readonly default?: boolean }): Promise<boolean>;
}
