package io.weir.rules;

/** What somebody wants to know, whichever rules are in force when it is answered. */
@FunctionalInterface
interface Question<A> {
  /**
   * What it asks of buckets under {@code rules}.
   *
   * @throws io.weir.rules.match.MalformedRequestException if it cannot be judged
   */
  Bill<A> under(InForce rules);
}
