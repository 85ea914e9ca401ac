package io.weir.rules;

/** A question, independent of the rules that will decide it. */
@FunctionalInterface
interface Question<A> {
  /**
   * Its demands under {@code rules}.
   *
   * @throws io.weir.rules.match.MalformedRequestException if rules cannot be applied to it
   */
  Bill<A> under(InForce rules);
}
