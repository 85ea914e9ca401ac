package io.weir.rules.engine;

/** A question, independent of the rules that will decide it. */
@FunctionalInterface
public interface BillFactory<A> {
  /**
   * Its demands under {@code rules}.
   *
   * @throws io.weir.rules.match.MalformedRequestException if rules cannot be applied to it
   */
  Bill<A> under(RulesSnapshot rules);
}
