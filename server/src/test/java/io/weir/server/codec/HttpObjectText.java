package io.weir.server.codec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.Map;

/** Decoded parts of HTTP/1 messages as text. Fails on control characters and invalid names. */
public final class HttpObjectText {
  private HttpObjectText() {}

  /** Appends headers, body and trailers; first lines are left to the caller. */
  public static void append(HttpObject part, StringBuilder text) {
    if (part instanceof HttpMessage message) {
      append(message.headers(), text);
    }
    if (part instanceof HttpContent content) {
      text.append(content.content().toString(ISO_8859_1));
    }
    if (part instanceof LastHttpContent last) {
      append(last.trailingHeaders(), text);
      text.append('>');
    }
  }

  private static void append(Iterable<Map.Entry<String, String>> headers, StringBuilder text) {
    for (Map.Entry<String, String> header : headers) {
      String name = header.getKey();
      assertThat(NameVariants.isName(name)).as("name '%s'", name).isTrue();
      requirePrintable(header.getValue().replace('\t', ' '));
      text.append('|').append(name).append(':').append(header.getValue());
    }
  }

  /** Fails if the text contains a control character. */
  public static void requirePrintable(String text) {
    assertThat(text.chars()).noneMatch(c -> c < ' ' || c == 0x7f);
  }
}
