/** The topics of `petstore help`, with their summaries. */
export const topicSummaries = {
  'exit-codes': 'exit codes and what scripts can rely on',
  environment: 'environment variables and settings',
  errors: 'error codes, their meaning and fix',
  agents: 'what an AI agent needs to know',
} as const;

export type Topic = keyof typeof topicSummaries;

export const topicNames = Object.keys(topicSummaries) as readonly Topic[];
