package io.weir.server.codec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpServerOptions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Decoding of requests. */
class RequestDecoderTest {
  private static final String SECOND = "GET /second HTTP/1.1\r\nHost: a\r\n\r\n";

  /** The decoded requests: target and header names of each, or that it is invalid. */
  private static List<String> decoded(String... parts) {
    EmbeddedChannel connection = new EmbeddedChannel(new RequestDecoder(new HttpServerOptions()));
    for (String part : parts) {
      connection.writeInbound(Unpooled.copiedBuffer(part, ISO_8859_1));
    }
    List<String> requests = new ArrayList<>();
    for (HttpObject each = connection.readInbound();
        each != null;
        each = connection.readInbound()) {
      if (each.decoderResult().isFailure()) {
        requests.add("invalid");
      } else if (each instanceof HttpRequest request) {
        requests.add(request.uri() + " " + String.join(" ", names(request)));
      }
      ReferenceCountUtil.release(each);
    }
    connection.finishAndReleaseAll();
    return requests;
  }

  private static List<String> names(HttpRequest request) {
    List<String> names = new ArrayList<>();
    request
        .headers()
        .iteratorCharSequence()
        .forEachRemaining(e -> names.add(e.getKey().toString()));
    return names;
  }

  /** CVE-2026-102479: the second request was read as a body. */
  @Test
  void doesNotConfuseSimilarHeaderNames() {
    List<String> wrong = new ArrayList<>();
    for (NameVariants.Header header : NameVariants.all()) {
      if (NameVariants.isSpecial(header)) {
        continue;
      }
      String line = header.name() + ": " + header.value() + "\r\n";
      List<String> found = decoded("POST /a HTTP/1.1\r\nHost: a\r\n" + line + "\r\n" + SECOND);
      String name = line.substring(0, line.indexOf(':'));
      boolean isFolded = header.name().startsWith(" ") || header.name().startsWith("\t");
      List<String> expected =
          NameVariants.isName(name) && !name.isEmpty()
              ? List.of("/a Host " + name, "/second Host")
              : List.of("invalid");
      boolean isRight =
          found.equals(expected)
              || isFolded && found.equals(List.of("/a Host", "/second Host"))
              || name.isEmpty() && found.equals(List.of("/a Host ", "/second Host"));
      if (!isRight && !NameVariants.isSpecial(new NameVariants.Header(name, ""))) {
        wrong.add(header.name() + " -> " + found);
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void recognizesHeaderNamesInAnyCase() {
    for (String name : List.of("Content-Length", "content-length", "CONTENT-LENGTH")) {
      String text = "POST /a HTTP/1.1\r\nHost: a\r\n" + name + ": " + SECOND.length() + "\r\n\r\n";
      assertThat(decoded(text + SECOND + SECOND)).hasSize(2);
    }
  }
}
