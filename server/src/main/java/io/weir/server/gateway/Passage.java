package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Which headers go through: all but those that are meant for the next machine only. */
final class Passage {
  private static final Set<String> HOP_BY_HOP =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "http2-settings");

  /** Headers by which servers are told who the client is, or what it asked for. */
  private static final Set<String> CLAIMS =
      Set.of(
          "x-forwarded-for",
          "x-forwarded-host",
          "x-forwarded-proto",
          "forwarded",
          "x-real-ip",
          "true-client-ip",
          "cf-connecting-ip",
          "x-client-ip",
          "x-originating-ip",
          "x-cluster-client-ip",
          "x-original-url",
          "x-rewrite-url");

  private Passage() {}

  /** Copies what goes through. */
  static void copy(MultiMap from, MultiMap to, Set<String> except) {
    Set<String> named = named(from.getAll("Connection"));
    for (Map.Entry<String, String> header : from) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      if (!HOP_BY_HOP.contains(name) && !named.contains(name) && !except.contains(name)) {
        to.add(header.getKey(), header.getValue());
      }
    }
  }

  /** Copies what goes upstream; what a client claims to be goes only if a proxy vouches for it. */
  static void copyUpstream(Inbound inbound, MultiMap to) {
    MultiMap from = inbound.request().headers();
    Set<String> except = new HashSet<>(Set.of("host", "expect", "x-forwarded-for"));
    if (!inbound.isFromProxy()) {
      except.addAll(CLAIMS);
    }
    copy(from, to, except);
    String peer = inbound.peer() == null ? "unknown" : inbound.peer().toString();
    List<String> before = inbound.isFromProxy() ? from.getAll(Inbound.FORWARDED_FOR) : List.of();
    to.set(
        Inbound.FORWARDED_FOR, before.isEmpty() ? peer : String.join(", ", before) + ", " + peer);
    if (inbound.host() != null && !to.contains("X-Forwarded-Host")) {
      to.set("X-Forwarded-Host", inbound.host());
    }
    if (!to.contains("X-Forwarded-Proto")) {
      to.set("X-Forwarded-Proto", inbound.request().isSSL() ? "https" : "http");
    }
  }

  private static Set<String> named(List<String> connection) {
    Set<String> names = new HashSet<>();
    for (String line : connection) {
      for (String name : line.split(",", -1)) {
        names.add(name.strip().toLowerCase(Locale.ROOT));
      }
    }
    return names;
  }
}
