/**
 * Lets everybody try until a try fails, and from then on one at a time, until one succeeds: the others are refused
 * at once, since what fails slowly would make all of them wait.
 */
export function createCircuitBreaker(
  refuse: () => Error,
): <Result>(attempt: () => Promise<Result>) => Promise<Result> {
  let isFailing = false;
  let isTrying = false;
  return async (attempt) => {
    if (isTrying) throw refuse();
    isTrying = isFailing;
    const isAlone = isTrying;
    try {
      const result = await attempt();
      isFailing = false;
      return result;
    } catch (error) {
      isFailing = true;
      throw error;
    } finally {
      if (isAlone) isTrying = false;
    }
  };
}
