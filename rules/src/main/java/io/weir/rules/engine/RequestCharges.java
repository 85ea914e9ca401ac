package io.weir.rules.engine;

import io.weir.rules.Request;
import io.weir.rules.RequestDecision;
import java.util.List;

/** The charges of all rules that apply to a request. */
public final class RequestCharges extends PendingCharges<RequestDecision> {
  private RequestCharges(List<PendingCharge> list) {
    super(list);
  }

  public static RequestCharges of(Request request, RulesSnapshot rules) {
    List<PendingCharge> charges = rules.rules().charges(request);
    for (int i = 0; i < charges.size(); i++) {
      charges.get(i).bind(rules);
    }
    return new RequestCharges(charges);
  }

  @Override
  public RequestDecision result() {
    return RequestDecisions.of(list());
  }
}
