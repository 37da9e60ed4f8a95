/** What `petstore help` explains beside commands, and what each topic is about. */
export const topicSummaries = {
  'exit-codes': 'what petstore ends with, and what a script can rely on',
  environment: 'variables and settings that petstore obeys',
  formats: 'output formats of petstore',
} as const;

export type Topic = keyof typeof topicSummaries;

export const topicNames = Object.keys(topicSummaries) as readonly Topic[];
