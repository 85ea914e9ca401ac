package io.weir.rules.engine;

/** A request, independent of the rules that will decide it. */
@FunctionalInterface
public interface ChargesFactory<A> {
  /**
   * Its charges under {@code rules}.
   *
   * @throws io.weir.rules.match.MalformedRequestException if rules cannot be applied to it
   */
  PendingCharges<A> under(RulesSnapshot rules);
}
