package io.weir.rules.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.match.Address;
import io.weir.rules.match.Network;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whom a request comes from. */
class TrustedProxiesTest {
  private final TrustedProxies trustedProxies =
      new TrustedProxies(List.of(Network.parse("10.0.0.0/8"), Network.parse("2001:db8:f::/48")));

  /** Lines of the header are separated by a semicolon here. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      value = {
        // peer       | X-Forwarded-For                          | the client
        "203.0.113.7  | none                                     | 203.0.113.7",
        "203.0.113.7  | 1.2.3.4                                  | 203.0.113.7",
        "10.0.0.1     | none                                     | 10.0.0.1",
        "10.0.0.1     | 1.2.3.4                                  | 1.2.3.4",
        "10.0.0.1     | 6.6.6.6, 1.2.3.4                         | 1.2.3.4",
        "10.0.0.1     | 6.6.6.6, 1.2.3.4, 10.9.9.9               | 1.2.3.4",
        "10.0.0.1     | 6.6.6.6,1.2.3.4,10.9.9.9,10.0.0.2        | 1.2.3.4",
        "10.0.0.1     | 6.6.6.6; 1.2.3.4                         | 1.2.3.4",
        "10.0.0.1     | 6.6.6.6, 1.2.3.4; 10.9.9.9               | 1.2.3.4",
        "10.0.0.1     | 10.0.0.3, 10.0.0.2                       | 10.0.0.3",
        "10.0.0.1     | '\t 1.2.3.4 \t'                          | 1.2.3.4",
        "10.0.0.1     | 1.2.3.4:1234                             | 1.2.3.4",
        "10.0.0.1     | [2001:db8::1]:80                         | 2001:db8::1",
        "10.0.0.1     | 2001:DB8:0::1                            | 2001:db8::1",
        "10.0.0.1     | fe80::1%eth0                             | fe80::1",
        "10.0.0.1     | ::ffff:1.2.3.4                           | 1.2.3.4",
        "10.0.0.1     | 1.2.3.4, ::FFFF:a00:2                    | 1.2.3.4",
        "::ffff:a00:1 | 1.2.3.4                                  | 1.2.3.4",
        "2001:db8:f::1| 1.2.3.4                                  | 1.2.3.4",
        // What cannot be read ends the walk; nothing to its left is believed.
        "10.0.0.1     | ''                                       | 10.0.0.1",
        "10.0.0.1     | ,                                        | 10.0.0.1",
        "10.0.0.1     | '1.2.3.4,'                               | 10.0.0.1",
        "10.0.0.1     | 1.2.3.4; ''                              | 10.0.0.1",
        "10.0.0.1     | '1.2.3.4, , 10.0.0.2'                    | 10.0.0.2",
        "10.0.0.1     | 1.2.3.4, unknown                         | 10.0.0.1",
        "10.0.0.1     | 1.2.3.4, unknown, 10.0.0.2               | 10.0.0.2",
        "10.0.0.1     | 1.2.3.4, _hidden                         | 10.0.0.1",
        "10.0.0.1     | localhost                                | 10.0.0.1",
        "10.0.0.1     | 0177.0.0.1                               | 10.0.0.1",
        "10.0.0.1     | 2130706433                               | 10.0.0.1",
        "10.0.0.1     | 127.1                                    | 10.0.0.1",
        "10.0.0.1     | 1.2.3.4 5.6.7.8                          | 10.0.0.1",
        "10.0.0.1     | 1.2.3.256                                | 10.0.0.1",
        "10.0.0.1     | 1.2.3.4:99999                            | 10.0.0.1",
        "10.0.0.1     | \"1.2.3.4\"                              | 10.0.0.1",
        "10.0.0.1     | for=1.2.3.4                              | 10.0.0.1",
      })
  void readsTheListFromItsEnd(String peer, String forwardedFor, String client) {
    List<String> lines = forwardedFor == null ? List.of() : List.of(forwardedFor.split("; ?", -1));
    List<String> unquoted = lines.stream().map(line -> line.equals("''") ? "" : line).toList();

    assertThat(trustedProxies.client(Address.parse(peer), unquoted)).hasToString(client);
  }

  @Test
  void readsLongListOnlyAsFarAsNeeded() {
    String forged = "6.6.6.6, ".repeat(100_000) + "1.2.3.4";

    assertThat(trustedProxies.client(Address.parse("10.0.0.1"), List.of(forged)))
        .hasToString("1.2.3.4");
  }

  @Test
  void trustsLoopbackIfConfigured() {
    assertThat(trustedProxies.trusts(Address.parse("127.0.0.1"))).isFalse();
    TrustedProxies proxies = TrustedProxies.LOOPBACK.and(List.of(Network.parse("10.0.0.1")));
    for (String address : List.of("127.9.9.9", "::1", "::ffff:127.0.0.1", "10.0.0.1")) {
      assertThat(proxies.trusts(Address.parse(address))).as(address).isTrue();
    }
    for (String address : List.of("128.0.0.1", "::2", "10.0.0.2", "0.0.0.0")) {
      assertThat(proxies.trusts(Address.parse(address))).as(address).isFalse();
    }
    assertThat(proxies.trusts(null)).isFalse();
  }
}
