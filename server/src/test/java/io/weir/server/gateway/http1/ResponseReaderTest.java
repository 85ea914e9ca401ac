package io.weir.server.gateway.http1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.weir.server.codec.NameVariants;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Decoding of responses, also by the codec of Vert.x's client. */
class ResponseReaderTest {
  private static String decoded(ChannelHandler decoder, String bytes) {
    EmbeddedChannel connection = new EmbeddedChannel(decoder);
    connection.writeInbound(Unpooled.copiedBuffer(bytes, ISO_8859_1));
    StringBuilder found = new StringBuilder();
    for (HttpObject each = connection.readInbound();
        each != null;
        each = connection.readInbound()) {
      if (each.decoderResult().isFailure()) {
        found.append("invalid");
      }
      if (each instanceof HttpResponse response) {
        response
            .headers()
            .iteratorCharSequence()
            .forEachRemaining(header -> found.append(header.getKey()).append(' '));
      }
      if (each instanceof HttpContent content) {
        found.append(content.content().toString(ISO_8859_1));
      }
      found.append(each instanceof LastHttpContent ? "|" : "");
      ReferenceCountUtil.release(each);
    }
    connection.finishAndReleaseAll();
    return found.toString();
  }

  private static ResponseReader reader() {
    ResponseReader reader = new ResponseReader();
    reader.expect(false);
    return reader;
  }

  @Test
  void doesNotConfuseSimilarHeaderNames() {
    List<String> wrong = new ArrayList<>();
    for (NameVariants.Header header : NameVariants.all()) {
      String name = header.name().split("[: \t]", -1)[0];
      if (!NameVariants.isSpecial(new NameVariants.Header(name, ""))
          && NameVariants.isName(name)
          && !name.isEmpty()) {
        String bytes =
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
                + header.name()
                + ": "
                + header.value()
                + "\r\n\r\nok";
        for (ChannelHandler decoder : List.of(reader(), new ClientCodec(reader()))) {
          String found = decoded(decoder, bytes);
          if (!found.equals("Content-Length " + name + " ok|")) {
            wrong.add(header.name() + " -> " + found);
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
  }
}
