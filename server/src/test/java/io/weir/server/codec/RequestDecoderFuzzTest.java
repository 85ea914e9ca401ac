package io.weir.server.codec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpServerOptions;
import io.weir.rig.CoverageFuzzing;
import io.weir.rig.FuzzTarget;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * Requests over HTTP/1: what is read depends on no border of packets, and has no hidden characters.
 */
class RequestDecoderFuzzTest implements FuzzTarget {
  @Test
  void readsTheSeeds() {
    CoverageFuzzing.seeds(this);
  }

  @Test
  @Tag("soak")
  @EnabledForJreRange(max = JRE.JAVA_17)
  void readsForMinutes() {
    CoverageFuzzing.minutes(this);
  }

  @Override
  public List<byte[]> seeds() {
    return Stream.of(
            "GET /a?b HTTP/1.1\r\nHost: a\r\n\r\nGET /second HTTP/1.0\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nX: y\r\n\r\n",
            "\r\nGET / HTTP/1.1\r\nX: a\r\n b\r\nContent-Xength: 9\r\n\r\n",
            "GET / HTTP/1.1\nHost: a\n\n")
        .map(bytes -> bytes.getBytes(ISO_8859_1))
        .toList();
  }

  @Override
  public List<String> words() {
    return List.of(
        "\r\n", "HTTP/1.1", "Content-Length: ", "Transfer-Encoding: chunked", "0\r\n\r\n", "\r\n ");
  }

  @Override
  public void run(byte[] input) {
    String whole = decoded(input, input.length);
    assertThat(decoded(input, 1)).as("byte by byte").isEqualTo(whole);
    assertThat(decoded(input, 7)).as("in parts").isEqualTo(whole);
  }

  /** What comes out, up to the first fault. */
  private static String decoded(byte[] input, int part) {
    EmbeddedChannel connection = new EmbeddedChannel(new RequestDecoder(new HttpServerOptions()));
    StringBuilder found = new StringBuilder();
    boolean isBroken = false;
    for (int at = 0; at < input.length; at += part) {
      byte[] next = Arrays.copyOfRange(input, at, Math.min(input.length, at + part));
      connection.writeInbound(Unpooled.wrappedBuffer(next));
      for (HttpObject each = connection.readInbound();
          each != null;
          each = connection.readInbound()) {
        if (!isBroken && each.decoderResult().isFailure()) {
          isBroken = true;
          found.append("broken");
        }
        if (!isBroken) {
          show(each, found);
        }
        ReferenceCountUtil.release(each);
      }
    }
    connection.finishAndReleaseAll();
    return found.toString();
  }

  private static void show(HttpObject each, StringBuilder found) {
    if (each instanceof HttpRequest request) {
      HttpObjectText.requirePrintable(request.method().name() + request.uri());
      found.append('<').append(request.method()).append(' ').append(request.uri());
    }
    HttpObjectText.append(each, found);
  }
}
