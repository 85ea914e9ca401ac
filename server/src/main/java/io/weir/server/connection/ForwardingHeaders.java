package io.weir.server.connection;

import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The headers by which proxies report the client's address and the original request to servers. A
 * client can send them too, with values that nothing has verified.
 */
public final class ForwardingHeaders {
  /** The ones that the gateway never sets; lower case. */
  public static final List<String> OF_OTHERS =
      List.of(
          "x-real-ip",
          "true-client-ip",
          "cf-connecting-ip",
          "cf-connecting-ipv6",
          "fastly-client-ip",
          "x-client-ip",
          "x-originating-ip",
          "x-cluster-client-ip",
          "x-remote-ip",
          "x-remote-addr",
          "x-original-url",
          "x-original-uri",
          "x-original-host",
          "x-original-method",
          "x-rewrite-url",
          "x-forwarded",
          "x-forwarded-by",
          "x-forwarded-port",
          "x-forwarded-prefix",
          "x-forwarded-scheme",
          "x-forwarded-server",
          "x-forwarded-ssl",
          "x-forwarded-uri",
          "x-forwarded-method",
          "front-end-https",
          "x-url-scheme");

  /** The ones that the gateway sets, and the headers that frame a message. */
  private static final List<String> OF_THE_GATEWAY =
      List.of(
          "content-length",
          "transfer-encoding",
          "x-forwarded-for",
          "x-forwarded-host",
          "x-forwarded-proto");

  private static final Set<String> ALL = all();

  /**
   * The lengths of those names, one bit each; names of other lengths are skipped without a lookup.
   */
  private static final int LENGTHS =
      ALL.stream().mapToInt(name -> 1 << name.length()).reduce(0, (a, b) -> a | b);

  private ForwardingHeaders() {}

  private static Set<String> all() {
    List<String> all = new ArrayList<>(OF_OTHERS);
    all.addAll(OF_THE_GATEWAY);
    return new HashSet<>(all);
  }

  /**
   * Whether a header name equals one of these once underscores are read as hyphens. CGI-style
   * servers map headers to variables and cannot distinguish the two.
   */
  public static boolean isDisguised(CharSequence name) {
    int length = name.length();
    return length < Integer.SIZE
        && (LENGTHS & 1 << length) != 0
        && AsciiString.indexOf(name, '_', 0) >= 0
        && ALL.contains(name.toString().replace('_', '-').toLowerCase(Locale.ROOT));
  }
}
