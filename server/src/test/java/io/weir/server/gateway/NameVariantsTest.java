package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.codec.NameVariants;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Header names that nearly mean something mean nothing to the gateway: CVE-2026-102479. */
class NameVariantsTest {
  private static final Pattern LEFT = Pattern.compile("(?im)^ratelimit: \"many\";r=(\\d+)");

  @Test
  void decidesRequestAfterOneWithAVariantHeader() throws Exception {
    try (RawUpstream upstream = new RawUpstream();
        GatewayFixture gatewayFixture =
            new GatewayFixture("rules: [ { name: many, limit: 1000 per day } ]", upstream.url())) {
      for (NameVariants.Header header : NameVariants.ordinary(1, 60)) {
        int before = upstream.heads().size();
        String answer =
            gatewayFixture.raw(
                "POST /a HTTP/1.1\r\nHost: a\r\n"
                    + header.name()
                    + ": "
                    + header.value()
                    + "\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        List<Integer> left =
            LEFT.matcher(answer).results().map(each -> Integer.parseInt(each.group(1))).toList();
        assertThat(left).as("two decisions: %s", header).hasSize(2);
        assertThat(left.get(0) - left.get(1)).as("a permit each: %s", header).isEqualTo(1);
        List<String> seen = upstream.heads().subList(before, before + 2);
        assertThat(seen.get(0)).startsWith("POST /a ").contains("\r\n" + header.name() + ": ");
        assertThat(seen.get(1)).startsWith("GET /second ");
      }
    }
  }
}
