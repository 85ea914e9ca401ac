package io.weir.spring.web;

import io.weir.rules.match.Network;
import io.weir.spring.MisconfiguredException;
import java.util.ArrayList;
import java.util.List;

/** Reads networks. */
public final class TrustedProxyParser {
  private TrustedProxyParser() {}

  public static List<Network> of(List<String> texts) {
    List<Network> networks = new ArrayList<>();
    for (String text : texts) {
      try {
        networks.add(Network.parse(text.strip()));
      } catch (IllegalArgumentException e) {
        throw new MisconfiguredException(
            "'weir.trusted-proxies' has '" + text + "', which is neither an address nor a network.",
            "Write addresses or networks such as 10.0.0.0/8, 192.0.2.7 or fd00::/8.");
      }
    }
    return networks;
  }
}
