package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.TimeSource;
import io.weir.rules.file.RuleFiles;
import io.weir.rules.http.Header;
import io.weir.rules.http.HttpRequest;
import io.weir.rules.match.MalformedRequestException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An API key that reads as an address must not spend what the client at that address has. */
class FirstOfAddressTest {
  private static RequestLimiter limiter(String attributes) {
    String rules =
        "attributes: { key: { header: X-Key }, "
            + attributes
            + " }\nrules: [ { name: client, per: client, limit: 10 per hour } ]";
    return RequestLimiter.builder(rules(rules)).time(TimeSource.manual()).build();
  }

  private static RuleSet rules(String yaml) {
    byte[] bytes = yaml.getBytes(StandardCharsets.UTF_8);
    return RuleFiles.read("rules.yaml", bytes).rules().orElseThrow();
  }

  private static RequestDecision check(RequestLimiter limiter, String key, String ip) {
    List<Header> headers = key.isEmpty() ? List.of() : List.of(new Header("X-Key", key));
    return limiter.check(new HttpRequest("GET", "/", headers, ip, null, 1));
  }

  @ParameterizedTest
  @CsvSource({
    "203.0.113.7, 203.0.113.7",
    "2001:db8:0:1::/64, 2001:db8:0:1::7",
    "::/64, ::7",
  })
  void refusesKeyEqualToAnAddressKey(String key, String ip) {
    for (String attributes :
        List.of(
            "client: { first_of: [key, ip] }",
            "inner: { first_of: [key] }, client: { first_of: [inner, user, ip] }",
            "inner: { first_of: [key, ip] }, client: { first_of: [inner, user] }",
            "inner: { first_of: [user, ip] }, client: { first_of: [key, inner] }")) {
      RequestLimiter limiter = limiter(attributes);
      String known = check(limiter, "", ip).ruleDecisions().get(0).key();
      assertThat(known).as("to see that it would be the same").isEqualTo(key);
      assertThatThrownBy(() -> check(limiter, key, "192.0.2.1"))
          .as(attributes)
          .isInstanceOf(MalformedRequestException.class)
          .hasMessageContaining("is an IP address");
    }
  }

  /** No client is known by these, or the key is never in the place of an address. */
  @ParameterizedTest
  @ValueSource(strings = {"203.0.113.7:80", "2001:db8::1", "203.0.113", "1.2.3.4.5", "a.b", "k/64"})
  void keepsOtherKeys(String key) {
    RequestLimiter limiter = limiter("client: { first_of: [key, ip] }");
    assertThat(check(limiter, key, "192.0.2.1").ruleDecisions().get(0).key()).isEqualTo(key);
  }

  @Test
  void keepsAddressWhereNoAddressFollows() {
    assertThat(
            check(limiter("client: { first_of: [key] }"), "203.0.113.7", "192.0.2.1")
                .ruleDecisions()
                .get(0)
                .key())
        .isEqualTo("203.0.113.7");
    assertThat(
            check(limiter("client: { first_of: [ip, key] }"), "203.0.113.7", "192.0.2.1")
                .ruleDecisions()
                .get(0)
                .key())
        .isEqualTo("192.0.2.1");
  }
}
