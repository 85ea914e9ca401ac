package io.weir.server.rls;

import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.Descriptor;
import io.weir.rules.DescriptorQuestion;
import io.weir.server.http.Callers;

/** Decides which peers may send negative hits, since these refund permits. */
final class Peers {
  static final String MUST_BE_KNOWN =
      "negative hits are for callers on this machine, or with a token or a certificate";

  private final Callers callers;

  Peers(Callers callers) {
    this.callers = callers;
  }

  /** Whether the sender of {@code request} may ask {@code question}. */
  boolean mayAsk(HttpServerRequest request, DescriptorQuestion question) {
    return !givesBack(question) || callers.mayGiveBack(request);
  }

  private static boolean givesBack(DescriptorQuestion question) {
    for (Descriptor descriptor : question.descriptors()) {
      if (descriptor.isNegative()) {
        return true;
      }
    }
    return false;
  }
}
