/** The topics of `petstore help`, with their summaries. */
export const topicSummaries = {
  'exit-codes': 'exit codes and what scripts can rely on',
  environment: 'environment variables and settings',
  formats: 'output formats',
  errors: 'error codes, their meaning and fix',
} as const;

export type Topic = keyof typeof topicSummaries;

export const topicNames = Object.keys(topicSummaries) as readonly Topic[];
