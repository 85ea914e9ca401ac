package io.weir.rules;

import java.util.ArrayList;
import java.util.List;

/** The demands of a request on the buckets of all rules that apply to it. */
final class RequestBill extends Bill<Ruling> {
  private RequestBill(List<Demand> demands) {
    super(demands);
  }

  static RequestBill of(Request request, InForce rules) {
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

  private static Demand demand(Claim claim, InForce rules) {
    Demand.Kind kind = claim.isEnforced() ? Demand.Kind.TAKE : Demand.Kind.TRY;
    return new Demand(rules.of(claim.meter()), claim.key(), claim.cost(), kind, false);
  }

  @Override
  Ruling answer() {
    return Verdicts.ruling(demands());
  }
}
