/** The topics of `petstore help`, with their summaries. */
export const topicSummaries = {
  'exit-codes': 'exit codes and what scripts can rely on',
  environment: 'environment variables and settings',
  formats: 'output formats',
  errors: 'error codes, their meaning and fix',
  agents: 'what an AI agent needs to know',
} as const;

export type Topic = keyof typeof topicSummaries;

export const topicNames = Object.keys(topicSummaries) as readonly Topic[];

/** The word after `help` that precedes the command whose JSON Schema is printed. */
export const schemaWord = 'schema';

/** The word after `help schema` for the error object. */
export const errorSchemaWord = 'error';
