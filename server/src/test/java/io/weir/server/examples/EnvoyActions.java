package io.weir.server.examples;

import io.weir.rules.envoy.Descriptor;
import java.util.ArrayList;
import java.util.List;

/** The descriptors that Envoy sends for the actions of a configuration. */
final class EnvoyActions {
  private EnvoyActions() {}

  /** The descriptors of {@code rate_limits}, for a request that has all the headers. */
  static List<Descriptor> descriptors(List<Yaml> rateLimits) {
    List<Descriptor> descriptors = new ArrayList<>();
    for (Yaml each : rateLimits) {
      List<Descriptor.Entry> entries = new ArrayList<>();
      each.at("actions").items().forEach(action -> entries.add(entry(action)));
      descriptors.add(Descriptor.of(entries));
    }
    return descriptors;
  }

  private static Descriptor.Entry entry(Yaml action) {
    if (action.has("remote_address")) {
      return new Descriptor.Entry("remote_address", "203.0.113.7");
    }
    if (action.has("request_headers")) {
      Yaml headers = action.at("request_headers");
      String value = headers.at("header_name").text().equals(":method") ? "GET" : "abc";
      return new Descriptor.Entry(headers.at("descriptor_key").text(), value);
    }
    Yaml key = action.at("generic_key");
    return new Descriptor.Entry(key.at("descriptor_key").text(), key.at("descriptor_value").text());
  }
}
