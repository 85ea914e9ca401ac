package io.weir.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.codec.NameVariants;
import org.junit.jupiter.api.Test;

/** Header names that nearly mean something mean nothing to the service: CVE-2026-102479. */
class NameVariantsTest {
  private static final String RULES = "rules: [ { name: many, limit: 1000 per day } ]";

  @Test
  void decidesTheRequestBehindOneWithSuchAHeader() throws Exception {
    try (Service service = Service.start(RULES)) {
      for (NameVariants.Header header : NameVariants.ordinary(2, 60)) {
        String response =
            service.raw(
                "GET /v1/check?ip=1.2.3.4 HTTP/1.1\r\nHost: a\r\n"
                    + header.name()
                    + ": "
                    + header.value()
                    + "\r\n\r\n"
                    + "GET /v1/check?ip=1.2.3.4 HTTP/1.1\r\n"
                    + "Host: a\r\n"
                    + "Connection: close\r\n\r\n");
        assertThat(response.split("HTTP/1\\.1 200 ", -1)).as("%s: %s", header, response).hasSize(3);
      }
    }
  }
}
