// The moments that a series of numbers belongs to.

/** When each slot of `answer` began, in ms; a slot begins every step. */
export function moments(answer, length) {
  return Array.from({ length }, (_, i) => answer.start + i * answer.step_ms);
}
