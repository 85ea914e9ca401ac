package io.weir.rules.engine;

import io.weir.rules.Claim;
import io.weir.rules.Request;
import io.weir.rules.RequestDecision;
import java.util.ArrayList;
import java.util.List;

/** The demands of a request on the buckets of all rules that apply to it. */
public final class RequestBill extends Bill<RequestDecision> {
  private RequestBill(List<Demand> demands) {
    super(demands);
  }

  public static RequestBill of(Request request, RulesSnapshot rules) {
    List<Claim> claims = rules.rules().claims(request);
    if (claims.size() == 1) {
      return new RequestBill(List.of(demand(claims.get(0), rules)));
    }
    List<Demand> demands = new ArrayList<>(claims.size());
    for (Claim claim : claims) {
      demands.add(demand(claim, rules));
    }
    return new RequestBill(demands);
  }

  private static Demand demand(Claim claim, RulesSnapshot rules) {
    Demand.Kind kind = claim.isEnforced() ? Demand.Kind.TAKE : Demand.Kind.TRY;
    return new Demand(rules.of(claim.limitGroup()), claim.key(), claim.cost(), kind, false);
  }

  @Override
  public RequestDecision answer() {
    return RequestDecisions.ruling(demands());
  }
}
