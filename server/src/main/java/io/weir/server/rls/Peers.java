package io.weir.server.rls;

import io.vertx.core.net.SocketAddress;
import io.weir.rules.Descriptor;
import io.weir.rules.DescriptorQuestion;
import io.weir.server.Settings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * Who may give back what was taken: whoever has shown a token or a certificate, and otherwise this
 * machine alone. Everybody else could give themselves what they like.
 */
final class Peers {
  static final String MUST_BE_KNOWN =
      "negative hits are for callers on this machine, or with a token or a certificate";

  private final boolean areKnown;

  Peers(Settings.ServicePort port) {
    areKnown = port.token().isPresent() || port.tls().flatMap(Settings.Tls::clientCa).isPresent();
  }

  /** Whether {@code peer} may ask {@code question}. */
  boolean mayAsk(@Nullable SocketAddress peer, DescriptorQuestion question) {
    return areKnown || !givesBack(question) || isLoopback(peer);
  }

  private static boolean givesBack(DescriptorQuestion question) {
    for (Descriptor descriptor : question.descriptors()) {
      if (descriptor.isNegative()) {
        return true;
      }
    }
    return false;
  }

  private static boolean isLoopback(@Nullable SocketAddress peer) {
    String address = peer == null ? null : peer.hostAddress();
    try {
      return address != null && InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
