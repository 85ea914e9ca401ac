package io.weir.server.admin;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.codec.NameVariants;
import java.io.IOException;
import java.net.Socket;
import org.junit.jupiter.api.Test;

/** Header names that nearly mean something mean nothing to the admin port: CVE-2026-102479. */
class NameVariantsTest {
  @Test
  void servesRequestBehindOneWithSuchAHeader() throws Exception {
    try (Admin admin = new Admin("rules: [ { name: many, limit: 1000 per day } ]")) {
      String host = "\r\nHost: localhost:" + admin.port() + "\r\n";
      for (NameVariants.Header header : NameVariants.ordinary(3, 60)) {
        String first = "GET /health/live HTTP/1.1" + host + header.name() + ": " + header.value();
        String second = "GET /health/live HTTP/1.1" + host + "Connection: close\r\n\r\n";
        String response = raw(admin, first + "\r\n\r\n" + second);
        assertThat(response.split("HTTP/1\\.1 200 ", -1)).as("%s: %s", header, response).hasSize(3);
      }
    }
  }

  private static String raw(Admin admin, String bytes) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", admin.port())) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }
}
